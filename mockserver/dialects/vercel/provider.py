"""Provider parts, as the AI Gateway streams them: LanguageModelV3, and V2 and V4 by request.

Source: @ai-sdk/provider (LanguageModelV2StreamPart to V4), @ai-sdk/gateway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.json_fields import mapping
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.spelling import Call, End, Parts
from mockserver.scenario.model import Send, Usage
from mockserver.wire.event import Event, Step

V2, V3, V4 = "2", "3", "4"
FORMS = (V3, V2, V4)
"""Specifications of the provider's parts; a request names one in its header."""


class Provider(Parts):
    """The layer below the SDK's core."""

    names = NAMES[parts.GATEWAY]

    def begins(self) -> Iterator[Send]:
        yield Send("stream-start")
        yield Send("response-metadata")

    def call_ends(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        yield Send("tool-call", {**known, names.input: call.arguments})

    def ends(self, end: End) -> Iterator[Send]:
        reason = {"unified": end.reason, "raw": end.raw}
        used = {self.names.usage: usage(end.usage)} if end.usage else {}
        yield Send("finish", {**used, "finishReason": reason}, absent=() if end.usage else _UNKNOWN)


_INPUT, _OUTPUT = Provider.names.input_tokens, Provider.names.output_tokens
_COUNTS = {
    _INPUT: ("total", "noCache", "cacheRead"),
    _OUTPUT: ("total", "text", "reasoning"),
}

# Where nobody knows the counts they are undefined; the usage that would hold them is there.
_UNKNOWN = tuple(
    (Provider.names.usage, side, count) for side, counts in _COUNTS.items() for count in counts
)


def usage(used: Usage) -> dict[str, Any]:
    """Token counts as V3 and V4 have them."""
    return {
        _INPUT: {"total": used.input, "noCache": used.input, "cacheRead": 0},
        _OUTPUT: {"total": used.output, "text": used.output, "reasoning": 0},
    }


def formed(steps: Sequence[Step], form: str) -> Sequence[Step]:
    """The parts in the form that a request asks for; written they are in that of V3.

    What a scenario gives in another form is sent as it is given.
    """
    change = _FORMS.get(form)
    if change is None:
        return steps
    return [
        replace(step, data=change(step.data)) if isinstance(step, Event) else step for step in steps
    ]


def _as_v2(data: dict[str, Any]) -> dict[str, Any]:
    changed = dict(data)
    if isinstance(data.get("finishReason"), dict):
        changed["finishReason"] = _old_reason(parts.reason(data))
    if isinstance(used := data.get(Provider.names.usage), dict):
        changed[Provider.names.usage] = _flat(used)
    return changed


def _as_v4(data: dict[str, Any]) -> dict[str, Any]:
    """Bytes say what they are: in V4 a file may be one that is elsewhere."""
    if data.get("type") == "file" and isinstance(data.get("data"), str):
        return {**data, "data": {"type": "data", "data": data["data"]}}
    return data


_FORMS = {V2: _as_v2, V4: _as_v4}


def _old_reason(reason: str) -> str:
    return reason or "unknown"


def _flat(used: Mapping[str, Any]) -> dict[str, Any]:
    """Token counts as V2 has them; what is flat already stays."""
    sides = {name: used.get(name) for name in _COUNTS}
    if not all(isinstance(side, dict) for side in sides.values()):
        return dict(used)
    totals = {name: mapping(side).get("total") for name, side in sides.items()}
    counts = [count for count in totals.values() if isinstance(count, int)]
    return {**totals, "totalTokens": sum(counts)} if len(counts) == len(totals) else totals
