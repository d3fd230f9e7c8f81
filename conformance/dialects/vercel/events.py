"""What single parts of the AI SDK say: usage, ending, reasoning and tools, and a summary.

All dialects and generations are described alike, under any names of fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects.dialect import Ending, Sent, Tool, Usage
from conformance.dialects.json_search import USAGE_DETAILS, usage_by_side
from conformance.dialects.short_text import clip, compact, failure, quoted
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.gateway import VERSION
from mockserver.dialects.vercel.messages import reasoning
from mockserver.foundation.json_fields import mapping, text
from mockserver.foundation.schemas import accepts, validator
from mockserver.scenario.script import Send

_ENDINGS: Mapping[str, Ending] = {"error": "failed", "abort": "incomplete"}
_REASONS: Mapping[str, Ending] = {
    "error": "failed",
    "length": "incomplete",
    "content-filter": "incomplete",
}
_SIDES = {"input": names("input_tokens"), "output": names("output_tokens"), **USAGE_DETAILS}
_BLOCK = frozenset({"reasoning-start", "reasoning-delta", "reasoning-end"})
# The parts of ai 4 with encrypted reasoning, and the fields that have it.
_ENCRYPTED_IN_AI_4 = {"reasoning-signature": "signature", "redacted-reasoning": "data"}
# The parts that begin or make a call.
_CALLS = frozenset(
    {"tool-input-start", "tool-call", "tool-call-streaming-start", "tool-input-available"}
)
_BEGINNINGS = frozenset({"start", "stream-start"})
# Other wires have events of these types as well.
_SHARED = frozenset({"error", "ping"})


def recognises(dialect: str, data: Mapping[str, Any]) -> bool:
    """Whether the data is a valid part of a type that only the AI SDK has.

    The three dialects share most types of parts; a stream is in the dialect for which most of its
    parts are valid.
    """
    type_ = data.get("type")
    if not isinstance(type_, str) or (type_ in _SHARED and dialect != parts.UI):
        return False
    return is_valid_part(dialect, dict(data))


def is_valid_part(dialect: str, data: dict[str, Any]) -> bool:
    """Whether the data is a valid part of a type that the dialect has."""
    return parts.is_known(dialect, data["type"]) and accepts(validator(f"events/{dialect}"), data)


def begins(data: Mapping[str, Any]) -> str:
    """The message's id, or else a new id, if the part begins a stream; empty if not.

    Parts have no id of their response, so each such part begins another response.
    """
    if text(data.get("type")) not in _BEGINNINGS:
        return ""
    return text(data.get("messageId")) or str(id(data))


def usages(data: Mapping[str, Any]) -> Iterator[Usage]:
    """The usage of all steps, then that of the part itself."""
    return usage_by_side((data.get("totalUsage"), data.get("usage")), _SIDES)


def usages_of_steps(answer: Sequence[SentEvent]) -> Sequence[Usage]:
    """The usage of several steps added up, if no other part has the total usage; else empty."""
    steps = [mapping(event.data) for event in answer if event.type in parts.STEP_ENDS]
    others = (event for event in answer if event.type not in parts.STEP_ENDS)
    if len(steps) < 2 or any(any(usages(mapping(event.data))) for event in others):
        return ()
    used = list(usage_by_side((step.get("usage") for step in steps), _SIDES))
    return ({side: _sum(used, side) for side in _SIDES},)


def _sum(used: Sequence[Usage], side: str) -> int:
    counts = (usage.get(side) for usage in used)
    return sum(count for count in counts if isinstance(count, int))


def find_encrypted(sent: Sequence[SentEvent]) -> Iterator[str]:
    """The encrypted content of each block of reasoning; of several in one block, the last.

    Only parts of reasoning are searched, because inputs and outputs of calls may have fields of any
    name.
    """
    found: dict[str, str] = {}
    for event in sent:
        part = mapping(event.data)
        if event.type in _BLOCK:
            id_ = text(part.get("id"))
            found[id_] = reasoning(part, "providerMetadata").encrypted or found.get(id_, "")
        if event.type == "reasoning-end":
            yield found.pop(text(part.get("id")))
        if field := _ENCRYPTED_IN_AI_4.get(event.type):
            yield text(part.get(field))
    yield from found.values()


def tools(step: Send) -> Iterator[Tool]:
    """The tool that a part calls; a dynamic tool, which no request names, is skipped."""
    name = step.fields.get("toolName")
    if step.type in _CALLS and isinstance(name, str) and name and not step.fields.get("dynamic"):
        yield {"name": name}


def provider_parts(answer: Sequence[SentEvent], headers: Mapping[str, str]) -> Iterator[Sent]:
    """The parts of a provider that the AI Gateway streams, as a client with these headers has them.

    A client of the specification V2 knows no preliminary results, so it reads them as final ones.
    """
    unknown = {"preliminary"} if headers.get(VERSION) == "2" else set()
    for event in answer:
        if event.kind == "event" and isinstance(event.data, dict):
            yield event, {name: v for name, v in event.data.items() if name not in unknown}


def ending(type_: str, part: Mapping[str, Any]) -> Ending:
    """How the response ends by the word of a part."""
    if type_ == "finish":
        return _REASONS.get(parts.reason(part), "completed")
    return _ENDINGS.get(type_, "")


def reasons(type_: str, part: Mapping[str, Any]) -> Iterator[str]:
    """The reason in a ``finish`` part."""
    if type_ == "finish":
        yield parts.reason(part)


_ID_FIELDS = (*names("call_id", "input_id", "source_id"), "messageId", "approvalId")
_LABEL_FIELDS = (
    *("toolName", "modelId"),
    *names("media_type"),
    *("kind", "filename", "url", "reason"),
)
_DELTA_FIELDS = names("text_delta", "reasoning_delta", "input_delta")
"""The fields with the delta of a block or an input."""
_VALUE_FIELDS = (*names("input", "output"), "data", "rawValue")
"""The fields with a complete value."""


def summary(type_: str, part: Mapping[str, Any]) -> str:
    """The type of a part, its ids and labels, its delta or values, and its error."""
    return " ".join(filter(None, (type_, *_words(part))))


def _words(part: Mapping[str, Any]) -> Iterator[str]:
    yield from map(clip, _find_labels(part))
    if (said := _find_delta(part)) is not None:
        yield quoted(said)
    for value in _find_values(part):
        yield clip(value) if isinstance(value, str) else compact(value)
    yield failure(part.get("error")) or clip(text(part.get("errorText")))


def _find_labels(part: Mapping[str, Any]) -> Iterator[str]:
    """The ids and labels of a part, such as its tool, kind, source and finish reason."""
    source = mapping(part.get("source")) or part
    yield next((found for name in _ID_FIELDS if (found := text(source.get(name)))), "")
    held = mapping(part.get("file"))
    yield from (text(source.get(name)) or text(held.get(name)) for name in _LABEL_FIELDS)
    yield text(mapping(part.get("toolCall")).get(NAMES[parts.USUAL].call_id))
    yield parts.reason(part)
    yield "preliminary" if part.get("preliminary") is True else ""


def _find_delta(part: Mapping[str, Any]) -> str | None:
    """The delta of a part; None if it has none."""
    found = (part[name] for name in _DELTA_FIELDS if name in part)
    return next((value for value in found if isinstance(value, str)), None)


def _find_values(part: Mapping[str, Any]) -> Iterator[Any]:
    """The complete values in a part, without the bytes of files."""
    if part.get("type") not in ("file", "reasoning-file", "redacted-reasoning"):
        # A result may repeat the input of its call; only its output is shown.
        values = [part[name] for name in _VALUE_FIELDS if name in part]
        yield from values[-1:]
