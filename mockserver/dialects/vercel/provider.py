"""Provider parts, as the AI Gateway streams them; ``specifications`` has their other versions.

Source: @ai-sdk/provider (LanguageModelV3StreamPart), @ai-sdk/gateway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.layer import Call, Ending, Parts
from mockserver.scenario.script import Send, Usage


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
