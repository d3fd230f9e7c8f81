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
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.citations import of_source
from conformance.contract.reading import ReadCall, ReadCitation, ReadData, ReadError, Reading, Text
from conformance.contract.transcript import End, Told
from conformance.vocabularies.vocabulary import ANYTHING, BadPart, canonical, departure
from mockserver.json_text import reject_constant
from mockserver.scenario.model import Citation
from mockserver.shipped import schema

if TYPE_CHECKING:
    from conformance.contract.traits import Traits

# What a part of this type would have added, had it been a part.
_SPOILS = {
    "text-delta": frozenset({"text"}),
    "reasoning-delta": frozenset({"thinking"}),
    "tool-call": frozenset({"calls"}),
    "source": frozenset({"citations"}),
    "file": frozenset({"data"}),
}
# A stream that broke off ("interrupted", V4) is told by its reason, as an error is.
_REASONS = {"unknown": "other", "pause": "other", "interrupted": "error"}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("parts/stream"))


@dataclass(frozen=True, slots=True)
class _Stream:
    name: str = "stream"
    impossible: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def bad(self, part: Any) -> BadPart | None:
        if not isinstance(part, dict):
            return BadPart(f"a part is an object, not {type(part).__name__}", ANYTHING)
        why = departure(_validator(), part)
        return BadPart(why, _SPOILS.get(str(part.get("type")), ANYTHING)) if why else None

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
        told = errors[0].told if errors else _invalid(parts)
        failed = end.outcome == "completed" and (bool(told) or reason == "error")
        return replace(
            end,
            outcome="failed" if failed else end.outcome,
            finish=reason,
            usage=end.usage or _usage(finish.get("usage")),
            error=end.error or told,
        )

    def read(self, parts: Sequence[Any], end: End | None) -> Reading:
        found = _Found(texts=_texts(parts))
        for n, part in enumerate(parts):
            if isinstance(part, dict) and (take := _TAKES.get(_type(part))):
                take(found, part, n)
        ended = self.ended(parts, end)
        return Reading(
            text=str(found.text),
            thinking="".join(found.thinking),
            calls=tuple(found.calls),
            data=tuple(found.data),
            citations=tuple(found.citations),
            outcome=ended.outcome if ended else None,
            finish=ended.finish if ended else None,
            usage=ended.usage if ended else None,
            error=asdict(ended.error) if ended and ended.error else None,
            spans=found.text.spans,
            errors=_errors(parts),
        )

    def text(self, value: str) -> dict[str, Any]:
        return {"type": "text-delta", "id": "0", "delta": value}

    def thinking(self, value: str) -> dict[str, Any]:
        return {"type": "reasoning-delta", "id": "0", "delta": value}

    def call(self, call_id: str, name: str, input_: Any) -> dict[str, Any]:
        text = json.dumps(input_, ensure_ascii=False)
        return {"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": text}

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


@dataclass(slots=True)
class _Found:
    """What parts amount to so far."""

    text: Text = field(default_factory=Text)
    thinking: list[str] = field(default_factory=list)
    calls: list[ReadCall] = field(default_factory=list)
    data: list[ReadData] = field(default_factory=list)
    citations: list[ReadCitation] = field(default_factory=list)
    # The ids of the calls whose input is a text.
    texts: frozenset[str] = frozenset()

    def take_text(self, part: dict[str, Any], n: int) -> None:
        self.text.add(_text(part.get("delta")), n)

    def take_thinking(self, part: dict[str, Any], _n: int) -> None:
        self.thinking.append(_text(part.get("delta")))

    def take_call(self, part: dict[str, Any], n: int) -> None:
        id_, name = _id(part), part.get("toolName", part.get("name"))
        if not (isinstance(id_, str) and isinstance(name, str)) or part.get("providerExecuted"):
            return
        if _valid(part, self.texts):
            input_ = _input(part)
            self.calls.append(ReadCall(id_, name, input_, self.text.length, n))

    def take_file(self, part: dict[str, Any], n: int) -> None:
        data = part.get("data")
        data = data.get("data") if isinstance(data, dict) else data
        if isinstance(data, str) and isinstance(type_ := part.get("mediaType"), str):
            self.data.append(ReadData(type_, canonical(data), n))

    def take_source(self, part: dict[str, Any], n: int) -> None:
        citation = of_source(part)
        if citation.fields():
            self.citations.append(ReadCitation(citation, n))


_TAKES: dict[str, Callable[[_Found, dict[str, Any], int], None]] = {
    "text-delta": _Found.take_text,
    "reasoning-delta": _Found.take_thinking,
    "tool-call": _Found.take_call,
    "file": _Found.take_file,
    "source": _Found.take_source,
}


def _type(part: Any) -> str:
    return str(part.get("type")) if isinstance(part, dict) else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _id(call: Mapping[str, Any]) -> Any:
    return call.get("toolCallId", call.get("id"))


def _input(part: Mapping[str, Any]) -> Any:
    """The parsed input; no text at all is an empty object, as the AI SDK's own core has it.

    Effect has no parameters at all where there are none. None where it cannot be parsed.
    """
    if "params" in part or "toolCallId" not in part:
        return part.get("params", {})
    text = part.get("input")
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text, parse_constant=reject_constant) if text.strip() else {}
    except (ValueError, RecursionError):
        return None


def _texts(parts: Sequence[Any]) -> frozenset[str]:
    """The ids of the calls whose input begins as a text: those of custom tools."""
    starts = (p for p in parts if _type(p) == "tool-input-start")
    texts = (p.get("id") for p in starts if p.get("inputEncoding") == "text")
    return frozenset(id_ for id_ in texts if isinstance(id_, str))


def _valid(call: Mapping[str, Any], texts: frozenset[str]) -> bool:
    """Has it an input with which a function, or one with which a custom tool is called?"""
    id_ = _id(call)
    return isinstance(_input(call), str if isinstance(id_, str) and id_ in texts else dict)


def _errors(parts: Sequence[Any]) -> tuple[ReadError, ...]:
    """The failures that have a part of their own."""
    return tuple(
        ReadError(_told(part.get("error")), n)
        for n, part in enumerate(parts)
        if _type(part) == "error"
    )


def _invalid(parts: Sequence[Any]) -> Told | None:
    """What the host itself makes of a call that it cannot parse."""
    texts = _texts(parts)
    calls = (part for part in parts if _type(part) == "tool-call")
    invalid = not all(_valid(call, texts) for call in calls)
    return Told("decode", "the input of a call is no JSON object") if invalid else None


def _told(error: Any) -> Told:
    """What an error says: itself, or the error inside it."""
    if not isinstance(error, dict):
        return Told("upstream", error if isinstance(error, str) else json.dumps(error))
    layers = list(_layers(error))
    message = next((text for e in layers if (text := _text(e.get("message")))), "")
    code = next((text for e in layers if (text := _text(e.get("code")))), "")
    return Told("upstream", message or json.dumps(error, ensure_ascii=False), code)


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
    told = {side: total for side, total in totals.items() if type(total) is int}
    return told or None


STREAM = _Stream()
