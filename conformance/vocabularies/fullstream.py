"""The parts of ``streamText().fullStream`` of the AI SDK (``stream`` since ai 7), of ai 5 to 7.

The core of the SDK makes each of them from a part of a provider, and adds those about steps. So a
part is read as the part of ``stream`` that it was made from: a delta is in ``text``, the input of a
call is parsed, a file is an object, and ``finish`` has the usage of all steps.

The core checks calls: one that is marked ``invalid`` is not a call for the host, and counts as a
reported failure. It compares an input with its schema only where the application has a validator,
so a call whose input is not an object is not one for the host either, as in ``stream``.

``abort`` ends a run that was cancelled, or that took too long.

``stream_parts`` has the parts of both vocabularies under one set of names, for rules on framing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.reading import Reading
from conformance.contract.transcript import Emitted, End, ReportedError, Transcript
from conformance.vocabularies.stream import STREAM
from conformance.vocabularies.vocabulary import CallNotRun, Vocabulary, merge_end
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Citation


class _FullStream(Vocabulary):
    def fold_end(self, parts: Sequence[Any], end: End, cancelled: bool) -> End:
        ended = STREAM.fold_end(_forms_to_read(parts), end, cancelled)
        error = next((_refusal(part) for part in parts if _is_invalid_call(part)), None)
        aborted = error is None and ended.outcome == "completed" and "abort" in map(_type_of, parts)
        ended = replace(ended, outcome="cancelled") if aborted else ended
        failed, finish, usage = error is not None, ended.finish, ended.usage
        return merge_end(ended, error, failed=failed, finish=finish, usage=usage)

    def calls_not_run(self, parts: Sequence[Any]) -> tuple[CallNotRun, ...]:
        marked = (
            CallNotRun(
                text(part.get("toolCallId")), "marked as invalid", n, reason=_refusal(part).message
            )
            for n, part in enumerate(parts)
            if _is_invalid_call(part)
        )
        return (*marked, *STREAM.calls_not_run(_forms_to_read(parts)))

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        reading = STREAM.read(_forms_to_read(parts), end)
        ended = self.ended(parts, end)
        outcome, error = (ended.outcome, ended.error) if ended else (None, None)
        return replace(reading, outcome=outcome, error=error.to_json() if error else None)

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text-delta", "id": "0", "text": value}

    def thinking(self, value: str) -> dict[str, Any]:
        return {"type": "reasoning-delta", "id": "0", "text": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        return {"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": input_}

    def citation(self, citation: Citation) -> dict[str, Any]:
        return STREAM.citation(citation)

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return {"type": "file", "file": {"mediaType": mime_type, "base64": data}}


def is_about_run(part: Any) -> bool:
    """Whether a part has nothing of the answer: the start of the run, or that it was aborted."""
    return _type_of(part) in ("start", "abort")


def _is_invalid_call(part: Any) -> bool:
    """Whether a part is a call that the core of the SDK has found invalid."""
    return _type_of(part) == "tool-call" and part.get("invalid") is True


def _type_of(part: Any) -> str:
    """The type of a part; empty if it is not an object, or names none."""
    return text(mapping(part).get("type"))


def _refusal(call: dict[str, Any]) -> ReportedError:
    """The failure that an invalid call is, with the message of its own error."""
    error = call.get("error")
    message = text(mapping(error).get("message")) or text(error)
    return ReportedError("decode", message or f"a call of {text(call.get('toolName'))} is invalid")


def _forms_to_read(parts: Sequence[Any]) -> list[Any]:
    """For each part its form in ``stream``; None for invalid calls, which are not read."""
    return [None if _is_invalid_call(part) else provider_part(part) for part in parts]


def provider_part(part: Any) -> Any:
    """The part of ``stream`` that a part was made from; parts without such a form are unchanged."""
    match _type_of(part):
        case "text-delta" | "reasoning-delta":
            return {**_without(part, "text"), "delta": part.get("text")}
        case "tool-call":
            # With its parsed input as ``params``, as Effect has it.
            id_, name = part.get("toolCallId"), part.get("toolName")
            known = {"id": id_, "name": name, "params": part.get("input")}
            return {**_without(part, "toolCallId", "toolName", "input"), **known}
        case "tool-error":
            return {**part, "type": "tool-result", "isError": True}
        case "tool-approval-request":
            return {**part, "toolCallId": mapping(part.get("toolCall")).get("toolCallId")}
        case "file":
            file = mapping(part.get("file"))
            known = {"mediaType": file.get("mediaType"), "data": file.get("base64")}
            return {**_without(part, "file"), **known}
        case "finish":
            return {**_without(part, "totalUsage"), "usage": part.get("totalUsage")}
    return part


def _without(part: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}


# The first part is ``start``.
FULLSTREAM = _FullStream("fullstream", STREAM.pieces, STREAM.unsupported_traits, leading_parts=1)

_EFFECT_NAMES = {
    "tool-params-start": "tool-input-start",
    "tool-params-delta": "tool-input-delta",
    "tool-params-end": "tool-input-end",
}
_OF_CALLS = frozenset({"tool-call", "tool-result", "tool-approval-request"})


@dataclass(frozen=True, slots=True)
class StreamPart:
    """One part: its number, its type, the id of its block or call, and the name of its tool.

    An id that is not a text is None, and a missing name is empty. ``written`` is the type as
    emitted. ``step`` counts the steps that have started; a part of a provider is in none.
    """

    n: int
    type: str
    id: str | None
    name: str
    written: str
    fields: Mapping[str, Any]
    step: int = 0

    @property
    def provider_executed(self) -> bool:
        return self.fields.get("providerExecuted") is True

    @property
    def is_preliminary(self) -> bool:
        return self.fields.get("preliminary") is True

    @property
    def delta(self) -> str:
        return text(self.fields.get("delta"))

    @property
    def approval_id(self) -> str:
        return text(self.fields.get("approvalId"))


def stream_parts(emitted: Iterable[Emitted], vocabulary: str = "stream") -> Iterator[StreamPart]:
    """The parts that are objects with a type, as the AI SDK's providers name them."""
    form = provider_part if vocabulary == FULLSTREAM.name else lambda part: part
    step = 0
    for each in emitted:
        part = form(each.part)
        if isinstance(part, Mapping) and (given := text(part.get("type"))):
            type_ = _EFFECT_NAMES.get(given, given)
            id_ = part.get("toolCallId", part.get("id")) if type_ in _OF_CALLS else part.get("id")
            name = part.get("toolName", part.get("name"))
            id_ = id_ if isinstance(id_, str) else None
            step += type_ == "start-step"
            yield StreamPart(each.n, type_, id_, text(name), each.part["type"], part, step)


def parts_of_type(transcripts: Iterable[Transcript], type_: str) -> Iterator[StreamPart]:
    """The parts of one type that were emitted in several turns."""
    for each in transcripts:
        parts = stream_parts(each.parts, each.vocabulary)
        yield from (part for part in parts if part.type == type_)
