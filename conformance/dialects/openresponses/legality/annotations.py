"""annotations: a citation comes while its part is open, and stands in the part at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.openresponses.parts import topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            steps = [ROLES[event.type].step for event in events]
            cited = [k for k, step in enumerate(steps) if step == "cited"]
            unread = (f"event:{event.n}" for event in events)
            for message, event in _wrong(events, steps, cited):
                yield Defect(
                    f"{message}, at part {place} of {item}",
                    right="citations 0, 1, 2, … of an open part, all of them in the part at its "
                    "end",
                    about=topics(f"cited:{item.index}:{place}"),
                    event=event.n,
                    needs=topics(f"item:{item.index}", topic(item, where, place), "lost", *unread),
                )


def _wrong(events: list[Event], steps: list[str], cited: list[int]) -> Iterator[tuple[str, Event]]:
    for number, k in enumerate(cited):
        index = events[k].index("annotation_index")
        if "added" not in steps[:k]:
            yield "a citation comes before its part", events[k]
        elif "closed" in steps[:k]:
            yield "a citation comes after its part was done", events[k]
        elif index is not None and index != number:
            yield f"citation number {number + 1} has the index {index}", events[k]
    for closed in (k for k, step in enumerate(steps) if step == "closed"):
        held = _held(events[closed])
        lost = [k for k in cited if events[k].data.get("annotation") not in held]
        if lost:
            yield f"{len(lost)} citation(s) are missing from the finished part", events[lost[0]]


def _held(closed: Event) -> list[object]:
    part = closed.data.get("part")
    held = part.get("annotations") if isinstance(part, dict) else None
    return held if isinstance(held, list) else []


RULE = Rule(
    id="annotations",
    holds="a citation comes between its part's beginning and end, by annotation_index, and stands "
    "in the finished part",
    source="streamproof; observed",
    check=_check,
    level="should",
)
