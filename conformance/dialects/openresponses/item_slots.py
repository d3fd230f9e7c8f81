"""Collects the fields of each item of a response from its events.

Events are assigned to items by ``output_index``, because some upstreams change ids between events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, merged, text
from mockserver.dialects.openresponses.openai_types import STREAMED, own_event, unprefixed

if TYPE_CHECKING:
    from conformance.contract.transcript import SentEvent

_ADDED = "response.output_item.added"
_DONE = "response.output_item.done"
_ANNOTATION = "response.output_text.annotation.added"
_CONTENT_DONE = "response.content_part.done"
_PART_DONE = "response.reasoning_summary_part.done"
_ARGUMENTS_DELTA = "response.function_call_arguments.delta"
_FINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})

_COMPLETE = {each.item: (each.complete, each.path) for each in STREAMED.values()}


@dataclass(slots=True)
class Slot:
    """One item of the output while its events are read: its fields so far, and all of its ids.

    ``index`` is its index in the output, or its id if events have no index. ``first`` are the
    fields that it began with. ``finished`` is the event that finished it, and ``ended`` has the
    events that ended the parts of its summary. ``has_text`` says whether an event had all of its
    streamed text; ``finished_parts`` are contents of a message with annotations; ``arguments`` are
    the deltas of a function's.
    """

    index: int | str
    held: dict[str, Any] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    finished: int | None = None
    deltas: int = 0
    arguments: list[str] = field(default_factory=list)
    has_text: bool = False
    previews: list[str] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    finished_parts: list[Any] = field(default_factory=list)
    ended: dict[int, int] = field(default_factory=dict)

    @property
    def type(self) -> str:
        return unprefixed(text(self.held.get("type")))


def slots_of(sent: Sequence[SentEvent]) -> list[Slot]:
    """The items in the events of one response, in the order in which they began."""
    slots: dict[Any, Slot] = {}
    for event in sent:
        if isinstance(event.data, dict):
            _read(slots, event.type, event.data, event.n)
    return list(slots.values())


def _read(slots: dict[Any, Slot], type_: str, data: dict[str, Any], n: int) -> None:
    if type_ in _FINAL:
        _read_final(slots, mapping(data.get("response")).get("output"), n)
        return
    index = data.get("output_index", data.get("item_id"))
    if not isinstance(index, int | str):
        return
    slot = slots.setdefault(index, Slot(index))
    slot.ids |= {text(data.get("item_id"))} - {""}
    if type_ in (_ADDED, _DONE):
        _hold(slot, mapping(data.get("item")))
        if type_ == _DONE:
            slot.finished = n
            slot.finished_parts.append(slot.held.get("content"))
    elif type_ == _ANNOTATION:
        slot.annotations.append(mapping(data.get("annotation")))
    elif type_ == _CONTENT_DONE:
        slot.finished_parts.append(data.get("part"))
    elif type_ == _PART_DONE and isinstance(part := data.get("summary_index"), int):
        slot.ended.setdefault(part, n)
    elif type_ == _ARGUMENTS_DELTA:
        slot.arguments += filter(None, [text(data.get("delta"))])
    else:
        _tool_event(slot, type_, data)


def _read_final(slots: dict[Any, Slot], output: Any, n: int) -> None:
    """Read the items of a final response, which finishes those that no event has finished."""
    for index, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict):
            # Indexes may have gaps, which the list of the final response does not have.
            same = (each for each in slots.values() if text(item.get("id")) in each.ids)
            slot = next(same, None) or slots.setdefault(index, Slot(index))
            slot.finished_parts.append(item.get("content"))
            if slot.finished is None:
                _hold(slot, item)
                slot.finished = n


def _hold(slot: Slot, item: dict[str, Any]) -> None:
    slot.held = {**slot.held, **item}
    slot.first = slot.first or item
    slot.ids |= {text(item.get("id")), text(item.get("call_id"))} - {""}


def _tool_event(slot: Slot, type_: str, data: dict[str, Any]) -> None:
    """Read an event of a tool: a partial image, a delta of its input, or its complete input."""
    own = own_event(type_)
    if own is None:
        return
    if own.step == "partial":
        slot.previews.append(text(data.get("partial_image_b64")))
    elif own.step == "delta":
        slot.deltas += bool(text(data.get("delta")))
    elif own.step == "complete" and own.item in _COMPLETE:
        name, path = _COMPLETE[own.item]
        value: Any = data.get(name)
        for key in reversed(path):
            value = {key: value}
        slot.held = merged(slot.held, value)
        slot.has_text = True


def leaves(value: Any) -> Iterator[Any]:
    """The values in a JSON value that are neither objects nor lists."""
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)
    else:
        yield value
