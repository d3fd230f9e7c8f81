"""Chat completions in, VS Code parts out: `chat` is the machine, this is how it speaks."""

from __future__ import annotations

from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.request import Spoken, request
from conformance.dialects.chat.reference.vscode_emitter import VscodeVoice
from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.client.transport import Traits, Upstream

DIALECT = "chat"


def spoken(part: Event) -> Spoken:
    """What one emitted part says, for sending it back."""
    kind = part.get("type")
    if kind == "text":
        return Spoken(text=string(part, "value"))
    if kind == "thinking":
        return Spoken(thoughts=((string(part, "value"), object_(part, "metadata")),))
    if kind == "toolCall":
        return Spoken(calls=((string(part, "callId"), string(part, "name"), part.get("input")),))
    return Spoken()


UPSTREAM = Upstream(
    "reference-chat-vscode",
    DIALECT,
    "/chat/completions",
    lambda run, prefix: request(run, prefix, spoken),
)


class Adapter(transport.Adapter):
    """Plays runs of drive/1 against an upstream of chat completions."""

    def __init__(
        self,
        traits: Traits | None = None,
        machine: type[Chat] = Chat,
        voice: type[VscodeVoice] = VscodeVoice,
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        super().__init__(UPSTREAM, lambda given: machine(voice, given), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter(traits)
