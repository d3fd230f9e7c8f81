"""Reads the content of a neutral script, with the moments of its calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.expectation.content import (
    ContentCall,
    ExpectedContent,
    Kind,
    Moment,
    Segment,
    citation_segment,
)
from conformance.expectation.hosted import Hosted as HostedContent
from conformance.expectation.hosted import hosted_content, image_of, passed_on
from mockserver.foundation.call_arguments import read_arguments
from mockserver.scenario.expected import ExpectAt, ExpectData, ExpectError, Outcome
from mockserver.scenario.hosted import CustomCall, Tool, id_of, runs_at_host
from mockserver.scenario.script import (
    Checkpoint,
    Cite,
    Delta,
    End,
    Failed,
    Finish,
    Hosted,
    Incomplete,
    NextPart,
    SayStep,
    Start,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def contents_of_script(steps: tuple[SayStep, ...]) -> tuple[ExpectedContent, ...]:
    """The content of a neutral script, in each of its right versions.

    There are several only if it has items of OpenAI's tools, which an adapter may ignore: calls
    that the host must run, and generated images. An adapter that knows these emits all of them.
    """
    content = content_of_script(steps)
    tools = [step.tool for step in steps if isinstance(step, Hosted)]
    calls = {id_of(tool) for tool in tools if runs_at_host(tool)}
    versions = [content]
    if calls:
        without = tuple(call for call in content.calls if call.id not in calls)
        # Whether such a call asks for tools is up to the upstream's vocabulary.
        versions = [replace(content, reason=""), replace(content, calls=without, reason="")]
    if content.data:
        versions += [replace(version, data=()) for version in versions]
    return tuple(versions)


def content_of_script(steps: tuple[SayStep, ...]) -> ExpectedContent:
    """The content of a neutral script for an adapter that knows all of its items."""
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
        self.hosted: list[tuple[HostedContent, Moment]] = []
        self.data: list[ExpectData] = []
        # The calls of OpenAI's own tools, which an adapter may ignore.
        self.ignorable: list[ContentCall] = []

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
                case Hosted():
                    self._hosted(step.tool)
                case Checkpoint(name):
                    self.at[name] = self._calls_so_far()
                case Finish():
                    outcome, reason = "completed", step.reason
                case Incomplete():
                    outcome, reason = "incomplete", step.reason
                case Failed():
                    outcome, error = "failed", ExpectError(step.message, step.code)
        calls = (*self.calls, *self._unfinished_calls(), *self.ignorable)
        return ExpectedContent(
            tuple(self.segments),
            calls,
            outcome,
            reason,
            error,
            self.at,
            tuple(self.data),
            hosted=tuple(self.hosted),
        )

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

    def _hosted(self, tool: Tool) -> None:
        now = Counter(self.counts)
        if content := hosted_content(tool):
            self.hosted.append((content, now))
        if image := image_of(tool):
            self.data.append(image)
        if runs_at_host(tool):
            name = tool.name if isinstance(tool, CustomCall) else ""
            raw = passed_on(tool)
            self.ignorable.append(ContentCall(id_of(tool), name, raw, now, now, raw))

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
