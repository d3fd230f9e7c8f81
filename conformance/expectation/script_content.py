"""Reads the content of a neutral script, with the moments of its calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.expectation.content import (
    ContentCall,
    ExpectedContent,
    Kind,
    Moment,
    Segment,
    citation_segment,
)
from mockserver.call_arguments import read_arguments
from mockserver.scenario.expected import ExpectAt, ExpectError, Outcome
from mockserver.scenario.script import (
    Checkpoint,
    Cite,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    NextPart,
    SayStep,
    Start,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def content_of_script(steps: tuple[SayStep, ...]) -> ExpectedContent:
    """The content of a neutral script."""
    return _ScriptReader().read(steps)


@dataclass
class _Block:
    """A block of the script that is being streamed: a text, a reasoning, a refusal or a call."""

    start: Start
    text: str = ""
    last_delta: Moment | None = None
    parsable_at: Moment | None = None
    part: int = 0

    @property
    def id(self) -> str:
        """The id of the current part of the block, for its segments."""
        return f"{self.start.block} {self.part}"


class _ScriptReader:
    """Reads the content of a script step by step."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.calls: list[ContentCall] = []
        self.blocks: dict[str, _Block] = {}
        self.counts: Counter[Kind] = Counter()
        self.at: dict[str, ExpectAt] = {}

    def read(self, steps: tuple[SayStep, ...]) -> ExpectedContent:
        # A stream without a final event has failed.
        outcome: Outcome = "failed"
        reason = ""
        error: ExpectError | None = None
        for step in steps:
            match step:
                case Start():
                    self.blocks[step.block] = _Block(step)
                case Delta():
                    self._delta(step)
                case NextPart():
                    self.blocks[step.block].part += 1
                case Cite():
                    self._add(citation_segment(step.citation, self.blocks[step.block].id))
                case End():
                    self._end(self.blocks[step.block])
                case Checkpoint(name):
                    self.at[name] = self._calls_so_far()
                case Finish():
                    outcome, reason = "completed", step.reason
                case Incomplete():
                    outcome, reason = "incomplete", step.reason
                case Failed():
                    outcome, error = "failed", ExpectError(step.message, step.code)
        calls = (*self.calls, *self._unfinished_calls())
        return ExpectedContent(tuple(self.segments), calls, outcome, reason, error, self.at)

    def _delta(self, step: Delta) -> None:
        block = self.blocks[step.block]
        if block.start.kind == "call":
            block.text += step.value
            block.last_delta = Counter(self.counts)
            if block.parsable_at is None and _is_object(block.text):
                block.parsable_at = block.last_delta
            return
        self._add(Segment(block.start.kind, step.value, block.id))

    def _add(self, segment: Segment) -> None:
        self.segments.append(segment)
        self.counts[segment.kind] += len(segment.value)

    def _end(self, block: _Block) -> None:
        if block.start.kind != "call":
            return
        now = Counter(self.counts)
        input_ = read_arguments(block.text).input
        if input_ is not None:
            start = block.start
            earliest = block.last_delta or now
            self.calls.append(
                ContentCall(
                    start.call_id,
                    start.name,
                    input_,
                    earliest,
                    now,
                    parsable_at=block.parsable_at or earliest,
                )
            )

    def _unfinished_calls(self) -> Iterator[ContentCall]:
        """The calls with a complete input that the script never ends."""
        ended = {call.id for call in self.calls}
        for block in self.blocks.values():
            start, earliest = block.start, block.last_delta
            if start.kind == "call" and start.call_id not in ended and earliest is not None:
                read = read_arguments(block.text)
                if read.kind == "object":
                    now = Counter(self.counts)
                    yield ContentCall(
                        start.call_id, start.name, read.value, earliest, now, ended=False
                    )

    def _calls_so_far(self) -> ExpectAt:
        """The calls that are complete at this step, and those that have begun and are not."""
        done = tuple(call.id for call in self.calls)
        begun = (block.start for block in self.blocks.values() if block.start.kind == "call")
        return ExpectAt(done, tuple(s.call_id for s in begun if s.call_id not in done))


def _is_object(arguments: str) -> bool:
    """Whether the arguments so far are a complete JSON object."""
    # Parsing is skipped unless the text ends with a brace, since nothing else ends an object.
    return arguments.rstrip().endswith("}") and read_arguments(arguments).kind == "object"
