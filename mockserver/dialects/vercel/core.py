"""The parts of ``streamText().fullStream``, as ai 6 has them.

Source: ai (TextStreamPart); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.layer import Call, Ending, Parts, invalid
from mockserver.dialects.vercel.parts import V6
from mockserver.scenario.script import Send, Usage


class Core(Parts):
    """Makes parts of ``fullStream``, which a program reads."""

    names = NAMES[V6]

    def start(self) -> Iterator[Send]:
        yield Send("start")
        yield Send("start-step")

    def end_call(self, call: Call) -> Iterator[Send]:
        names = self.names
        yield Send("tool-input-end", {names.input_id: call.id})
        known = {names.call_id: call.id, "toolName": call.name}
        if call.input is not None:
            yield Send("tool-call", {**known, names.input: call.input})
            return
        fields = {**known, names.input: call.arguments, "dynamic": True}
        error = invalid(call)
        yield Send("tool-call", {**fields, "invalid": True, names.error: error})
        yield Send("tool-error", {**fields, names.error: error["message"]})

    def finish(self, ending: Ending) -> Iterator[Send]:
        why = {"finishReason": ending.reason, "rawFinishReason": ending.raw}
        for type_, name in (("finish-step", "usage"), ("finish", self.names.usage)):
            used = {name: usage(ending.usage)} if ending.usage else {}
            unknown = () if ending.usage else tuple((name, count) for count in _COUNTS)
            yield Send(type_, {**why, **used}, absent=unknown)


_INPUT, _OUTPUT = Core.names.input_tokens, Core.names.output_tokens
# If usage is not reported, its counts are undefined, but the usage object is sent.
_COUNTS = (_INPUT, "inputTokenDetails", _OUTPUT, "outputTokenDetails", "totalTokens")


def usage(used: Usage) -> dict[str, Any]:
    """Token counts in the form of ai 6."""
    return {
        _INPUT: used.input,
        "inputTokenDetails": {"noCacheTokens": used.input, "cacheReadTokens": 0},
        _OUTPUT: used.output,
        "outputTokenDetails": {"textTokens": used.output, "reasoningTokens": 0},
        "totalTokens": used.input + used.output,
    }
