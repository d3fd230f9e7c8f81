"""``fullStream``: what a program gets from the SDK's core, in the words of ai 6.

Source: ai (TextStreamPart); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.parts import V6
from mockserver.dialects.vercel.spelling import Call, End, Parts, invalid
from mockserver.scenario.model import Send, Usage


class Core(Parts):
    """The layer that a program reads."""

    names = NAMES[V6]

    def begins(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def call_ends(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-call", {**known, names.input: call.input})
            return
        told = {**known, names.input: call.arguments, "dynamic": True}
        wrong = invalid(call)
        yield Send("tool-call", {**told, "invalid": True, names.error: wrong})
        yield Send("tool-error", {**told, names.error: wrong["message"]})

    def ends(self, end: End) -> Iterator[Send]:
        why = {"finishReason": end.reason, "rawFinishReason": end.raw}
        yield Send("finish-step", {**why, "usage": usage(end.usage)})
        yield Send("finish", {**why, self.names.usage: usage(end.usage)})


def usage(used: Usage | None) -> dict[str, Any]:
    """Token counts as ai 6 has them; what it does not know is undefined there."""
    sides = Core.names.input_tokens, Core.names.output_tokens
    if used is None:
        undefined = (sides[0], "inputTokenDetails", sides[1], "outputTokenDetails")
        return dict.fromkeys((*undefined, "totalTokens"))
    return {
        sides[0]: used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        sides[1]: used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        "totalTokens": used.input + used.output,
    }
