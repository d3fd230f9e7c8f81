"""Translates a neutral script into OpenResponses events: each block is an output item.

A text or a refusal is the only part of its item. An item of reasoning has any number of parts; it
has none if it has only encrypted content.

The events have only the fields that the script decides; ``complete`` fills in the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mockserver.dialects.openresponses.hosted_script import hosted_sends
from mockserver.scenario.script import (
    BlockKind,
    Citation,
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_REASONS = {"length": "max_output_tokens", "content-filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """The item type of a kind of block, and the events that open, stream and close its part."""

    item: str
    opens: tuple[str, ...]
    delta: str
    closes: tuple[str, ...]
    # The closing events if the response ends too early; a truncated call has none.
    cut_short: tuple[str, ...]


_TEXT_CLOSES = ("response.output_text.done", "response.content_part.done")
_REFUSAL_CLOSES = ("response.refusal.done", "response.content_part.done")
_SUMMARY_CLOSES = ("response.reasoning_summary_text.done", "response.reasoning_summary_part.done")
_RAW_CLOSES = ("response.reasoning.done", "response.content_part.done")

_SHAPES: dict[BlockKind | Literal["raw"], _Shape] = {
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
    "raw": _Shape(
        item="reasoning",
        opens=("response.content_part.added",),
        delta="response.reasoning.delta",
        closes=_RAW_CLOSES,
        cut_short=_RAW_CLOSES,
    ),
    "call": _Shape(
        item="function_call",
        opens=(),
        delta="response.function_call_arguments.delta",
        closes=("response.function_call_arguments.done",),
        cut_short=(),
    ),
}


def translate(steps: Sequence[SayStep]) -> tuple[SendStep, ...]:
    """The script as events without their derived fields, which ``complete`` fills in."""
    return tuple(_Translator().all(steps))


@dataclass
class _Block:
    """A block that is being streamed; reasoning has no open part before its first delta."""

    index: int
    shape: _Shape
    start: Start
    in_part: bool = False

    def sends(self, *types: str) -> Iterator[Send]:
        yield from (Send(type_, {"output_index": self.index}) for type_ in types)

    def opens(self) -> Iterator[Send]:
        self.in_part = True
        part = {"part": {"type": "refusal"}} if self.start.kind == "refusal" else {}
        for type_ in self.shape.opens:
            yield Send(type_, {"output_index": self.index, **part})

    def closes(self, types: tuple[str, ...]) -> Iterator[Send]:
        if self.in_part:
            yield from self.sends(*types)
        self.in_part = False

    def done(self, **item: Any) -> Send:
        if self.start.encrypted:
            item["encrypted_content"] = self.start.encrypted
        fields = {"item": item} if item else {}
        return Send("response.output_item.done", {"output_index": self.index, **fields})


@dataclass
class _Translator:
    """Translates steps in order; ``open`` has the blocks that have not ended."""

    blocks: dict[str, _Block] = field(default_factory=dict)
    open: dict[str, _Block] = field(default_factory=dict)
    items: int = 0
    lengths: dict[str, int] = field(default_factory=dict)
    # Empty: derived from the answer; None: no usage is reported.
    usage: dict[str, Any] | None = field(default_factory=dict)
    queued: bool = False
    begun: bool = False

    def all(self, steps: Sequence[SayStep]) -> Iterator[SendStep]:
        for step in steps:
            if isinstance(step, Common):
                yield step
            elif isinstance(step, Queued):
                yield from self.queue()
            else:
                yield from self.begin()
                yield from _STEPS[type(step)](self, step)

    def queue(self) -> Iterator[Send]:
        self.queued = True
        yield Send("response.created", {"response": {"status": "queued"}})
        yield Send("response.queued")

    def begin(self) -> Iterator[Send]:
        if not self.begun and not self.queued:
            yield Send("response.created")
        if not self.begun:
            yield Send("response.in_progress")
        self.begun = True

    def start(self, step: Start) -> Iterator[Send]:
        shape = _SHAPES["raw" if step.form == "raw" else step.kind]
        block = _Block(self.items, shape, step)
        self.items += 1
        self.blocks[step.block] = self.open[step.block] = block
        item: dict[str, Any] = {"type": shape.item}
        if step.kind == "call":
            item |= {"call_id": step.call_id, "name": step.name}
        if step.phase:
            item["phase"] = step.phase
        if step.announced:
            item["encrypted_content"] = step.announced
        yield Send("response.output_item.added", {"output_index": block.index, "item": item})
        if step.kind != "reasoning":
            yield from block.opens()

    def delta(self, step: Delta) -> Iterator[Send]:
        block = self.blocks[step.block]
        if not block.in_part:
            yield from block.opens()
        self.lengths[step.block] = self.lengths.get(step.block, 0) + len(step.value)
        yield Send(block.shape.delta, {"output_index": block.index, "delta": step.value})

    def next_part(self, step: NextPart) -> Iterator[Send]:
        block = self.blocks[step.block]
        yield from block.closes(block.shape.closes)
        yield from block.opens()

    def cite(self, step: Cite) -> Iterator[Send]:
        start = 0 if step.start is None else step.start
        end = self.lengths.get(step.block, 0) if step.end is None else step.end
        annotation = _annotation(step.citation, start, end)
        fields = {"output_index": self.blocks[step.block].index, "annotation": annotation}
        yield Send("response.output_text.annotation.added", fields)

    def end(self, step: End) -> Iterator[Send]:
        block = self.open.pop(step.block)
        yield from block.closes(block.shape.closes)
        yield block.done()

    def hosted(self, step: Hosted) -> Iterator[Send]:
        sends = hosted_sends(step, self.items)
        indexes = {send.fields.get("output_index") for send in sends} - {None}
        self.items += len(indexes)
        yield from sends

    def used(self, step: Usage) -> Iterator[Send]:
        self.usage = {
            "input_tokens": step.input,
            "output_tokens": step.output,
            "total_tokens": step.input + step.output,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        yield from ()

    def no_usage(self, _step: NoUsage) -> Iterator[Send]:
        self.usage = None
        yield from ()

    def finish(self, _step: Finish) -> Iterator[Send]:
        yield self._last("response.completed")

    def incomplete(self, step: Incomplete) -> Iterator[Send]:
        for block in self.open.values():
            yield from block.closes(block.shape.cut_short)
            # Reasoning has no status in the schema (ReasoningBody).
            status = {} if block.start.kind == "reasoning" else {"status": "incomplete"}
            yield block.done(**status)
        reason = {"incomplete_details": {"reason": step.word or _REASONS[step.reason]}}
        yield self._last("response.incomplete", reason)

    def failed(self, step: Failed) -> Iterator[Send]:
        error = {"code": step.code, "message": step.message}
        if step.in_band:
            yield Send("error", {"error": error})
        yield self._last("response.failed", {"error": error})

    def _last(self, type_: str, response: dict[str, Any] | None = None) -> Send:
        usage = {"usage": self.usage} if self.usage else {}
        absent = (("response", "usage"),) if self.usage is None else ()
        return Send(type_, {"response": {**usage, **(response or {})}}, absent=absent)


def _annotation(citation: Citation, start: int, end: int) -> dict[str, Any]:
    """An annotation for a range of the text; of some files, OpenAI gives only the end."""
    fields = citation.fields()
    span = {"start_index": start, "end_index": end}
    if citation.url:
        return {"type": "url_citation", **fields, **span}
    if citation.container_id:
        return {"type": "container_file_citation", **fields, **span}
    return {"type": "file_citation" if citation.filename else "file_path", **fields, "index": end}


_STEPS: dict[type, Callable[[_Translator, Any], Iterator[Send]]] = {
    Start: _Translator.start,
    Delta: _Translator.delta,
    NextPart: _Translator.next_part,
    Cite: _Translator.cite,
    End: _Translator.end,
    Hosted: _Translator.hosted,
    Usage: _Translator.used,
    NoUsage: _Translator.no_usage,
    Finish: _Translator.finish,
    Incomplete: _Translator.incomplete,
    Failed: _Translator.failed,
}
