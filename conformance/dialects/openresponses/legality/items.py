"""Rules on the lifecycle of items: added first, done once, and before the response ends."""

from collections.abc import Iterator
from typing import Any

from conformance.dialects.openresponses.lifecycles import ITEM
from conformance.dialects.openresponses.stream import ADDED, DONE, Event, Item, Stream
from conformance.dialects.state_machine import walk
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from conformance.findings.values import ItemValue

# The field that must have a value when an item is added, by type
_NAMED = {"message": "role", "function_call": "name"}
# Fields that are empty when an item is added
_GROWING = ("content", "summary", "arguments")


_ADDED_FIRST = f"{ADDED} as the first event of every item"


class NotAddedFirst(Kind):
    """An event is about an item that was not added before."""

    type: str
    index: int
    is_added_later: bool

    message = (
        "{type} speaks of the item at index {index} [[{is_added_later:if}before|and never]] "
        "response.output_item.added"
    )
    right = _ADDED_FIRST
    same_by = ("type", "is_added_later")


class AddedAsNull(Kind):
    """The item that is added is null."""

    index: int

    message = "the item that is added at index {index} is null"
    right = "the item, with every field that cannot be null"


class AddedWithoutName(Kind):
    """A message is added without its role, or a call without its name."""

    item: ItemValue
    field: str

    message = "{item:item} is added with an empty {field}"
    right = "the {field} when the item is added"
    same_by = ("field",)


class AddedWithContent(Kind):
    """An item is added with content, or with another status than ``in_progress``."""

    item: ItemValue
    status: tuple[Any, ...]
    fields: tuple[str, ...]

    message = (
        "{item:item} is added with [[status {status:either}]][[{status:if}{fields:if} and ]]"
        "[[{fields:and}]]"
    )
    right = "status 'in_progress' and nothing in it yet"
    same_by = ("item.type", "status", "fields")


class OnlyInOutput(Kind):
    """The final response has an item that no event is about."""

    type: str
    item_type: Any
    id: Any
    index: int
    more: int

    message = (
        "{type} holds an item that no event spoke of: the {item_type} {id!r} at index {index}"
        "[[ (and {more} more)]]"
    )
    right = _ADDED_FIRST
    same_by = ("type", "item_type")


@rule(
    holds="the first event of an item is response.output_item.added; a message has its role "
    "there, a call its name, and nothing has grown yet",
    source="OpenResponses § Items; openai; observed",
    kinds=(NotAddedFirst, AddedAsNull, AddedWithoutName, AddedWithContent, OnlyInOutput),
)
def item_announced(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        first = item.events[0]
        if first.type != ADDED:
            kind = NotAddedFirst(first.type, item.index, item.added is not None)
            yield item.defect(kind, first.n, "item:")
        elif not first.item:
            yield item.defect(AddedAsNull(item.index), first.n, "item:", f"event:{first.n}")
        else:
            yield from _begun(item, first)
    yield from _only_at_the_end(stream)


def _begun(item: Item, first: Event) -> Iterator[Defect]:
    """An item that is added without its name, with content, or with a wrong status."""
    name = _NAMED.get(item.type, "")
    if first.item.get(name) == "":
        yield item.defect(AddedWithoutName(item.value, name), first.n, "identity:", "")
    status = first.item.get("status", "in_progress")
    early = tuple(name for name in _GROWING if first.item.get(name))
    if name and (status != "in_progress" or early):
        kind = AddedWithContent(item.value, (status,) if status != "in_progress" else (), early)
        yield item.defect(kind, first.n, "begun:", f"item: event:{first.n}", "should")


def _only_at_the_end(stream: Stream) -> Iterator[Defect]:
    new = [
        (index, held)
        for index, held in enumerate(stream.output)
        if index not in stream.items and str(held.get("id")) not in stream.ids
    ]
    if new and stream.terminal:
        index, held = new[0]
        about = held.get("type"), held.get("id"), index, len(new) - 1
        kind = OnlyInOutput(stream.terminal.type, *about)
        yield Defect(kind, topics("output"), stream.terminal.n, needs=topics("lost"))


_STEPS = {ADDED: "added", DONE: "done"}
_ONCE = f"{ADDED} once, {DONE} once, and nothing after it"


class AddedAgain(Kind):
    """An item is added a second time."""

    item: ItemValue

    message = "response.output_item.added comes when {item:item} was added"
    right = _ONCE


class AfterItem(Kind):
    """An event of an item comes after the item was done."""

    type: str
    item: ItemValue

    message = "{type} comes when {item:item} is done"
    right = _ONCE
    same_by = ("type",)


@rule(
    holds="an item is added once and done once; a finished item is never updated",
    source="OpenResponses § Items; openai",
    kinds=(AddedAgain, AfterItem),
)
def item_lifecycle(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        # Events before the item was added break item-announced.
        state = "" if item.events[0].type == ADDED else "open"
        steps = [(_STEPS.get(event.type, "child"), event) for event in item.events]
        if breach := walk(ITEM, steps, state).breach:
            after = AfterItem(breach.event.type, item.value)
            kind = after if breach.state == "closed" else AddedAgain(item.value)
            yield item.defect(kind, breach.event.n, "item:", "")


class NotDone(Kind):
    """The response ends when an item is not done."""

    type: str
    item: ItemValue

    message = "{type} comes when {item:item} is not done"
    right = f"{DONE} for every item before {{type}}"
    same_by = ("type", "item.type")


class NotIncomplete(Kind):
    """An item is incomplete, and its response is not."""

    item: ItemValue
    type: str

    message = "{item:item} is incomplete, but the response ends with {type}"
    right = "response.incomplete when an item is incomplete"
    same_by = ("type",)


class AfterIncomplete(Kind):
    """An item follows one that is incomplete."""

    item: ItemValue

    message = "{item:item} is incomplete, but it is not the last item"
    right = "nothing after an item that was cut short"


@rule(
    holds="every item is done before the response is completed; an incomplete item is the last, "
    "and so is its response incomplete",
    source="OpenResponses § Items; openai",
    kinds=(NotDone, NotIncomplete, AfterIncomplete),
)
def items_finished(stream: Stream) -> Iterator[Defect]:
    end = stream.terminal
    if end is None or end.type == "response.failed":
        return
    for item in stream.items.values():
        if item.done is None:
            level: Level = "must" if end.type == "response.completed" else "should"
            kind = NotDone(end.type, item.value)
            yield item.defect(kind, end.n, "item: output:", "lost done:", level)
    yield from _cut_short(stream, end)


def _cut_short(stream: Stream, end: Event) -> Iterator[Defect]:
    items = sorted(stream.items.values(), key=lambda item: item.index)
    for item in items:
        if not item.cut_short or item.done is None:
            continue
        if end.type != "response.incomplete":
            yield item.defect(NotIncomplete(item.value, end.type), end.n, "cut", "item:")
        elif item is not items[-1]:
            yield item.defect(AfterIncomplete(item.value), item.done.n, "cut", "item:")
