"""Chat completions in, Copilot's own deltas and completions out.

What Copilot Chat makes of a stream, but without losing any of it: every call is announced, grows in
updates that each hold all of its arguments so far, and leaves with the finish of its choice. How
the response ended is said last, by one completion for each choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.emitter import Close, Made
from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.reasoning import Thought
from conformance.dialects.chat.reference.request import Spoken, request
from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.transport import Traits, Upstream

DIALECT = "chat"

OF_CHUNKS = {
    "copilot_references": "copilotReferences",
    "copilot_errors": "copilotErrors",
    "copilot_confirmation": "copilotConfirmation",
}
OF_DELTAS = {
    "CodeVulnerability": "codeVulnAnnotations",
    "IPCodeCitations": "ipCitations",
}
"""Fields that only Copilot sends, and the names under which its host knows them."""


UPDATE_SHARE = 16
"""The next update comes with so much more of the arguments, as a share of what was told."""


class CopilotVoice:
    """Speaks the `copilot` vocabulary: choices are told apart by the host."""

    hears_all: ClassVar[bool] = True

    def __init__(self, traits: Event) -> None:
        self._blank = traits.get("blank_before_call") is True
        self._in_part = traits.get("errors") == "part"
        self._merges = traits.get("choices") == "merge"
        self._spoke: set[int] = set()
        self._begun: dict[int, dict[str, int]] = {}  # how much was told of each call's arguments

    def text(self, choice: int, value: str) -> list[Part]:
        self._spoke.add(choice)
        return [_delta(choice, value)]

    def thinking(self, choice: int, thought: Thought) -> list[Part]:
        told: dict[str, object] = {"text": thought.text} if thought.text else {}
        if thought.opaque_spelling == "cot_id":
            told["id"] = thought.opaque
        elif thought.opaque:
            told |= {"id": thought.opaque_spelling, "encrypted": thought.opaque}
        return [_delta(choice, "", {"thinking": {**told, "metadata": thought.metadata}})]

    def grown(self, choice: int, call_id: str, name: str, arguments: Arguments) -> list[Part]:
        parts = self._begin(choice, call_id, name)
        told = self._begun[choice][call_id]
        # Each update repeats those before it: the longer they are, the fewer there may be.
        if arguments.length > told + told // UPDATE_SHARE and (so_far := arguments.certain()):
            self._begun[choice][call_id] = arguments.length
            update = {"id": call_id, "name": name, "arguments": so_far}
            parts.append(_delta(choice, "", {"copilotToolCallStreamUpdates": [update]}))
        return parts

    def _begin(self, choice: int, call_id: str, name: str) -> list[Part]:
        begun = self._begun.setdefault(choice, {})
        if call_id in begun:
            return []
        blank = " " if self._blank and choice in self._spoke and not begun else ""
        begun[call_id] = 0
        return [_delta(choice, blank, {"beginToolCalls": [{"name": name, "id": call_id}]})]

    def calls(self, choice: int, made: list[Made]) -> list[Part]:
        functions = [{"name": c.name, "arguments": c.arguments} for c in made if c.legacy]
        whole = [call for call in made if not call.legacy]
        parts = [part for call in whole for part in self._begin(choice, call.id, call.name)]
        calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in whole]
        if calls:
            parts.append(_delta(choice, "", {"copilotToolCalls": calls}))
        if functions:
            parts.append(_delta(choice, "", {"_deprecatedCopilotFunctionCalls": functions}))
        return parts

    def extras(self, data: Event) -> list[Part]:
        parts = _named(0, OF_CHUNKS, data)
        for choice in objects(data, "choices"):
            noted = object_(object_(choice, "delta"), "copilot_annotations")
            parts += _named(integer(choice, "index") or 0, OF_DELTAS, noted)
        return parts

    def close(self, ending: Close) -> list[Part]:
        """One completion for each choice; where failures are rejections, none for what failed."""
        told = {"usage": dict(ending.usage)} if ending.usage else {}
        parts = [
            _completion(choice, reason, told)
            for choice, reason in ending.reasons.items()
            if choice not in ending.failed
        ]
        if not (self._in_part or ending.told):
            return parts
        error = {name: value for name, value in ending.failure.items() if name != "kind"}
        return parts + [_completion(n, "error", {"error": error}) for n in ending.failed]

    def done(self, ending: Close) -> dict[str, object]:
        fails = any(choice == 0 or self._merges for choice in ending.failed)
        if fails and not (self._in_part or ending.told):
            return {"type": "done", "outcome": "failed", "error": dict(ending.failure)}
        return {"type": "done", "outcome": "completed"}


def _named(choice: int, names: Mapping[str, str], data: Event) -> list[Part]:
    told = {ours: data[theirs] for theirs, ours in names.items() if data.get(theirs)}
    return [_delta(choice, "", told)] if told else []


def _delta(choice: int, text: str, more: Event | None = None) -> Part:
    return {"type": "delta", "index": choice, "delta": {"text": text, **(more or {})}}


def _completion(choice: int, reason: str, more: Event) -> Part:
    return {"type": "completion", "index": choice, "reason": reason, **more}


def spoken(part: Event) -> Spoken:
    """What one emitted part says, for sending it back."""
    delta = object_(part, "delta")
    thinking = object_(delta, "thinking")
    made = [(string(call, "id"), call) for call in objects(delta, "copilotToolCalls")]
    functions = objects(delta, "_deprecatedCopilotFunctionCalls")
    made += [(f"function_call_{n}", call) for n, call in enumerate(functions)]
    return Spoken(
        text=string(delta, "text"),
        thoughts=((string(thinking, "text"), object_(thinking, "metadata")),) if thinking else (),
        calls=tuple((id_, string(call, "name"), string(call, "arguments")) for id_, call in made),
    )


UPSTREAM = Upstream(
    "reference-chat-copilot",
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
        voice: type[CopilotVoice] = CopilotVoice,
    ) -> None:
        """Raises ValueError where a trait has a value that it cannot have."""
        super().__init__(UPSTREAM, lambda given: machine(voice, given), traits)


def adapter(traits: Traits | None = None) -> Adapter:
    """The factory that an `adapter.yaml` names."""
    return Adapter({"errors": "part", **(traits or {})})
