"""Translates a neutral script into the parts of one of the three dialects.

The order of parts is the same in all of them: blocks of text and reasoning start, stream and end,
possibly interleaved; the input of a call is streamed, and then a part has the complete call.
``spelling`` has the names of the parts. Refusals are sent as text, since no dialect has them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.vercel.layer import Call, Ending, Layer
from mockserver.foundation.call_arguments import read_arguments
from mockserver.scenario.script import (
    Cite,
    Common,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    NoUsage,
    Queued,
    SayStep,
    Send,
    SendStep,
    Start,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BLOCKS = {"text": "text", "refusal": "text", "reasoning": "reasoning"}
_PREFIXES = {"text": "txt", "refusal": "txt", "reasoning": "rs", "call": ""}


def translate(steps: Sequence[SayStep], layer: Layer) -> tuple[SendStep, ...]:
    """The script as parts without their derived fields, which ``complete`` fills in."""
    return tuple(_Translator(layer).all(steps))


@dataclass
class _Block:
    """A block that is being streamed; each part of a reasoning gets an id of its own."""

    start: Start
    id: str
    part: int = 0
    in_block: bool = False
    input: list[str] = field(default_factory=list)

    @property
    def part_id(self) -> str:
        """The ``id`` of its parts."""
        return f"{self.id}:{self.part}" if self.start.kind == "reasoning" else self.id


@dataclass
class _Translator:
    """Translates steps in order; ``said`` counts the characters for the usage report."""

    layer: Layer
    blocks: dict[str, _Block] = field(default_factory=dict)
    open: dict[str, _Block] = field(default_factory=dict)
    usage: Usage | NoUsage | None = None
    said: int = 0
    cited: int = 0
    begun: bool = False

    def all(self, steps: Sequence[SayStep]) -> Iterator[SendStep]:
        for step in steps:
            if isinstance(step, Common):
                yield step
            elif not isinstance(step, Queued):
                yield from self.begin()
                yield from _STEPS[type(step)](self, step)

    def begin(self) -> Iterator[Send]:
        if not self.begun:
            yield from self.layer.start()
        self.begun = True

    def start(self, step: Start) -> Iterator[Send]:
        block = _Block(step, f"{_PREFIXES[step.kind]}_{len(self.blocks)}")
        self.blocks[step.block] = self.open[step.block] = block
        if step.kind == "call":
            yield from self.layer.start_call(Call(step.call_id, step.name))
        elif step.kind != "reasoning":
            yield from self.start_block(block)

    def start_block(self, block: _Block) -> Iterator[Send]:
        block.in_block = True
        yield Send(f"{_BLOCKS[block.start.kind]}-start", {"id": block.part_id})

    def end_block(self, block: _Block, encrypted: str = "") -> Iterator[Send]:
        if block.in_block:
            metadata = {"providerMetadata": {"openai": {"reasoningEncryptedContent": encrypted}}}
            yield Send(
                f"{_BLOCKS[block.start.kind]}-end",
                {"id": block.part_id, **(metadata if encrypted else {})},
            )
        block.in_block = False

    def delta(self, step: Delta) -> Iterator[Send]:
        block = self.blocks[step.block]
        self.said += len(step.value)
        if block.start.kind == "call":
            block.input.append(step.value)
            yield from self.layer.extend_call(block.start.call_id, step.value)
            return
        if not block.in_block:
            yield from self.start_block(block)
        yield from self.layer.extend_block(_BLOCKS[block.start.kind], block.part_id, step.value)

    def next_part(self, step: NextPart) -> Iterator[Send]:
        block = self.blocks[step.block]
        yield from self.end_block(block)
        block.part += 1
        yield from self.start_block(block)

    def cite(self, step: Cite) -> Iterator[Send]:
        yield from self.layer.cite(step.citation, f"source_{self.cited}")
        self.cited += 1

    def end(self, step: End) -> Iterator[Send]:
        block = self.open.pop(step.block)
        if block.start.kind == "call":
            yield from self.layer.end_call(_call(block))
            return
        encrypted = block.start.encrypted
        if encrypted and not block.in_block:
            yield from self.start_block(block)
        yield from self.end_block(block, encrypted)

    def used(self, step: Usage | NoUsage) -> Iterator[Send]:
        self.usage = step
        yield from ()

    def finish(self, step: Finish) -> Iterator[Send]:
        yield from self.end_response(step.reason, step.reason.replace("-", "_"))

    def incomplete(self, step: Incomplete) -> Iterator[Send]:
        for block in self.open.values():
            yield from self.end_block(block)
        yield from self.end_response(step.reason, step.word or step.reason.replace("-", "_"))

    def failed(self, step: Failed) -> Iterator[Send]:
        yield from self.layer.fail(step.message, step.code)
        yield from self.end_response("error", "error")

    def end_response(self, reason: str, raw: str) -> Iterator[Send]:
        used = self.usage or Usage.estimated(self.said)
        reported = None if isinstance(used, NoUsage) else used
        yield from self.layer.finish(Ending(reason, raw, reported))


def _call(block: _Block) -> Call:
    arguments = "".join(block.input)
    return Call(block.start.call_id, block.start.name, arguments, read_arguments(arguments))


_STEPS: dict[type, Callable[[_Translator, Any], Iterator[Send]]] = {
    Start: _Translator.start,
    Delta: _Translator.delta,
    NextPart: _Translator.next_part,
    Cite: _Translator.cite,
    End: _Translator.end,
    Usage: _Translator.used,
    NoUsage: _Translator.used,
    Finish: _Translator.finish,
    Incomplete: _Translator.incomplete,
    Failed: _Translator.failed,
}
