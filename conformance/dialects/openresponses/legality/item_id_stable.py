"""item-id-stable: every event of an item names it by the id with which it was added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.stream import ADDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.added and isinstance(item.added.item.get("id"), str):
            yield from _renamed(stream, item, item.added.item["id"])
    yield from _shared(stream)


def _renamed(stream: Stream, item: Item, id_: str) -> Iterator[Defect]:
    told = [(event, _id(event)) for event in item.events]
    held = stream.final(item)
    if held and stream.terminal:
        told.append((stream.terminal, held.get("id")))
    other = [(event, said) for event, said in told if isinstance(said, str) and said != id_]
    if other:
        event, said = other[0]
        more = f" ({len(other)} events with {len({s for _, s in other})} ids)"
        yield Defect(
            f"{event.type} calls {item} {said!r}{more if len(other) > 1 else ''}",
            right=f"the id {id_!r} throughout",
            about=topics(f"id:{item.index}"),
            event=event.n,
            needs=topics(f"item:{item.index}"),
        )


def _id(event: Event) -> object:
    return event.item.get("id") if event.lane == "item" else event.data.get("item_id")


def _shared(stream: Stream) -> Iterator[Defect]:
    """One id for two items."""
    owners: dict[str, Item] = {}
    for item in stream.items.values():
        added = item.added
        id_ = added.item.get("id") if added else None
        if added is None or not isinstance(id_, str):
            continue
        owner = owners.setdefault(id_, item)
        if owner is not item:
            yield Defect(
                f"{ADDED} gives the item at index {item.index} the id {id_!r}, which is that of "
                f"the item at index {owner.index}",
                right="an id of its own for each item",
                about=topics(f"id:{item.index}", f"output:{item.index}"),
                event=added.n,
                needs=topics(f"item:{item.index}"),
            )


RULE = Rule(
    id="item-id-stable",
    holds="item_id is the id with which the item was added and finished, and no other item's",
    source="OpenResponses § schema (item_id)",
    check=_check,
)
