"""The reference adapter from chat completions to Copilot's own deltas and completions.

It emits what Copilot Chat makes of a stream, without losing any of it. Every call is announced,
then sent in updates that each have all arguments so far, and emitted with the finish of its choice.
The last parts are one completion for each choice, with its finish reason.
"""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from conformance.dialects.chat.reference.adapter import ChatAdapter, PartContent
from conformance.dialects.chat.reference.calls import Arguments, ReleasedCall
from conformance.dialects.chat.reference.machine import Ending, ReasoningPiece
from conformance.dialects.client.fields import Event, Part, integer, object_, objects, string
from conformance.dialects.client.transport import Traits

CHUNK_FIELDS = {
    "copilot_references": "copilotReferences",
    "copilot_errors": "copilotErrors",
    "copilot_confirmation": "copilotConfirmation",
}
ANNOTATION_FIELDS = {"CodeVulnerability": "codeVulnAnnotations", "IPCodeCitations": "ipCitations"}
"""Fields that only Copilot sends, of chunks and of deltas, with their names in its vocabulary."""


UPDATE_SHARE = 16
"""An update is sent when the arguments have grown by 1/16 since the last one."""


class CopilotEmitter:
    """Creates parts of the `copilot` vocabulary, in which each part has the index of its choice."""

    all_choices: ClassVar[bool] = True

    def __init__(self, traits: Event) -> None:
        self._blank = traits.get("blank_before_call") is True
        self._in_part = traits.get("errors") == "part"
        self._merges = traits.get("choices") == "merge"
        self._choices_with_text: set[int] = set()
        self._begun: dict[
            int, dict[str, int]
        ] = {}  # by choice and call id: length of the arguments sent

    def text(self, choice: int, value: str) -> list[Part]:
        self._choices_with_text.add(choice)
        return [_delta(choice, value)]

    def thinking(self, choice: int, reasoning: ReasoningPiece) -> list[Part]:
        content: dict[str, object] = {"text": reasoning.text} if reasoning.text else {}
        if reasoning.encrypted_field == "cot_id":
            content["id"] = reasoning.encrypted
        elif reasoning.encrypted:
            content |= {"id": reasoning.encrypted_field, "encrypted": reasoning.encrypted}
        return [_delta(choice, "", {"thinking": {**content, "metadata": reasoning.metadata}})]

    def call_progress(
        self, choice: int, call_id: str, name: str, arguments: Arguments
    ) -> list[Part]:
        parts = self._begin(choice, call_id, name)
        sent = self._begun[choice][call_id]
        # Each update repeats those before it, so longer arguments get fewer updates.
        if arguments.length > sent + sent // UPDATE_SHARE and (so_far := arguments.safe_prefix()):
            self._begun[choice][call_id] = arguments.length
            update = {"id": call_id, "name": name, "arguments": so_far}
            parts.append(_delta(choice, "", {"copilotToolCallStreamUpdates": [update]}))
        return parts

    def _begin(self, choice: int, call_id: str, name: str) -> list[Part]:
        begun = self._begun.setdefault(choice, {})
        if call_id in begun:
            return []
        blank = " " if self._blank and choice in self._choices_with_text and not begun else ""
        begun[call_id] = 0
        return [_delta(choice, blank, {"beginToolCalls": [{"name": name, "id": call_id}]})]

    def calls(self, choice: int, made: list[ReleasedCall]) -> list[Part]:
        functions = [{"name": c.name, "arguments": c.arguments} for c in made if c.legacy]
        current = [call for call in made if not call.legacy]
        parts = [part for call in current for part in self._begin(choice, call.id, call.name)]
        calls = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in current]
        if calls:
            parts.append(_delta(choice, "", {"copilotToolCalls": calls}))
        if functions:
            parts.append(_delta(choice, "", {"_deprecatedCopilotFunctionCalls": functions}))
        return parts

    def extras(self, data: Event) -> list[Part]:
        parts = _named(0, CHUNK_FIELDS, data)
        for choice in objects(data, "choices"):
            noted = object_(object_(choice, "delta"), "copilot_annotations")
            parts += _named(integer(choice, "index") or 0, ANNOTATION_FIELDS, noted)
        return parts

    def close(self, ending: Ending) -> list[Part]:
        """One completion for each choice; a failed one has none if failures are rejections."""
        usage = {"usage": dict(ending.usage)} if ending.usage else {}
        parts = [
            _completion(choice, reason, usage)
            for choice, reason in ending.reasons.items()
            if choice not in ending.failed
        ]
        if not (self._in_part or ending.shown_as_text):
            return parts
        error = {name: value for name, value in ending.failure.items() if name != "kind"}
        return parts + [_completion(n, "error", {"error": error}) for n in ending.failed]

    def done(self, ending: Ending) -> dict[str, object]:
        fails = any(choice == 0 or self._merges for choice in ending.failed)
        if fails and not (self._in_part or ending.shown_as_text):
            return {"type": "done", "outcome": "failed", "error": dict(ending.failure)}
        return {"type": "done", "outcome": "completed"}


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
    thinking = object_(delta, "thinking")
    made = [(string(call, "id"), call) for call in objects(delta, "copilotToolCalls")]
    functions = objects(delta, "_deprecatedCopilotFunctionCalls")
    made += [(f"function_call_{n}", call) for n, call in enumerate(functions)]
    return PartContent(
        text=string(delta, "text"),
        reasoning_pieces=((string(thinking, "text"), object_(thinking, "metadata")),)
        if thinking
        else (),
        calls=tuple((id_, string(call, "name"), string(call, "arguments")) for id_, call in made),
    )


Adapter = partial(ChatAdapter, "reference-chat-copilot", part_content, emitter=CopilotEmitter)
"""Creates an adapter from its traits, and optionally another machine and emitter."""


def adapter(traits: Traits | None = None) -> ChatAdapter:
    """Create the adapter, with failures as parts; an `adapter.yaml` may name this function."""
    return Adapter({"errors": "part", **(traits or {})})
