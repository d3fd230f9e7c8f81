"""``Translator``: reads a ``says`` script step by step, for the dialects that render it.

The events have only the fields that the script decides; the dialect's ``Completion`` fills in the
others.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mockserver.scenario import script

NOTHING: tuple[script.Send, ...] = ()


@dataclass
class Block:
    """A text, a refusal, a call or reasoning that is being streamed, with its deltas so far."""

    start: script.Start
    deltas: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything that was streamed so far."""
        return "".join(self.deltas)


AnyBlock = TypeVar("AnyBlock", bound=Block)


class Translator(Generic[AnyBlock]):
    """Translates the steps of one script, in order, by a method for each step.

    ``blocks`` has all blocks by their names in the script, ``open`` those that have not ended.
    Steps that a dialect cannot express send nothing; its ``unsupported`` says so.
    """

    def __init__(self) -> None:
        self.blocks: dict[str, AnyBlock] = {}
        self.open: dict[str, AnyBlock] = {}
        self.stated_usage: script.Usage | script.NoUsage | None = None
        self._has_begun = False

    def translate(self, steps: Iterable[script.SayStep]) -> Iterator[script.SendStep]:
        """The script as events without their derived fields; common steps are passed through."""
        for step in steps:
            if isinstance(step, script.Common):
                yield step
                continue
            if not self._has_begun and not isinstance(step, script.Queued):
                self._has_begun = True
                yield from self.begin()
            yield from _READERS[type(step)](self, step)

    @property
    def usage(self) -> script.Usage | None:
        """The usage to report: as stated, else estimated from the deltas; None for no report."""
        if self.stated_usage:
            return None if isinstance(self.stated_usage, script.NoUsage) else self.stated_usage
        return script.Usage.estimated(
            sum(len(d) for block in self.blocks.values() for d in block.deltas)
        )

    @abstractmethod
    def make_block(self, step: script.Start) -> AnyBlock:
        """A new block, before its first event is sent."""

    @abstractmethod
    def begin(self) -> Iterable[script.Send]:
        """The events before the first step, unless the response is queued."""

    @abstractmethod
    def start(self, block: AnyBlock) -> Iterable[script.Send]:
        """The events at the start of a block."""

    @abstractmethod
    def extend(self, block: AnyBlock, delta: str) -> Iterable[script.Send]:
        """The events that send ``delta``, the next piece of the content of a block."""

    @abstractmethod
    def end(self, block: AnyBlock) -> Iterable[script.Send]:
        """The events at the end of a block."""

    @abstractmethod
    def finish(self, step: script.Finish) -> Iterable[script.Send]:
        """The events that say that the response is complete."""

    @abstractmethod
    def cut_short(self, step: script.Incomplete) -> Iterable[script.Send]:
        """The events that say that the response is incomplete; blocks may still be open."""

    @abstractmethod
    def fail(self, step: script.Failed) -> Iterable[script.Send]:
        """The events that say that the response has failed."""

    def queue(self) -> Iterable[script.Send]:
        """The events that say that the response is queued."""
        return NOTHING

    def start_part(self, _block: AnyBlock) -> Iterable[script.Send]:
        """The events between two parts of a block of reasoning."""
        return NOTHING

    def cite(self, _block: AnyBlock, _step: script.Cite) -> Iterable[script.Send]:
        """The events with a citation in a block of text."""
        return NOTHING

    def run_tool(self, _step: script.Hosted) -> Iterable[script.Send]:
        """The events of a tool that the upstream runs."""
        return NOTHING

    def _start(self, step: script.Start) -> Iterable[script.Send]:
        block = self.make_block(step)
        self.blocks[step.block] = self.open[step.block] = block
        return self.start(block)

    def _extend(self, step: script.Delta) -> Iterable[script.Send]:
        block = self.blocks[step.block]
        block.deltas.append(step.value)
        return self.extend(block, step.value)

    def _note_usage(self, step: script.Usage | script.NoUsage) -> Iterable[script.Send]:
        self.stated_usage = step
        return NOTHING


_READERS: dict[type, Callable[[Translator[Any], Any], Iterable[script.Send]]] = {
    script.Queued: lambda reader, _step: reader.queue(),
    script.Start: Translator._start,
    script.Delta: Translator._extend,
    script.NextPart: lambda reader, step: reader.start_part(reader.blocks[step.block]),
    script.Cite: lambda reader, step: reader.cite(reader.blocks[step.block], step),
    script.End: lambda reader, step: reader.end(reader.open.pop(step.block)),
    script.Hosted: lambda reader, step: reader.run_tool(step),
    script.Usage: Translator._note_usage,
    script.NoUsage: Translator._note_usage,
    script.Finish: lambda reader, step: reader.finish(step),
    script.Incomplete: lambda reader, step: reader.cut_short(step),
    script.Failed: lambda reader, step: reader.fail(step),
}
"""How each type of step is read."""
