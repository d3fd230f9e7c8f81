"""index-stable: an output index stands for one item, from its first event to the final response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.stream import ADDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        yield from _taken(item)
    yield from _strays(stream)
    yield from _final(stream)
    yield from _order(stream)


def _taken(item: Item) -> Iterator[Defect]:
    """Two items at one index."""
    added = [event for event in item.events if event.type == ADDED]
    other = next((event for event in added[1:] if _which(event) != _which(added[0])), None)
    if other:
        yield Defect(
            f"index {item.index} is given to a second item, the {other.item.get('type')} "
            f"{other.item.get('id')!r}; it is that of {item}",
            right="an index of its own for each item",
            about=topics(f"item:{item.index}"),
            event=other.n,
        )


def _which(event: Event) -> tuple[object, object]:
    return event.item.get("type"), event.item.get("id")


def _strays(stream: Stream) -> Iterator[Defect]:
    for event, item in stream.strays:
        yield Defect(
            f"{event.type} says output_index {event.data.get('output_index')!r}, but it is "
            f"about {item}",
            right=f"output_index {item.index} in every event of that item",
            about=topics(f"index:{item.index}"),
            event=event.n,
            needs=topics(f"event:{event.n}"),
        )


def _final(stream: Stream) -> Iterator[Defect]:
    """A response that failed may leave out what it never finished, and so move the rest."""
    end = stream.terminal
    items = list(stream.items.values())
    if end is None or end.type == "response.failed" or not isinstance(_output(end), list):
        return
    if any(item.done is None for item in items) and end.type != "response.completed":
        return
    missing = [item for item in items if stream.final(item) is None and item.tellings]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        yield Defect(
            f"the output of {end.type} ({len(stream.output)} items) does not hold "
            f"{missing[0]} there{more}",
            right="every item in the final output, each at its index",
            about=topics("output", *(f"output:{item.index}" for item in missing)),
            event=end.n,
            needs=topics(*(f"item:{item.index}" for item in missing), "lost"),
        )


def _output(end: Event) -> object:
    return end.response.get("output")


def _order(stream: Stream) -> Iterator[Defect]:
    for place, item in enumerate(stream.items.values()):
        if item.index != place:
            yield Defect(
                f"item number {place + 1} has the index {item.index}",
                right="indexes 0, 1, 2, … in the order in which items are added",
                about=topics("order"),
                event=item.events[0].n,
                level="should",
                # An item that was never announced moves those behind it.
                needs=topics(*(f"item:{index}" for index in stream.items), "output", "lost"),
            )


RULE = Rule(
    id="index-stable",
    holds="an output_index stands for one item; indexes count up as items are added, and are the "
    "places of the final output",
    source="OpenResponses § schema (output_index); observed",
    check=_check,
)
