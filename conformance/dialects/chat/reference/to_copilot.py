"""The reference adapter from chat completions to Copilot's own deltas and completions.

It emits what Copilot Chat makes of a stream, without losing any of it. Every call is announced, and
emitted with the finish of its choice. The last parts are one completion for each choice, with its
finish reason.
"""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from conformance.dialects.chat.reference.adapter import ChatAdapter, PartContent
from conformance.dialects.chat.reference.calls import ReleasedCall
from conformance.dialects.chat.reference.machine import Ending, ReasoningPiece
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.machine import done
from conformance.dialects.client.transport import Traits

CHUNK_FIELDS = {
    "copilot_references": "copilotReferences",
    "copilot_errors": "copilotErrors",
    "copilot_confirmation": "copilotConfirmation",
}
ANNOTATION_FIELDS = {"CodeVulnerability": "codeVulnAnnotations", "IPCodeCitations": "ipCitations"}
"""Fields that only Copilot sends, of chunks and of deltas, with their names in its vocabulary."""


class CopilotEmitter:
    """Creates parts of the `copilot` vocabulary, in which each part has the index of its choice."""

    all_choices: ClassVar[bool] = True

    def __init__(self, traits: Event) -> None:
        self._blank = traits.get("blank_before_call") is True
        self._rejects = traits.get("errors") not in ("part", "text")
        self._choices_with_text: set[int] = set()
        self._begun: set[tuple[int, str]] = set()

    def text(self, choice: int, value: str) -> list[Part]:
        self._choices_with_text.add(choice)
        return [_delta(choice, value)]

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]:
        shown = {"text": reasoning.text} if reasoning.text else {}
        return [_delta(choice, "", {"thinking": {**shown, "metadata": reasoning.fields}})]

    def begin_call(self, choice: int, call_id: str, name: str) -> list[Part]:
        if (choice, call_id) in self._begun:
            return []
        is_first = choice not in {each for each, _ in self._begun}
        blank = " " if self._blank and is_first and choice in self._choices_with_text else ""
        self._begun.add((choice, call_id))
        return [_delta(choice, blank, {"beginToolCalls": [{"name": name, "id": call_id}]})]

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:
        parts = [part for call in made for part in self.begin_call(choice, call.id, call.name)]
        calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in made]
        return [*parts, _delta(choice, "", {"copilotToolCalls": calls})]

    def extras(self, data: Event) -> list[Part]:
        parts = _named(0, CHUNK_FIELDS, data)
        for choice in objects(data, "choices"):
            noted = object_(object_(choice, "delta"), "copilot_annotations")
            parts += _named(integer(choice, "index") or 0, ANNOTATION_FIELDS, noted)
        return parts

    def close(self, ending: Ending) -> list[Part]:
        """One completion for each choice; a failed one has none if failures are rejections."""
        usage = {"usage": dict(ending.usage)} if ending.usage else {}
        error = {name: value for name, value in ending.failure.items() if name != "kind"}
        return [
            _completion(choice, reason, usage)
            if reason
            else _completion(choice, "error", {"error": error})
            for choice, reason in ending.reasons.items()
            if reason or not self._rejects
        ]

    def done(self, ending: Ending) -> dict[str, object]:
        failure = ending.failure if self._rejects else {}
        return done("", {}, failure, as_text=False)


def _named(choice: int, names: Mapping[str, str], data: Event) -> list[Part]:
    fields = {ours: data[theirs] for theirs, ours in names.items() if data.get(theirs)}
    return [_delta(choice, "", fields)] if fields else []


def _delta(choice: int, text: str, more: Event | None = None) -> Part:
    return {"type": "delta", "index": choice, "delta": {"text": text, **(more or {})}}


def _completion(choice: int, reason: str, more: Event) -> Part:
    return {"type": "completion", "index": choice, "reason": reason, **more}


def part_content(part: Event) -> PartContent:
    """The content of an emitted part, for later requests."""
    delta = object_(part, "delta")
    made = objects(delta, "copilotToolCalls")
    return PartContent(
        text=string(delta, "text"),
        reasoning=object_(object_(delta, "thinking"), "metadata"),
        calls=tuple((string(c, "id"), string(c, "name"), string(c, "arguments")) for c in made),
    )


Adapter = partial(ChatAdapter, "reference-chat-copilot", part_content, emitter=CopilotEmitter)
"""Creates an adapter from its traits, and optionally another machine and emitter."""


def adapter(traits: Traits | None = None) -> ChatAdapter:
    """Create the adapter, with failures as parts; an `adapter.yaml` may name this function."""
    return Adapter({"errors": "part", **(traits or {})})
