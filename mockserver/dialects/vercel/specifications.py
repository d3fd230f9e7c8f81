"""Converts provider parts to the specification version that a request asks for.

Parts are written as V3 has them, or with fields of V4. The other versions have fewer types and
fields, and a client of one of them may fail at what it does not know: ai 5 throws at an unknown
type. Fields that a scenario writes in the form of another version are not changed.

Source: @ai-sdk/provider (LanguageModelV2StreamPart to V4).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.foundation.json_fields import mapping
from mockserver.wire.event import Event, Step

V2, V3, V4 = "2", "3", "4"
FORMS = (V3, V2, V4)
"""Specification versions of provider parts, the default first; a request header names one."""

_Part = dict[str, Any]

_USAGE = NAMES[parts.GATEWAY].usage
_INPUT, _OUTPUT = NAMES[parts.GATEWAY].input_tokens, NAMES[parts.GATEWAY].output_tokens

_SINCE_V4 = frozenset({"custom", "ping", "reasoning-file"})
_TYPES_WITHOUT = {V2: _SINCE_V4 | {"tool-approval-request"}, V3: _SINCE_V4, V4: frozenset[str]()}
"""The types that a version does not have."""

_FIELDS_SINCE_V4 = {"text-end": ("citations",)}
_FIELDS_WITHOUT: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    V2: {
        **_FIELDS_SINCE_V4,
        "tool-input-start": ("dynamic", "inputEncoding", "title"),
        "tool-call": ("dynamic",),
        "tool-result": ("dynamic", "preliminary"),
        "file": ("providerMetadata",),
    },
    V3: _FIELDS_SINCE_V4,
    V4: {},
}
"""By type: the fields that a version does not have."""


def apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    """Convert parts of V3 to a specification version, and leave out those that it has not.

    A file that is given by its URL has a form in V4 alone. An unknown version is answered with V3.
    """
    form = form if form in FORMS else V3
    return [
        _convert(step, form) if isinstance(step, Event) and not step.ignorable else step
        for step in steps
        if not (isinstance(step, Event) and _is_foreign(step, form))
    ]


def _is_foreign(event: Event, form: str) -> bool:
    if event.ignorable or form == V4:
        return False
    by_url = event.type == "file" and mapping(event.data.get("data")).get("type") == "url"
    return by_url or event.type in _TYPES_WITHOUT[form]


def _convert(event: Event, form: str) -> Event:
    missing = _FIELDS_WITHOUT[form].get(event.type, ())
    kept = {name: value for name, value in event.data.items() if name not in missing}
    convert = _CONVERSIONS[form].get(event.type)
    return replace(event, data=convert(kept) if convert else kept)


def _convert_result_to_v2(part: _Part) -> _Part:
    """The result of a tool, which in V2 says that the provider has run it."""
    return {**part, "providerExecuted": True}


def _convert_finish_to_v2(part: _Part) -> _Part:
    changed = dict(part)
    if isinstance(part.get("finishReason"), dict):
        changed["finishReason"] = _REASONS_V2.get(reason := parts.reason(part), reason)
    if isinstance(used := part.get(_USAGE), dict):
        changed[_USAGE] = _flatten(used)
    return changed


# An interrupted answer has no finish reason of its model.
_REASONS_V2 = {"interrupted": "unknown", "": "unknown"}


def _flatten(used: Mapping[str, Any]) -> _Part:
    """Token counts in the form of V2, which is flat; counts that are flat are not changed."""
    given, made = used.get(_INPUT), used.get(_OUTPUT)
    if not isinstance(given, dict) or not isinstance(made, dict):
        return dict(used)
    totals = (given.get("total"), made.get("total"))
    known = all(isinstance(count, int) for count in totals)
    counts = {
        _INPUT: given.get("total"),
        _OUTPUT: made.get("total"),
        "totalTokens": sum(count for count in totals if isinstance(count, int)) if known else None,
        "reasoningTokens": made.get("reasoning"),
        "cachedInputTokens": given.get("cacheRead"),
    }
    return {name: count for name, count in counts.items() if count is not None}


def _convert_finish_to_v3(part: _Part) -> _Part:
    found = mapping(part.get("finishReason"))
    if found.get("unified") != "interrupted":
        return part
    return {**part, "finishReason": {**found, "unified": "other"}}


def _convert_file_to_v4(part: _Part) -> _Part:
    """Wrap the data of a file: in V4 it has a type, since it may also be a URL."""
    data = part.get("data")
    return {**part, "data": {"type": "data", "data": data}} if isinstance(data, str) else part


_CONVERSIONS: Mapping[str, Mapping[str, Callable[[_Part], _Part]]] = {
    V2: {"tool-result": _convert_result_to_v2, "finish": _convert_finish_to_v2},
    V3: {"finish": _convert_finish_to_v3},
    V4: {"file": _convert_file_to_v4, "reasoning-file": _convert_file_to_v4},
}
