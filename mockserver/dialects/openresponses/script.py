"""A neutral script in OpenResponses: each lane is an output item with one part.

Only what the script decides is said here; ``complete`` derives the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.scenario.model import (
    Checkpoint,
    Close,
    Comment,
    Delta,
    End,
    Failed,
    Finish,
    Incomplete,
    LaneKind,
    Pause,
    Raw,
    SayStep,
    Send,
    SendStep,
    Start,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_COMMON = (Pause, Checkpoint, Comment, Raw, Close)

_REASONS = {"length": "max_output_tokens", "content-filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """How one kind of lane looks on the wire: what opens it, carries it and closes it."""

    item: str
    opens: tuple[str, ...]
    delta: str
    closes: tuple[str, ...]
    # The closing events of a lane that was cut short; a cut call never says that it is done.
    cut_short: tuple[str, ...]


_TEXT_CLOSES = ("response.output_text.done", "response.content_part.done")
_REFUSAL_CLOSES = ("response.refusal.done", "response.content_part.done")
_SUMMARY_CLOSES = ("response.reasoning_summary_text.done", "response.reasoning_summary_part.done")

_SHAPES: dict[LaneKind, _Shape] = {
    "text": _Shape(
        item="message",
        opens=("response.content_part.added",),
        delta="response.output_text.delta",
        closes=_TEXT_CLOSES,
        cut_short=_TEXT_CLOSES,
    ),
    "refusal": _Shape(
        item="message",
        opens=("response.content_part.added",),
        delta="response.refusal.delta",
        closes=_REFUSAL_CLOSES,
        cut_short=_REFUSAL_CLOSES,
    ),
    "reasoning": _Shape(
        item="reasoning",
        opens=("response.reasoning_summary_part.added",),
        delta="response.reasoning_summary_text.delta",
        closes=_SUMMARY_CLOSES,
        cut_short=_SUMMARY_CLOSES,
    ),
    "call": _Shape(
        item="function_call",
        opens=(),
        delta="response.function_call_arguments.delta",
        closes=("response.function_call_arguments.done",),
        cut_short=(),
    ),
}


def lowered(steps: Sequence[SayStep]) -> tuple[SendStep, ...]:
    """The script as events whose derived fields are still left out."""
    return tuple(_Lowering().all(steps))


@dataclass
class _Lowering:
    lanes: dict[str, tuple[int, _Shape]] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)

    def all(self, steps: Sequence[SayStep]) -> Iterator[SendStep]:
        begun = False
        for step in steps:
            if not begun and not isinstance(step, _COMMON):
                begun = True
                yield Send("response.created")
                yield Send("response.in_progress")
            if isinstance(step, _COMMON):
                yield step
            else:
                yield from _STEPS[type(step)](self, step)

    def start(self, step: Start) -> Iterator[Send]:
        index, shape = len(self.lanes), _SHAPES[step.kind]
        self.lanes[step.lane] = (index, shape)
        self.open[step.lane] = None
        item: dict[str, Any] = {"type": shape.item}
        if step.kind == "call":
            item |= {"call_id": step.call_id, "name": step.name}
        yield Send("response.output_item.added", {"output_index": index, "item": item})
        part = {"part": {"type": "refusal"}} if step.kind == "refusal" else {}
        yield from (Send(type_, {"output_index": index, **part}) for type_ in shape.opens)

    def delta(self, step: Delta) -> Iterator[Send]:
        index, shape = self.lanes[step.lane]
        yield Send(shape.delta, {"output_index": index, "delta": step.value})

    def end(self, step: End) -> Iterator[Send]:
        index, shape = self.lanes[step.lane]
        del self.open[step.lane]
        for type_ in (*shape.closes, "response.output_item.done"):
            yield Send(type_, {"output_index": index})

    def used(self, step: Usage) -> Iterator[Send]:
        self.usage = {
            "input_tokens": step.input,
            "output_tokens": step.output,
            "total_tokens": step.input + step.output,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        yield from ()

    def finish(self, _step: Finish) -> Iterator[Send]:
        yield self._last("response.completed")

    def incomplete(self, step: Incomplete) -> Iterator[Send]:
        for lane in self.open:
            index, shape = self.lanes[lane]
            yield from (Send(type_, {"output_index": index}) for type_ in shape.cut_short)
            item = {} if shape.item == "reasoning" else {"status": "incomplete"}
            yield Send("response.output_item.done", {"output_index": index, "item": item})
        reason = {"incomplete_details": {"reason": _REASONS[step.reason]}}
        yield self._last("response.incomplete", reason)

    def failed(self, step: Failed) -> Iterator[Send]:
        error = {"code": step.code, "message": step.message}
        if step.in_band:
            yield Send("error", {"error": error})
        yield self._last("response.failed", {"error": error})

    def _last(self, type_: str, response: dict[str, Any] | None = None) -> Send:
        usage = {"usage": self.usage} if self.usage else {}
        return Send(type_, {"response": {**usage, **(response or {})}})


_STEPS: dict[type, Callable[[_Lowering, Any], Iterator[Send]]] = {
    Start: _Lowering.start,
    Delta: _Lowering.delta,
    End: _Lowering.end,
    Usage: _Lowering.used,
    Finish: _Lowering.finish,
    Incomplete: _Lowering.incomplete,
    Failed: _Lowering.failed,
}
