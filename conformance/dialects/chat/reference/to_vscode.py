"""The reference adapter from chat completions to VS Code: its endpoint and its factory."""

from __future__ import annotations

from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.request import PartContent, request
from conformance.dialects.chat.reference.vscode_emitter import VscodeEmitter
from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.client.transport import Traits, Upstream

DIALECT = "chat"


def part_content(part: Event) -> PartContent:
    """The content of an emitted part, for later requests."""
    kind = part.get("type")
    if kind == "text":
        return PartContent(text=string(part, "value"))
    if kind == "thinking":
        return PartContent(reasoning_pieces=((string(part, "value"), object_(part, "metadata")),))
    if kind == "toolCall":
        return PartContent(
            calls=((string(part, "callId"), string(part, "name"), part.get("input")),)
        )
    return PartContent()


UPSTREAM = Upstream(
    "reference-chat-vscode",
    DIALECT,
    "/chat/completions",
    lambda run, prefix: request(run, prefix, part_content),
)


class Adapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of chat completions."""

    def __init__(
        self,
        traits: Traits | None = None,
        machine: type[Chat] = Chat,
        emitter: type[VscodeEmitter] = VscodeEmitter,
    ) -> None:
        """Raises ValueError if a trait has a value that the machine does not know."""
        super().__init__(UPSTREAM, lambda given: machine(emitter, given), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)
