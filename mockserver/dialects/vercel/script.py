"""Translates a neutral script into the parts of one of the three dialects.

The order of parts is the same in all of them: blocks of text and reasoning start, stream and end,
possibly interleaved; the input of a call is streamed, and then a part has the complete call.
A ``Layer`` makes the parts of one dialect. Refusals are sent as text, since no dialect has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mockserver.dialects.translator import Block, Translator
from mockserver.dialects.vercel.layers import Call, Ending, Layer
from mockserver.foundation.call_arguments import read_arguments
from mockserver.scenario.script import Cite, Failed, Finish, Incomplete, Send, Start

_BLOCKS = {"text": "text", "refusal": "text", "reasoning": "reasoning"}
_PREFIXES = {"text": "txt", "refusal": "txt", "reasoning": "rs", "call": ""}


@dataclass
class _Block(Block):
    """Each part of a reasoning gets an id of its own, which ends with the number of the part."""

    id: str = ""
    part: int = 0
    in_block: bool = False

    @property
    def type(self) -> str:
        return _BLOCKS[self.start.kind]

    @property
    def part_id(self) -> str:
        """The ``id`` of its parts."""
        return f"{self.id}:{self.part}" if self.start.kind == "reasoning" else self.id

    def open_part(self) -> Iterator[Send]:
        self.in_block = True
        yield Send(f"{self.type}-start", {"id": self.part_id})

    def close_part(self, encrypted: str = "") -> Iterator[Send]:
        if self.in_block:
            metadata = {"providerMetadata": {"openai": {"reasoningEncryptedContent": encrypted}}}
            yield Send(f"{self.type}-end", {"id": self.part_id, **(metadata if encrypted else {})})
        self.in_block = False


class PartTranslator(Translator[_Block]):
    """Translates the steps of a script into the parts that a layer makes."""

    _cited = 0

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self._layer = layer

    def begin(self) -> Iterator[Send]:
        return self._layer.start()

    def make_block(self, step: Start) -> _Block:
        return _Block(step, id=f"{_PREFIXES[step.kind]}_{len(self.blocks)}")

    def start(self, block: _Block) -> Iterator[Send]:
        if block.start.kind == "call":
            yield from self._layer.start_call(Call(block.start.call_id, block.start.name))
        elif block.start.kind != "reasoning":
            yield from block.open_part()

    def extend(self, block: _Block, delta: str) -> Iterator[Send]:
        if block.start.kind == "call":
            yield from self._layer.extend_call(block.start.call_id, delta)
            return
        if not block.in_block:
            yield from block.open_part()
        yield from self._layer.extend_block(block.type, block.part_id, delta)

    def start_part(self, block: _Block) -> Iterator[Send]:
        yield from block.close_part()
        block.part += 1
        yield from block.open_part()

    def cite(self, _block: _Block, step: Cite) -> Iterator[Send]:
        yield from self._layer.cite(step.citation, f"source_{self._cited}")
        self._cited += 1

    def end(self, block: _Block) -> Iterator[Send]:
        start = block.start
        if start.kind == "call":
            read = read_arguments(block.text)
            yield from self._layer.end_call(Call(start.call_id, start.name, block.text, read))
            return
        if start.encrypted and not block.in_block:
            yield from block.open_part()
        yield from block.close_part(start.encrypted)

    def finish(self, step: Finish) -> Iterator[Send]:
        return self._end_response(step.reason)

    def cut_short(self, step: Incomplete) -> Iterator[Send]:
        for block in self.open.values():
            yield from block.close_part()
        yield from self._end_response(step.reason, step.word)

    def fail(self, step: Failed) -> Iterator[Send]:
        yield from self._layer.fail(step.message, step.code)
        yield from self._end_response("error")

    def _end_response(self, reason: str, raw: str = "") -> Iterator[Send]:
        return self._layer.finish(Ending(reason, raw or reason.replace("-", "_"), self.usage))
