"""Variations that insert events and items of unknown types, which clients must ignore.

Types with a vendor's prefix are legal (OpenResponses, "Extending Streaming Events"). Types without
a prefix are like those that a later version of the API may add.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mockserver.dialects.openresponses.events import PREAMBLE, TERMINAL
from mockserver.dialects.openresponses.variations.steps import (
    index_of,
    output_of,
    renumber,
    set_output,
)
from mockserver.scenario.script import Raw
from mockserver.wire.event import Change, Data, Event, Step, events_in
from mockserver.wire.variation import EVERYWHERE, Variation

_POINTS_AT = ("item_id", "output_index", "content_index", "summary_index")
_NOT_FOR_YOU = {"delta": "not for you", "text": "not for you"}


def _insert_after_events(type_: str, fields: Data, *, pointing: bool = False) -> Change:
    """Insert an event after every one that is not terminal.

    With ``pointing``, it has the item id and the indexes of the event before it.
    """

    def insert(steps: Sequence[Step]) -> Sequence[Step]:
        result: list[Step] = []
        for step in steps:
            result.append(step)
            if isinstance(step, Event) and step.type not in TERMINAL and step.type != "error":
                about = {name: step.data[name] for name in _POINTS_AT if name in step.data}
                data = {
                    "type": type_,
                    "sequence_number": 0,
                    **(about if pointing else {}),
                    **fields,
                }
                result.append(Event(type_, data, ignorable=True))
        return renumber(result)

    return insert


@dataclass(frozen=True, slots=True)
class _InsertItem:
    """Insert an unknown item before all others, whose output indexes move up by one."""

    item: Data
    event: str

    def __call__(self, steps: Sequence[Step]) -> Sequence[Step]:
        no_items = not any(event.type == "response.output_item.done" for event in events_in(steps))
        here = next((n for n, step in enumerate(steps) if _is_content(step)), len(steps))
        moved = [self._move(step, no_items) for step in steps]
        return renumber([*moved[:here], *self._events(), *moved[here:]])

    def _events(self) -> list[Step]:
        status = {"status": "in_progress"}
        return [
            self._event("response.output_item.added", item={**self.item, **status}),
            self._event(self.event, item_id=self.item["id"], **_NOT_FOR_YOU),
            self._event("response.output_item.done", item=self._done()),
        ]

    def _event(self, type_: str, **fields: Any) -> Event:
        data = {"type": type_, "sequence_number": 0, "output_index": 0, **fields}
        return Event(type_, data, ignorable=True)

    def _done(self) -> Data:
        return {**self.item, "status": "completed"}

    def _move(self, step: Step, no_items: bool) -> Step:
        if not isinstance(step, Event):
            return step
        data = step.data
        if (index := index_of(data)) is not None:
            data = {**data, "output_index": index + 1}
        # If items were streamed but the final output is empty, it stays empty.
        if step.type in TERMINAL and _has_output(data) and (output_of(data) or no_items):
            data = set_output(data, [self._done(), *output_of(data)])
        return replace(step, data=data)


def _raw_indexes(steps: Sequence[Step]) -> str:
    """Why output indexes in raw bytes cannot be moved; else empty."""
    if any(isinstance(step, Raw) and "output_index" in step.text for step in steps):
        return "bytes that are sent to the letter have an output index, which cannot move up"
    return ""


def _is_content(step: Step) -> bool:
    """Whether the step is an event after the preamble of the response."""
    return isinstance(step, Event) and step.type not in PREAMBLE


def _has_output(data: Data) -> bool:
    response = data.get("response")
    return isinstance(response, dict) and isinstance(response.get("output"), list)


_SEARCH = {"type": "acme:search_call", "id": "acme_first", "query": "not for you"}
_FUTURE = {
    "type": "future_call",
    "id": "fut_first",
    "call_id": "call_first",
    "name": "wipe_disk",
    "arguments": '{"all":true}',
}

UNKNOWN = (
    Variation(
        "heartbeats",
        "a vendor's event follows every event (OpenResponses, extension events)",
        change_steps=_insert_after_events("acme:heartbeat", {"note": "still here"}),
    ),
    Variation(
        "keepalive-events",
        "a keepalive event, which has only a number, follows every event, as api.openai.com sends "
        "it while a model thinks (OpenResponses wants a vendor's prefix)",
        change_steps=_insert_after_events("keepalive", {}),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "unknown-events",
        "a vendor's event with a text follows every event and refers to its item (OpenResponses, "
        "extension events)",
        change_steps=_insert_after_events("acme:trace_event", _NOT_FOR_YOU, pointing=True),
    ),
    Variation(
        "unknown-items",
        "a vendor's item precedes all others (OpenResponses, extension items)",
        change_steps=_InsertItem(_SEARCH, "acme:search_call.delta"),
        misfit=_raw_indexes,
    ),
    Variation(
        "future-events",
        "an event of a later version, without a prefix, follows every event and refers to its item",
        change_steps=_insert_after_events(
            "response.future_thing.delta", _NOT_FOR_YOU, pointing=True
        ),
        departs_in=EVERYWHERE,
    ),
    Variation(
        "future-items",
        "an item of a later version, without a prefix but with the fields of a call, comes first",
        change_steps=_InsertItem(_FUTURE, "response.future_call.delta"),
        departs_in=EVERYWHERE,
        misfit=_raw_indexes,
    ),
)
