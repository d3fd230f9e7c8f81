"""The parts that a language model provider of the AI SDK streams, and Effect's beside them.

The spelling is that of the AI SDK's provider parts (specification V2 to V4); where Effect has names
of its own (``tool-params-*``, ``params``, ``reason``) they are read alike. These parts say
themselves how the response ended: a ``finish`` has its reason and usage, an ``error`` is a failure
whatever the run's own ending says.

A call that the provider has executed itself is none that the host is asked for. Nor is one whose
input is no JSON object: a provider may hand on what the model wrote, and its host, which parses it,
marks the call as invalid and runs nothing. It counts as a failure that was told.

A custom tool is called with a text, which stands in the input as a JSON string. That it is one says
the beginning of the input (``inputEncoding: text``), so a function's call with a string stays an
invalid one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_of_source_part
from conformance.contract.reading import ReadError, Reading
from conformance.contract.transcript import End, ReportedError
from conformance.vocabularies.fold import (
    Found,
    Spoils,
    bad_part,
    counted,
    settled,
    spoilt_by_type,
)
from conformance.vocabularies.vocabulary import BadPart
from mockserver.call_arguments import Arguments, read_arguments, read_value
from mockserver.dialects.json_fields import text
from mockserver.scenario.model import Citation

if TYPE_CHECKING:
    from conformance.contract.traits import Traits

# Provider parts; what Effect calls otherwise stands where it is read.

_SPOILS: Spoils = {
    "text-delta": frozenset({"text"}),
    "reasoning-delta": frozenset({"thinking"}),
    "tool-call": frozenset({"calls"}),
    "source": frozenset({"citations"}),
    "file": frozenset({"data"}),
}
# A stream that broke off ("interrupted", V4) is told by its reason, as an error is.
_REASONS = {"unknown": "other", "pause": "other", "interrupted": "error"}


@dataclass(frozen=True, slots=True)
class _Stream:
    name: str = "stream"
    impossible: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def bad(self, part: Any) -> BadPart | None:
        return bad_part(self.name, part, spoilt_by_type(_SPOILS))

    def under(self, traits: Traits) -> _Stream:  # noqa: ARG002
        return self

    def ended(
        self,
        parts: Sequence[Any],
        end: End | None,
        *,
        cancelled: bool = False,  # noqa: ARG002
    ) -> End | None:
        if end is None:
            return None
        finish: Mapping[str, Any] = next((p for p in reversed(parts) if _type(p) == "finish"), {})
        errors = _errors(parts)
        reason = end.finish or _reason(finish)
        told = errors[0].error if errors else _invalid(parts)
        failed = told is not None or reason == "error"
        usage = _usage(finish.get("usage"))
        return settled(end, told, failed=failed, finish=reason, usage=usage)

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        found = Found()
        takes = _TAKES | {"tool-call": partial(_take_call, texts=_texts(parts))}
        for n, part in enumerate(parts):
            if isinstance(part, dict) and (take := takes.get(_type(part))):
                take(found, part, n)
        return found.reading(self.ended(parts, end), _errors(parts))

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text-delta", "id": "0", "delta": value}

    def thinking(self, value: str) -> dict[str, Any]:
        return {"type": "reasoning-delta", "id": "0", "delta": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        arguments = json.dumps(input_, ensure_ascii=False)
        known = {"toolCallId": call_id, "toolName": name}
        return {"type": "tool-call", **known, "input": arguments}

    def citation(self, citation: Citation) -> dict[str, Any]:
        known = citation.fields()
        if citation.url:
            return {"type": "source", "sourceType": "url", "id": citation.url, **known}
        identity = {"fileId": citation.file_id, "containerId": citation.container_id}
        return {
            "type": "source",
            "sourceType": "document",
            "id": citation.file_id,
            "title": citation.title or citation.filename,
            "filename": citation.filename,
            "providerMetadata": {"openai": {name: id_ for name, id_ in identity.items() if id_}},
        }

    def data(self, mime_type: str, data: str) -> dict[str, Any]:
        return {"type": "file", "mediaType": mime_type, "data": data}


def _take_text(found: Found, part: dict[str, Any], n: int) -> None:
    found.text.add(text(part.get("delta")), n)


def _take_thinking(found: Found, part: dict[str, Any], _n: int) -> None:
    found.thinking.append(text(part.get("delta")))


def _take_call(found: Found, part: dict[str, Any], n: int, *, texts: frozenset[str]) -> None:
    id_, name = _id(part), part.get("toolName", part.get("name"))
    if not (isinstance(id_, str) and isinstance(name, str)) or part.get("providerExecuted"):
        return
    if _valid(part, texts):
        found.call(id_, name, _input(part).value, n)


def _take_file(found: Found, part: dict[str, Any], n: int) -> None:
    data = part.get("data")
    data = data.get("data") if isinstance(data, dict) else data
    if isinstance(data, str) and isinstance(type_ := part.get("mediaType"), str):
        found.file(type_, data, n)


def _take_source(found: Found, part: dict[str, Any], n: int) -> None:
    citation = citation_of_source_part(part)
    if citation.fields():
        found.citation(citation, n)


_TAKES: dict[str, Callable[[Found, dict[str, Any], int], None]] = {
    "text-delta": _take_text,
    "reasoning-delta": _take_thinking,
    "file": _take_file,
    "source": _take_source,
}


def _type(part: Any) -> str:
    return str(part.get("type")) if isinstance(part, dict) else ""


def _id(call: Mapping[str, Any]) -> Any:
    return call.get("toolCallId", call.get("id"))


def _input(part: Mapping[str, Any]) -> Arguments:
    """The input of a call. Effect's is parsed already, and left out where it is empty."""
    if "params" in part or "toolCallId" not in part:
        return read_value(part.get("params", {}))
    return read_arguments(part.get("input"))


def _texts(parts: Sequence[Any]) -> frozenset[str]:
    """The ids of the calls whose input begins as a text: those of custom tools."""
    starts = (p for p in parts if _type(p) == "tool-input-start")
    texts = (p.get("id") for p in starts if p.get("inputEncoding") == "text")
    return frozenset(id_ for id_ in texts if isinstance(id_, str))


def _valid(call: Mapping[str, Any], texts: frozenset[str]) -> bool:
    """Whether the input is what its tool takes: an object, or text for a custom tool."""
    id_, input_ = _id(call), _input(call)
    if isinstance(id_, str) and id_ in texts:
        return input_.kind == "not an object" and isinstance(input_.value, str)
    return input_.usable


def _errors(parts: Sequence[Any]) -> tuple[ReadError, ...]:
    """The failures that have a part of their own."""
    return tuple(
        ReadError(_told(part.get("error")), n)
        for n, part in enumerate(parts)
        if _type(part) == "error"
    )


def _invalid(parts: Sequence[Any]) -> ReportedError | None:
    """What the host itself makes of a call that it cannot parse."""
    texts = _texts(parts)
    calls = (part for part in parts if _type(part) == "tool-call")
    invalid = not all(_valid(call, texts) for call in calls)
    return ReportedError("decode", "the input of a call is no JSON object") if invalid else None


def _told(error: Any) -> ReportedError:
    """What an error says: itself, or the error inside it."""
    if not isinstance(error, dict):
        return ReportedError("upstream", error if isinstance(error, str) else json.dumps(error))
    layers = list(_layers(error))
    message = next((told for e in layers if (told := text(e.get("message")))), "")
    code = next((told for e in layers if (told := text(e.get("code")))), "")
    return ReportedError("upstream", message or json.dumps(error, ensure_ascii=False), code)


def _layers(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """An error and those that it was made of, outermost first."""
    yield error
    for name in ("error", "response", "data", "cause"):
        if isinstance(inner := error.get(name), dict):
            yield from _layers(inner)


def _reason(finish: Mapping[str, Any]) -> str | None:
    reason = finish.get("finishReason", finish.get("reason"))
    reason = reason.get("unified") if isinstance(reason, dict) else reason
    return _REASONS.get(reason, reason) if isinstance(reason, str) else None


def _usage(usage: Any) -> dict[str, int] | None:
    """Tokens of either side, as far as they are told."""
    if not isinstance(usage, dict):
        return None
    sides = {"input": usage.get("inputTokens"), "output": usage.get("outputTokens")}
    totals = {side: t.get("total") if isinstance(t, dict) else t for side, t in sides.items()}
    return counted(totals)


STREAM = _Stream()
