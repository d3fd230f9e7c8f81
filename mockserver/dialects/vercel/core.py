"""``fullStream``: what a program gets from the SDK's core, in the words of ai 6.

Source: ai (TextStreamPart); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockserver.dialects.vercel.spelling import Call, End, Parts, invalid
from mockserver.scenario.model import Send, Usage


class Core(Parts):
    """The layer that a program reads."""

    delta = "text"

    def begins(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def call_ends(self, call: Call) -> Iterator[Send]:
        yield Send("tool-input-end", {"id": call.id})
        known = {"toolCallId": call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-call", {**known, "input": call.input})
            return
        told = {**known, "input": call.arguments, "dynamic": True}
        wrong = invalid(call)
        yield Send("tool-call", {**told, "invalid": True, "error": wrong})
        yield Send("tool-error", {**told, "error": wrong["message"]})

    def ends(self, end: End) -> Iterator[Send]:
        why = {"finishReason": end.reason, "rawFinishReason": end.raw}
        for type_, name in (("finish-step", "usage"), ("finish", "totalUsage")):
            used = {name: usage(end.usage)} if end.usage else {}
            unknown = () if end.usage else tuple((name, count) for count in _COUNTS)
            yield Send(type_, {**why, **used}, absent=unknown)


# Where nobody knows a count it is undefined; the usage that would hold it is there.
_COUNTS = (
    "inputTokens", "inputTokenDetails", "outputTokens", "outputTokenDetails", "totalTokens",
)  # fmt: skip


def usage(used: Usage) -> dict[str, Any]:
    """Token counts as ai 6 has them."""
    return {
        "inputTokens": used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        "outputTokens": used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        "totalTokens": used.input + used.output,
    }
