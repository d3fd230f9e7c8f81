"""Provider parts, as the AI Gateway streams them: LanguageModelV3, or V2 or V4 if requested.

Source: @ai-sdk/provider (LanguageModelV2StreamPart to V4), @ai-sdk/gateway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.json_fields import mapping
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.layer import Call, Ending, Parts
from mockserver.scenario.script import Send, Usage
from mockserver.wire.event import Event, Step

V2, V3, V4 = "2", "3", "4"
FORMS = (V3, V2, V4)
"""Specification versions of provider parts, the default first; a request header names one."""


class Provider(Parts):
    """Makes provider parts, which the SDK's core reads."""

    names = NAMES[parts.GATEWAY]
    has_empty_text = True

    def start(self) -> Iterator[Send]:
        yield Send("stream-start")
        yield Send("response-metadata")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        yield Send("tool-call", {**known, names.input: call.arguments})

    def finish(self, ending: Ending) -> Iterator[Send]:
        reason = {"unified": ending.reason, "raw": ending.raw}
        used = {self.names.usage: usage(ending.usage)} if ending.usage else {}
        yield Send(
            "finish", {**used, "finishReason": reason}, absent=() if ending.usage else _UNKNOWN
        )


_INPUT, _OUTPUT = Provider.names.input_tokens, Provider.names.output_tokens
_COUNTS = {
    _INPUT: ("total", "noCache", "cacheRead"),
    _OUTPUT: ("total", "text", "reasoning"),
}

# If usage is not reported, its counts are undefined, but the usage object is sent.
_UNKNOWN = tuple(
    (Provider.names.usage, side, count) for side, counts in _COUNTS.items() for count in counts
)


def usage(used: Usage) -> dict[str, Any]:
    """Token counts in the form of V3 and V4."""
    return {
        _INPUT: {"total": used.input, "noCache": used.input, "cacheRead": 0},
        _OUTPUT: {"total": used.output, "text": used.output, "reasoning": 0},
    }


def apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    """Convert parts of V3 to the specification version that a request asks for.

    Fields that a scenario writes in the form of another version are not changed. A file that is
    given by its URL has a form in V4 alone, so it is left out of the others.
    """
    change = _FORMS.get(form, _as_v3)
    return [
        replace(step, data=change(step.data)) if isinstance(step, Event) else step
        for step in steps
        if form == V4 or not _is_file_by_url(step)
    ]


def _is_file_by_url(step: Step) -> bool:
    data = step.data if isinstance(step, Event) else {}
    return data.get("type") == "file" and mapping(data.get("data")).get("type") == "url"


def _as_v3(data: dict[str, Any]) -> dict[str, Any]:
    return data


def _as_v2(data: dict[str, Any]) -> dict[str, Any]:
    changed = dict(data)
    if isinstance(data.get("finishReason"), dict):
        changed["finishReason"] = _old_reason(parts.reason(data))
    if isinstance(used := data.get(Provider.names.usage), dict):
        changed[Provider.names.usage] = _flat(used)
    return changed


def _as_v4(data: dict[str, Any]) -> dict[str, Any]:
    """Wrap the data of a file: in V4 it has a type, since it may also be a URL."""
    if data.get("type") == "file" and isinstance(data.get("data"), str):
        return {**data, "data": {"type": "data", "data": data["data"]}}
    return data


_FORMS = {V2: _as_v2, V4: _as_v4}


def _old_reason(reason: str) -> str:
    return reason or "unknown"


def _flat(used: Mapping[str, Any]) -> dict[str, Any]:
    """Token counts in the form of V2, which is flat; counts that are flat are not changed."""
    sides = {name: used.get(name) for name in _COUNTS}
    if not all(isinstance(side, dict) for side in sides.values()):
        return dict(used)
    totals = {name: mapping(side).get("total") for name, side in sides.items()}
    counts = [count for count in totals.values() if isinstance(count, int)]
    return {**totals, "totalTokens": sum(counts)} if len(counts) == len(totals) else totals
