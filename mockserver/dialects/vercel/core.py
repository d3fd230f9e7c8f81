"""The parts of ``streamText().fullStream``, as ai 6 has them.

Source: ai (TextStreamPart); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.dialects.vercel import usage
from mockserver.dialects.vercel.field_names import NAMES
from mockserver.dialects.vercel.invalid_calls import error_of, input_of
from mockserver.dialects.vercel.layer import Call, Ending, Parts
from mockserver.dialects.vercel.parts import V6
from mockserver.scenario.script import Send


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
        fields = {**known, names.input: input_of(call), "dynamic": True}
        error = error_of(call)
        yield Send("tool-call", {**fields, "invalid": True, names.error: error})
        yield Send("tool-error", {**fields, names.error: error["message"]})

    def finish(self, ending: Ending) -> Iterator[Send]:
        why = {"finishReason": ending.reason, "rawFinishReason": ending.raw}
        for type_, name in (("finish-step", "usage"), ("finish", self.names.usage)):
            used = {name: usage.v6(ending.usage)} if ending.usage else {}
            unknown = () if ending.usage else tuple((name, *count) for count in usage.COUNTS)
            yield Send(type_, {**why, **used}, absent=unknown)
