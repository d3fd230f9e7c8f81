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
        yield Send("finish-step", {**why, "usage": usage(end.usage)})
        yield Send("finish", {**why, "totalUsage": usage(end.usage)})


def usage(used: Usage | None) -> dict[str, Any]:
    """Token counts as ai 6 has them; what it does not know is undefined there."""
    if used is None:
        undefined = ("inputTokens", "inputTokenDetails", "outputTokens", "outputTokenDetails")
        return dict.fromkeys((*undefined, "totalTokens"))
    return {
        "inputTokens": used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        "outputTokens": used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        "totalTokens": used.input + used.output,
    }
