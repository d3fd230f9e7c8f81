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
        for type_, name in (("finish-step", "usage"), ("finish", self.names.usage)):
            used = {name: usage(end.usage)} if end.usage else {}
            unknown = () if end.usage else tuple((name, count) for count in _COUNTS)
            yield Send(type_, {**why, **used}, absent=unknown)


_INPUT, _OUTPUT = Core.names.input_tokens, Core.names.output_tokens
# Where nobody knows a count it is undefined; the usage that would hold it is there.
_COUNTS = (_INPUT, "inputTokenDetails", _OUTPUT, "outputTokenDetails", "totalTokens")


def usage(used: Usage) -> dict[str, Any]:
    """Token counts as ai 6 has them."""
    return {
        _INPUT: used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        _OUTPUT: used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        "totalTokens": used.input + used.output,
    }
