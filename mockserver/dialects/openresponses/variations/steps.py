"""Helpers for variations of events: leave events out, renumber them, read their fields."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from mockserver.wire.event import Change, Data, Event, Step


def remove_events(is_left_out: Callable[[Event], bool]) -> Change:
    """A change that leaves out the events that match the predicate, and renumbers the rest."""

    def left_out(steps: Sequence[Step]) -> Sequence[Step]:
        return renumber(
            step for step in steps if not (isinstance(step, Event) and is_left_out(step))
        )

    return left_out


def renumber(steps: Iterable[Step]) -> list[Step]:
    """The steps with consecutive sequence numbers, on events that have one."""
    result: list[Step] = []
    number = 0
    for step in steps:
        if isinstance(step, Event):
            if "sequence_number" in step.data:
                step = replace(step, data={**step.data, "sequence_number": number})
            number += 1
        result.append(step)
    return result


def index_of(data: Data) -> int | None:
    """The output index of an event; None if it has none."""
    index = data.get("output_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def item_of(data: Data) -> Data:
    """The item in an event; empty if it has none."""
    item = data.get("item")
    return item if isinstance(item, dict) else {}


def output_of(data: Data) -> list[Any]:
    """The output items of the response in an event."""
    response = data.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    return output if isinstance(output, list) else []


def map_items(data: Data, change: Callable[[Data, int | None], Data]) -> Data:
    """The event with a change of its item and of those in its response.

    ``change`` takes an item and its output index.
    """
    changed = dict(data)
    if isinstance(item := data.get("item"), dict):
        changed["item"] = change(item, index_of(data))
    items = [
        change(one, n) if isinstance(one, dict) else one for n, one in enumerate(output_of(data))
    ]
    return set_output(changed, items) if items else changed


def set_output(data: Data, output: list[Any]) -> Data:
    """The event with these items as the output of its response."""
    return {**data, "response": {**data["response"], "output": output}}
