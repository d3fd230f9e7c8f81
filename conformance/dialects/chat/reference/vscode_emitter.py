"""Emits the parts of the `vscode` vocabulary for the machine of chat completions."""

from __future__ import annotations

from typing import ClassVar

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.emitter import Ending, ReleasedCall
from conformance.dialects.chat.reference.reasoning import ReasoningPiece
from conformance.dialects.chat.reference.usage import counted
from conformance.dialects.client.fields import Event, Part
from conformance.dialects.client.machine import done


class VscodeEmitter:
    """Creates parts of the `vscode` vocabulary, which has no choices and no partial calls."""

    all_choices: ClassVar[bool] = False

    def __init__(self, traits: Event) -> None:
        del traits

    def text(self, choice: int, value: str) -> list[Part]:  # noqa: ARG002
        return [{"type": "text", "value": value}]

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]:  # noqa: ARG002
        return [{"type": "thinking", "value": reasoning.text, "metadata": reasoning.metadata}]

    def call_progress(
        self, choice: int, call_id: str, name: str, arguments: Arguments
    ) -> list[Part]:
        del choice, call_id, name, arguments
        return []

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:  # noqa: ARG002
        return [
            {"type": "toolCall", "callId": call.id, "name": call.name, "input": call.input}
            for call in made
        ]

    def extras(self, data: Event) -> list[Part]:  # noqa: ARG002
        return []

    def close(self, ending: Ending) -> list[Part]:  # noqa: ARG002
        return []

    def done(self, ending: Ending) -> dict[str, object]:
        usage = counted(ending.usage)
        return done(ending.finish, usage, ending.failure, as_text=ending.shown_as_text)
