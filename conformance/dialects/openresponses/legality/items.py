"""Rules on the lifecycle of items: added first, done once, and before the response ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.openresponses.lifecycles import ITEM
from conformance.dialects.openresponses.stream import ADDED, DONE
from conformance.dialects.state_machine import walk
from conformance.findings.finding import Defect, Rule, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


# The field that must have a value when an item is added, by type
_NAMED = {"message": "role", "function_call": "name"}
# Fields that are empty when an item is added
_GROWING = ("content", "summary", "arguments")


def _item_announced(stream: Stream) -> Iterator[Defect]:
    """The first event of an item adds it, with its role or name and without content."""
    for item in stream.items.values():
        first = item.events[0]
        if first.type != ADDED:
            yield _unannounced(item, first)
        elif not first.item:
            yield _null(item, first)
        else:
            yield from _unnamed(item, first)
            yield from _begun(item, first)
    yield from _only_at_the_end(stream)


def _unannounced(item: Item, first: Event) -> Defect:
    when = "before" if item.added else "and never"
    return prose_defect(
        f"{first.type} speaks of the item at index {item.index} {when} {ADDED}",
        right=f"{ADDED} as the first event of every item",
        about=topics(f"item:{item.index}"),
        event=first.n,
        needs=topics("lost"),
    )


def _null(item: Item, first: Event) -> Defect:
    return prose_defect(
        f"the item that is added at index {item.index} is null",
        right="the item, with every field that cannot be null",
        about=topics(f"item:{item.index}"),
        event=first.n,
        needs=topics(f"event:{first.n}"),
    )


def _unnamed(item: Item, first: Event) -> Iterator[Defect]:
    name = _NAMED.get(item.type, "")
    if first.item.get(name) == "":
        yield prose_defect(
            f"{item} is added with an empty {name}",
            right=f"the {name} when the item is added",
            about=topics(f"identity:{item.index}"),
            event=first.n,
        )


def _begun(item: Item, first: Event) -> Iterator[Defect]:
    """An item that is added with content, or with another status than in_progress."""
    status = first.item.get("status", "in_progress")
    early = [name for name in _GROWING if first.item.get(name)]
    if item.type in _NAMED and (status != "in_progress" or early):
        state = [f"status {status!r}"] if status != "in_progress" else []
        yield prose_defect(
            f"{item} is added with {' and '.join(state + early)}",
            right="status 'in_progress' and nothing in it yet",
            about=topics(f"begun:{item.index}"),
            event=first.n,
            level="should",
            needs=topics(f"item:{item.index}", f"event:{first.n}"),
        )


def _only_at_the_end(stream: Stream) -> Iterator[Defect]:
    new = [
        (index, held)
        for index, held in enumerate(stream.output)
        if index not in stream.items and str(held.get("id")) not in stream.ids
    ]
    if new and stream.terminal:
        index, held = new[0]
        more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
        yield prose_defect(
            f"{stream.terminal.type} holds an item that no event spoke of: the "
            f"{held.get('type')} {held.get('id')!r} at index {index}{more}",
            right=f"{ADDED} as the first event of every item",
            about=topics("output"),
            event=stream.terminal.n,
            needs=topics("lost"),
        )


ITEM_ANNOUNCED = Rule(
    id="item-announced",
    holds="the first event of an item is response.output_item.added; a message has its role "
    "there, a call its name, and nothing has grown yet",
    source="OpenResponses § Items; openai; observed",
    check=_item_announced,
)


_STEPS = {ADDED: "added", DONE: "done"}


def _item_lifecycle(stream: Stream) -> Iterator[Defect]:
    """An item is added once and done once, and no event of it follows."""
    for item in stream.items.values():
        # Events before the item was added break item-announced.
        state = "" if item.events[0].type == ADDED else "open"
        steps = [(_STEPS.get(event.type, "child"), event) for event in item.events]
        breach = walk(ITEM, steps, state).breach
        if breach is None:
            continue
        when = "is done" if breach.state == "closed" else "was added"
        yield prose_defect(
            f"{breach.event.type} comes when {item} {when}",
            right=f"{ADDED} once, {DONE} once, and nothing after it",
            about=topics(f"item:{item.index}"),
            event=breach.event.n,
        )


ITEM_LIFECYCLE = Rule(
    id="item-lifecycle",
    holds="an item is added once and done once; a finished item is never updated",
    source="OpenResponses § Items; openai",
    check=_item_lifecycle,
)


def _items_finished(stream: Stream) -> Iterator[Defect]:
    """All items are done before the response completes; only the last may be incomplete."""
    end = stream.terminal
    if end is None or end.type == "response.failed":
        return
    for item in stream.items.values():
        if item.done is None:
            yield _unfinished(item, end)
    yield from _cut_short(stream, end)


def _unfinished(item: Item, end: Event) -> Defect:
    return prose_defect(
        f"{end.type} comes when {item} is not done",
        right=f"{DONE} for every item before {end.type}",
        about=topics(f"item:{item.index}", f"output:{item.index}"),
        event=end.n,
        level="must" if end.type == "response.completed" else "should",
        needs=topics("lost", f"done:{item.index}"),
    )


def _cut_short(stream: Stream, end: Event) -> Iterator[Defect]:
    items = sorted(stream.items.values(), key=lambda item: item.index)
    for item in items:
        if not item.cut_short or item.done is None:
            continue
        if end.type != "response.incomplete":
            yield prose_defect(
                f"{item} is incomplete, but the response ends with {end.type}",
                right="response.incomplete when an item is incomplete",
                about=topics("cut"),
                event=end.n,
                needs=topics(f"item:{item.index}"),
            )
        elif item is not items[-1]:
            yield prose_defect(
                f"{item} is incomplete, but it is not the last item",
                right="nothing after an item that was cut short",
                about=topics("cut"),
                event=item.done.n,
                needs=topics(f"item:{item.index}"),
            )


ITEMS_FINISHED = Rule(
    id="items-finished",
    holds="every item is done before the response is completed; an incomplete item is the last, "
    "and so is its response incomplete",
    source="OpenResponses § Items; openai",
    check=_items_finished,
)
