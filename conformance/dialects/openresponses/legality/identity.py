"""Rules on indexes and ids: each identifies one item in all events and in the final response."""

from collections.abc import Iterator
from typing import Any

from conformance.dialects.openresponses.stream import ADDED, Event, Item, Stream
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ItemValue


class IndexUsedAgain(Kind):
    """Two items have the same index."""

    index: int
    type: Any
    id: Any
    item: ItemValue

    message = (
        "index {index} is given to a second item, the {type} {id!r}; it is that of {item:item}"
    )
    right = "an index of its own for each item"


class WrongIndex(Kind):
    """An event has the id of an item and another index."""

    type: str
    index: Any
    item: ItemValue

    message = "{type} says output_index {index!r}, but it is about {item:item}"
    right = "output_index {item.index} in every event of that item"
    same_by = ("type",)


class NotInOutput(Kind):
    """Items are not at their index in the final output."""

    type: str
    held: int
    item: ItemValue
    more: int

    message = (
        "the output of {type} ({held} items) does not hold {item:item} there[[ (and {more} more)]]"
    )
    right = "every item in the final output, each at its index"
    same_by = ("type",)


class NotCounted(Kind):
    """The index of an item is not its place in the order in which items are added."""

    number: int
    index: int

    message = "item number {number} has the index {index}"
    right = "indexes 0, 1, 2, … in the order in which items are added"


@rule(
    holds="an output_index stands for one item; indexes count up as items are added, and are the "
    "places of the final output",
    source="OpenResponses § schema (output_index); observed",
    kinds=(IndexUsedAgain, WrongIndex, NotInOutput, NotCounted),
)
def index_stable(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        yield from _reused_index(item)
    for event, item in stream.misindexed:
        kind = WrongIndex(event.type, event.data.get("output_index"), item.value)
        yield item.defect(kind, event.n, "index:", f"event:{event.n}")
    yield from _missing_from_output(stream)
    yield from _order(stream)


def _reused_index(item: Item) -> Iterator[Defect]:
    """An index that is used by two items."""
    added = [
        (event.n, event.item.get("type"), event.item.get("id"))
        for event in item.events
        if event.type == ADDED
    ]
    if other := next((each for each in added if each[1:] != added[0][1:]), None):
        n, type_, id_ = other
        yield item.defect(IndexUsedAgain(item.index, type_, id_, item.value), n, "item:", "")


def _missing_from_output(stream: Stream) -> Iterator[Defect]:
    """Items that are not at their index in the final output.

    A failed response may leave out unfinished items, which changes the indexes of the others.
    """
    end = stream.terminal
    items = list(stream.items.values())
    if end is None or end.type == "response.failed":
        return
    if not isinstance(end.response.get("output"), list):
        return
    if any(item.done is None for item in items) and end.type != "response.completed":
        return
    missing = [item for item in items if stream.final(item) is None and item.snapshots]
    if missing:
        kind = NotInOutput(end.type, len(stream.output), missing[0].value, len(missing) - 1)
        about = topics("output", *(f"output:{item.index}" for item in missing))
        needs = topics("lost", *(f"item:{item.index}" for item in missing))
        yield Defect(kind, about, end.n, needs=needs)


def _order(stream: Stream) -> Iterator[Defect]:
    # An item that was never announced moves those after it.
    needs = topics(*(f"item:{index}" for index in stream.items), "output", "lost")
    for place, item in enumerate(stream.items.values()):
        if item.index != place:
            kind, first = NotCounted(place + 1, item.index), item.events[0]
            yield Defect(kind, topics("order"), first.n, level="should", needs=needs)


class IdChanged(Kind):
    """Events give an item another id than the one with which it was added."""

    type: str
    item: ItemValue
    id: str
    right_id: str
    events: int
    ids: int
    more: int

    message = "{type} calls {item:item} {id!r}[[{more:if} ({events} events with {ids} ids)]]"
    right = "the id {right_id!r} throughout"


class IdUsedAgain(Kind):
    """Two items have the same id."""

    index: int
    id: str
    other: int

    message = (
        "response.output_item.added gives the item at index {index} the id {id!r}, which is that "
        "of the item at index {other}"
    )
    right = "an id of its own for each item"


@rule(
    holds="item_id is the id with which the item was added and finished, and no other item's",
    source="OpenResponses § schema (item_id)",
    kinds=(IdChanged, IdUsedAgain),
)
def item_id_stable(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.added and isinstance(item.added.item.get("id"), str):
            yield from _changed_id(stream, item, item.added.item["id"])
    yield from _shared_id(stream)


def _changed_id(stream: Stream, item: Item, id_: str) -> Iterator[Defect]:
    ids = [(event, _id(event)) for event in item.events]
    held = stream.final(item)
    if held and stream.terminal:
        ids.append((stream.terminal, held.get("id")))
    other = [(event, said) for event, said in ids if isinstance(said, str) and said != id_]
    if other:
        event, said = other[0]
        counts = len(other), len({said for _, said in other}), len(other) - 1
        kind = IdChanged(event.type, item.value, said, id_, *counts)
        yield item.defect(kind, event.n, "id:", "item:")


def _id(event: Event) -> object:
    return event.item.get("id") if event.category == "item" else event.data.get("item_id")


def _shared_id(stream: Stream) -> Iterator[Defect]:
    """An id that is used by two items."""
    owners: dict[str, Item] = {}
    for item in stream.items.values():
        id_ = item.added.item.get("id") if item.added else None
        if item.added and isinstance(id_, str) and owners.setdefault(id_, item) is not item:
            kind = IdUsedAgain(item.index, id_, owners[id_].index)
            yield item.defect(kind, item.added.n, "id: output:", "item:")


_CONSTANT_FIELDS = ("type", "call_id", "name")


class FieldChanged(Kind):
    """An item is done with another type, call_id or name than it was added with."""

    item: ItemValue
    field: str
    before: Any
    after: Any

    message = "{item:item} was added with {field} {before!r} and is done with {after!r}"
    right = "type, call_id and name as they were when the item was added"
    same_by = ("field",)


@rule(
    holds="type, call_id and name are the same when an item is added and when it is done",
    source="openai; streamproof",
    level="should",
    kinds=(FieldChanged,),
)
def item_identity(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if not (item.added and item.done and item.added.item and item.done.item):
            continue
        before, after = item.added.item, item.done.item
        changed = [name for name in _CONSTANT_FIELDS if before.get(name) != after.get(name)]
        for name in changed[:1]:
            kind = FieldChanged(item.value, name, before.get(name), after.get(name))
            needs = f"item: event:{item.added.n} event:{item.done.n}"
            yield item.defect(kind, item.done.n, "identity: output:", needs)
