"""The events of a turn: which are left out, and what they carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from mockserver.wire.event import Event, Step
from mockserver.wire.steps import Data
from mockserver.wire.variation import Change

SPOKEN = ("openresponses",)


def without(is_left_out: Callable[[Event], bool]) -> Change:
    """A change that leaves events out; the others are numbered as if those had never been."""

    def left_out(steps: Sequence[Step]) -> Sequence[Step]:
        return renumbered(
            step for step in steps if not (isinstance(step, Event) and is_left_out(step))
        )

    return left_out


def renumbered(steps: Iterable[Step]) -> list[Step]:
    """Sequence numbers without gaps, where events had them."""
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
    """The output index of an event that has one."""
    index = data.get("output_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def item_of(data: Data) -> Data:
    """The item that an event carries, empty where it carries none."""
    item = data.get("item")
    return item if isinstance(item, dict) else {}


def output_of(data: Data) -> list[Any]:
    """The items of the response that an event carries."""
    response = data.get("response")
    output = response.get("output") if isinstance(response, dict) else None
    return output if isinstance(output, list) else []


def with_output(data: Data, output: list[Any]) -> Data:
    """An event whose response has these items."""
    return {**data, "response": {**data["response"], "output": output}}
