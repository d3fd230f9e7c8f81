"""Translates a neutral script into chunks.

Chunks have no items: consecutive texts are joined, a call is identified by its index, and nothing
says that a single text or call has ended. Only the finish reason says how the response ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.chat.chunks import (
    DELTA,
    ENCRYPTED_FIELDS,
    ERROR,
    FINISH,
    REASONING_FIELDS,
    USAGE,
)
from mockserver.dialects.translator import Block, Translator
from mockserver.scenario.script import BlockKind, Failed, Finish, Incomplete, Send, Start

_FIELDS: dict[BlockKind, str] = {
    "text": "content",
    "reasoning": REASONING_FIELDS[0],
    "refusal": "refusal",
}
"""The field of a delta in which each kind of block is streamed, except calls."""

_REASONS = {
    "stop": "stop",
    "tool-calls": "tool_calls",
    "length": "length",
    "content-filter": "content_filter",
}


@dataclass
class _Block(Block):
    """``n`` is the index of a call among the calls."""

    n: int = 0

    def call(self, **fields: Any) -> Send:
        return Send(DELTA, {"tool_calls": [{"index": self.n, **fields}]})


class ChunkTranslator(Translator[_Block]):
    """Translates the steps of a script into chunks."""

    _calls = 0

    def make_block(self, step: Start) -> _Block:
        self._calls += step.kind == "call"
        return _Block(step, n=self._calls - 1)

    def begin(self) -> Iterator[Send]:
        yield Send(DELTA, {"role": "assistant", "content": ""})

    def start(self, block: _Block) -> Iterator[Send]:
        start = block.start
        if start.kind == "call":
            function = {"name": start.name, "arguments": ""}
            yield block.call(id=start.call_id, type="function", function=function)

    def extend(self, block: _Block, delta: str) -> Iterator[Send]:
        if block.start.kind == "call":
            yield block.call(function={"arguments": delta})
        else:
            yield Send(DELTA, {_FIELDS[block.start.kind]: delta})

    def end(self, block: _Block) -> Iterator[Send]:
        if block.start.encrypted:
            yield Send(DELTA, {ENCRYPTED_FIELDS[0]: block.start.encrypted})

    def finish(self, step: Finish | Incomplete) -> Iterator[Send]:
        yield Send(FINISH, {"reason": _REASONS[step.reason]})
        if used := self.usage:
            counts = {
                "prompt_tokens": used.input,
                "completion_tokens": used.output,
                "total_tokens": used.input + used.output,
            }
            yield Send(USAGE, counts, on_request=True)

    cut_short = finish

    def fail(self, step: Failed) -> Iterator[Send]:
        yield Send(ERROR, {"message": step.message, "code": step.code})
