"""Translates a neutral script into OpenResponses events: each block is an output item.

A text or a refusal is the only part of its item. An item of reasoning has any number of parts; it
has none if it has only encrypted content.

The events have only the fields that the script decides; ``complete`` fills in the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mockserver.dialects.openresponses.hosted_script import hosted_sends
from mockserver.dialects.openresponses.response import usage_report
from mockserver.dialects.translator import Block, Translator
from mockserver.scenario.script import (
    BlockKind,
    Citation,
    Cite,
    Failed,
    Finish,
    Hosted,
    Incomplete,
    NoUsage,
    Send,
    Start,
)

_REASONS = {"length": "max_output_tokens", "content-filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """The item type of a kind of block, and the events that open, stream and close its part."""

    item: str
    opens: tuple[str, ...]
    delta: str
    closes: tuple[str, ...]

    @property
    def cut_short(self) -> tuple[str, ...]:
        """The closing events if the response ends too early; a truncated call has none."""
        return () if self.item == "function_call" else self.closes


def _shape(item: str, part: str, streamed: str) -> _Shape:
    """The shape of a block whose text is streamed in a part of its item."""
    closes = (f"response.{streamed}.done", f"response.{part}.done")
    return _Shape(item, (f"response.{part}.added",), f"response.{streamed}.delta", closes)


_ARGUMENTS = "response.function_call_arguments"
_SHAPES: dict[BlockKind | Literal["raw"], _Shape] = {
    "text": _shape("message", "content_part", "output_text"),
    "refusal": _shape("message", "content_part", "refusal"),
    "reasoning": _shape("reasoning", "reasoning_summary_part", "reasoning_summary_text"),
    "raw": _shape("reasoning", "content_part", "reasoning"),
    "call": _Shape("function_call", (), f"{_ARGUMENTS}.delta", (f"{_ARGUMENTS}.done",)),
}


@dataclass
class _Block(Block):
    """An output item; reasoning has no open part before its first delta."""

    index: int = 0
    in_part: bool = False

    @property
    def shape(self) -> _Shape:
        return _SHAPES["raw" if self.start.form == "raw" else self.start.kind]

    def open_part(self) -> Iterator[Send]:
        self.in_part = True
        part = {"part": {"type": "refusal"}} if self.start.kind == "refusal" else {}
        for type_ in self.shape.opens:
            yield Send(type_, {"output_index": self.index, **part})

    def close_part(self, types: Sequence[str]) -> Iterator[Send]:
        if self.in_part:
            yield from (Send(type_, {"output_index": self.index}) for type_ in types)
        self.in_part = False

    def done(self, **item: Any) -> Send:
        if self.start.encrypted:
            item["encrypted_content"] = self.start.encrypted
        fields = {"item": item} if item else {}
        return Send("response.output_item.done", {"output_index": self.index, **fields})


class EventTranslator(Translator[_Block]):
    """Translates the steps of a script into events."""

    _items = 0
    _is_queued = False

    def queue(self) -> Iterator[Send]:
        self._is_queued = True
        yield Send("response.created", {"response": {"status": "queued"}})
        yield Send("response.queued")

    def begin(self) -> Iterator[Send]:
        if not self._is_queued:
            yield Send("response.created")
        yield Send("response.in_progress")

    def make_block(self, step: Start) -> _Block:
        self._items += 1
        return _Block(step, index=self._items - 1)

    def start(self, block: _Block) -> Iterator[Send]:
        start = block.start
        item: dict[str, Any] = {"type": block.shape.item}
        if start.kind == "call":
            item |= {"call_id": start.call_id, "name": start.name}
        if start.phase:
            item["phase"] = start.phase
        if start.announced:
            item["encrypted_content"] = start.announced
        yield Send("response.output_item.added", {"output_index": block.index, "item": item})
        if start.kind != "reasoning":
            yield from block.open_part()

    def extend(self, block: _Block, delta: str) -> Iterator[Send]:
        if not block.in_part:
            yield from block.open_part()
        yield Send(block.shape.delta, {"output_index": block.index, "delta": delta})

    def start_part(self, block: _Block) -> Iterator[Send]:
        yield from block.close_part(block.shape.closes)
        yield from block.open_part()

    def cite(self, block: _Block, step: Cite) -> Iterator[Send]:
        start = 0 if step.start is None else step.start
        end = len(block.text) if step.end is None else step.end
        annotation = _annotation(step.citation, start, end)
        fields = {"output_index": block.index, "annotation": annotation}
        yield Send("response.output_text.annotation.added", fields)

    def end(self, block: _Block) -> Iterator[Send]:
        yield from block.close_part(block.shape.closes)
        yield block.done()

    def run_tool(self, step: Hosted) -> Iterator[Send]:
        sends = hosted_sends(step, self._items)
        indexes = {send.fields.get("output_index") for send in sends} - {None}
        self._items += len(indexes)
        yield from sends

    def finish(self, _step: Finish) -> Iterator[Send]:
        yield self._last("response.completed")

    def cut_short(self, step: Incomplete) -> Iterator[Send]:
        for block in self.open.values():
            yield from block.close_part(block.shape.cut_short)
            # Reasoning has no status in the schema (ReasoningBody).
            status = {} if block.start.kind == "reasoning" else {"status": "incomplete"}
            yield block.done(**status)
        reason = {"incomplete_details": {"reason": step.word or _REASONS[step.reason]}}
        yield self._last("response.incomplete", reason)

    def fail(self, step: Failed) -> Iterator[Send]:
        error = {"code": step.code, "message": step.message}
        if step.in_band:
            yield Send("error", {"error": error})
        yield self._last("response.failed", {"error": error})

    def _last(self, type_: str, response: dict[str, Any] | None = None) -> Send:
        """The last event; usage that the script does not state is derived from the answer."""
        stated = self.stated_usage
        if isinstance(stated, NoUsage):
            return Send(type_, {"response": response or {}}, absent=(("response", "usage"),))
        usage = {"usage": usage_report(stated)} if stated else {}
        return Send(type_, {"response": {**usage, **(response or {})}})


def _annotation(citation: Citation, start: int, end: int) -> dict[str, Any]:
    """An annotation for a range of the text; of some files, OpenAI gives only the end."""
    fields = citation.fields()
    span = {"start_index": start, "end_index": end}
    if citation.url:
        return {"type": "url_citation", **fields, **span}
    if citation.container_id:
        return {"type": "container_file_citation", **fields, **span}
    return {"type": "file_citation" if citation.filename else "file_path", **fields, "index": end}
