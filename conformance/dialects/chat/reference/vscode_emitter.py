"""How a machine of chat completions speaks to VS Code."""

from __future__ import annotations

from typing import ClassVar

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.emitter import Close, Made
from conformance.dialects.chat.reference.reasoning import Thought
from conformance.dialects.chat.reference.usage import counted
from conformance.dialects.client.fields import Event, Part


class VscodeVoice:
    """Speaks the `vscode` vocabulary: calls come whole, and there are no choices."""

    hears_all: ClassVar[bool] = False

    def __init__(self, traits: Event) -> None:
        del traits

    def text(self, choice: int, value: str) -> list[Part]:  # noqa: ARG002
        return [{"type": "text", "value": value}]

    def thinking(self, choice: int, thought: Thought) -> list[Part]:  # noqa: ARG002
        return [{"type": "thinking", "value": thought.text, "metadata": thought.metadata}]

    def grown(self, choice: int, call_id: str, name: str, arguments: Arguments) -> list[Part]:
        del choice, call_id, name, arguments
        return []

    def calls(self, choice: int, made: list[Made]) -> list[Part]:  # noqa: ARG002
        return [
            {"type": "toolCall", "callId": call.id, "name": call.name, "input": call.input}
            for call in made
        ]

    def extras(self, data: Event) -> list[Part]:  # noqa: ARG002
        return []

    def close(self, ending: Close) -> list[Part]:  # noqa: ARG002
        return []

    def done(self, ending: Close) -> dict[str, object]:
        if ending.failure and not ending.told:
            return {"type": "done", "outcome": "failed", "error": dict(ending.failure)}
        usage = counted(ending.usage)
        told = {"usage": usage} if usage and not ending.failure else {}
        return {"type": "done", "outcome": "completed", "finish": ending.finish, **told}
