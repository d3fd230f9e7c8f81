"""The reference adapter from chat completions to VS Code."""

from functools import partial
from typing import ClassVar

from conformance.dialects.chat.reference.adapter import ChatAdapter, PartContent
from conformance.dialects.chat.reference.calls import ReleasedCall
from conformance.dialects.chat.reference.machine import COUNTS, Ending, ReasoningPiece
from conformance.dialects.client.content import call_part, reasoning_parts, text_parts
from conformance.dialects.client.fields import Event, Part, counts, object_, string
from conformance.dialects.client.machine import done
from conformance.dialects.client.transport import Traits


class VscodeEmitter:
    """Creates parts of the `vscode` vocabulary, which has no choices and no partial calls."""

    all_choices: ClassVar[bool] = False

    def __init__(self, traits: Event) -> None:
        del traits

    def text(self, choice: int, value: str) -> list[Part]:  # noqa: ARG002
        return text_parts(value)

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]:  # noqa: ARG002
        return reasoning_parts("thinking", reasoning.text, metadata=reasoning.fields)

    def begin_call(self, choice: int, call_id: str, name: str) -> list[Part]:  # noqa: ARG002
        return []

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:  # noqa: ARG002
        return [call_part(call.id, call.name, call.input) for call in made]

    def extras(self, data: Event) -> list[Part]:  # noqa: ARG002
        return []

    def close(self, ending: Ending) -> list[Part]:  # noqa: ARG002
        return []

    def done(self, ending: Ending) -> dict[str, object]:
        usage = counts(ending.usage, COUNTS)
        return done(ending.finish, usage, ending.failure, as_text=ending.shown_as_text)


def part_content(part: Event) -> PartContent:
    """The content of an emitted part, for later requests."""
    kind = part.get("type")
    if kind == "text":
        return PartContent(text=string(part, "value"))
    if kind == "toolCall":
        return PartContent(
            calls=((string(part, "callId"), string(part, "name"), part.get("input")),)
        )
    return PartContent(reasoning=object_(part, "metadata"))


Adapter = partial(ChatAdapter, "reference-chat-vscode", part_content, emitter=VscodeEmitter)
"""Creates an adapter from its traits, and optionally another machine and emitter."""


def adapter(traits: Traits | None = None) -> ChatAdapter:
    """Create the adapter; an `adapter.yaml` may name this function."""
    return Adapter(traits)
