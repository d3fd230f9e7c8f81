"""part-index: the parts of an item are counted from nought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.parts import topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for where in ("content", "summary"):
            yield from _order(item, where)


def _order(item: Item, where: str) -> Iterator[Defect]:
    parts = [(place, events[0]) for (kind, place), events in item.parts.items() if kind == where]
    for right, (place, first) in enumerate(parts):
        if place != right:
            yield Defect(
                f"part number {right + 1} in the {where} of {item} has the index {place}",
                right="indexes 0, 1, 2, … in the order in which parts are added",
                about=topics(f"places:{item.index}:{where}"),
                event=first.n,
                needs=topics(f"item:{item.index}", topic(item, where, place), "lost"),
            )


RULE = Rule(
    id="part-index",
    holds="content_index and summary_index count the parts of an item from 0",
    source="streamproof; observed",
    check=_check,
    level="should",
)
