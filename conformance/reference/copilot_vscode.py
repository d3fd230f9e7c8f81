"""Chat completions in, VS Code parts out: `chat` is the machine, this is how it speaks."""

from __future__ import annotations

from typing import ClassVar

from conformance.reference import transport
from conformance.reference.chat import Chat
from conformance.reference.chat_arguments import Arguments
from conformance.reference.chat_request import Spoken, request
from conformance.reference.chat_thoughts import Thought
from conformance.reference.chat_usage import counted
from conformance.reference.fields import Event, Part, object_, string
from conformance.reference.transport import Traits, Upstream
from conformance.reference.voice import Close, Made

DIALECT = "copilot"


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
    "reference-copilot-vscode",
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
