"""``Translator``: reads a ``says`` script step by step, for the dialects that render it.

The events have only the fields that the script decides; the dialect's ``Completion`` fills in the
others.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from mockserver.scenario.script import (
    Cite,
    Common,
    Delta,
    End,
    Failed,
    Finish,
    Hosted,
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

NOTHING: tuple[Send, ...] = ()


@dataclass
class Block:
    """A text, a refusal, a call or reasoning that is being streamed, with its deltas so far."""

    start: Start
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
        self.stated_usage: Usage | NoUsage | None = None
        self._has_begun = False

    def translate(self, steps: Iterable[SayStep]) -> Iterator[SendStep]:
        """The script as events without their derived fields; common steps are passed through."""
        for step in steps:
            if isinstance(step, Common):
                yield step
                continue
            if not self._has_begun and not isinstance(step, Queued):
                self._has_begun = True
                yield from self.begin()
            yield from _READERS[type(step)](self, step)

    @property
    def usage(self) -> Usage | None:
        """The usage to report: as stated, else estimated from the deltas; None for no report."""
        if self.stated_usage:
            return None if isinstance(self.stated_usage, NoUsage) else self.stated_usage
        return Usage.estimated(sum(len(d) for block in self.blocks.values() for d in block.deltas))

    @abstractmethod
    def make_block(self, step: Start) -> AnyBlock:
        """A new block, before its first event is sent."""

    @abstractmethod
    def begin(self) -> Iterable[Send]:
        """The events before the first step, unless the response is queued."""

    @abstractmethod
    def start(self, block: AnyBlock) -> Iterable[Send]:
        """The events at the start of a block."""

    @abstractmethod
    def extend(self, block: AnyBlock, delta: str) -> Iterable[Send]:
        """The events for the next piece of a block."""

    @abstractmethod
    def end(self, block: AnyBlock) -> Iterable[Send]:
        """The events at the end of a block."""

    @abstractmethod
    def finish(self, step: Finish) -> Iterable[Send]:
        """The events that say that the response is complete."""

    @abstractmethod
    def cut_short(self, step: Incomplete) -> Iterable[Send]:
        """The events that say that the response is incomplete; blocks may still be open."""

    @abstractmethod
    def fail(self, step: Failed) -> Iterable[Send]:
        """The events that say that the response has failed."""

    def queue(self) -> Iterable[Send]:
        """The events that say that the response is queued."""
        return NOTHING

    def start_part(self, _block: AnyBlock) -> Iterable[Send]:
        """The events between two parts of a block of reasoning."""
        return NOTHING

    def cite(self, _block: AnyBlock, _step: Cite) -> Iterable[Send]:
        """The events with a citation in a block of text."""
        return NOTHING

    def run_tool(self, _step: Hosted) -> Iterable[Send]:
        """The events of a tool that the upstream runs."""
        return NOTHING

    def _start(self, step: Start) -> Iterable[Send]:
        block = self.make_block(step)
        self.blocks[step.block] = self.open[step.block] = block
        return self.start(block)

    def _extend(self, step: Delta) -> Iterable[Send]:
        block = self.blocks[step.block]
        block.deltas.append(step.value)
        return self.extend(block, step.value)

    def _note_usage(self, step: Usage | NoUsage) -> Iterable[Send]:
        self.stated_usage = step
        return NOTHING


_READERS: dict[type, Callable[[Translator[Any], Any], Iterable[Send]]] = {
    Queued: lambda script, _step: script.queue(),
    Start: Translator._start,
    Delta: Translator._extend,
    NextPart: lambda script, step: script.start_part(script.blocks[step.block]),
    Cite: lambda script, step: script.cite(script.blocks[step.block], step),
    End: lambda script, step: script.end(script.open.pop(step.block)),
    Hosted: lambda script, step: script.run_tool(step),
    Usage: Translator._note_usage,
    NoUsage: Translator._note_usage,
    Finish: lambda script, step: script.finish(step),
    Incomplete: lambda script, step: script.cut_short(step),
    Failed: lambda script, step: script.fail(step),
}
"""How each type of step is read."""
