"""item-announced: the first event of every item is the one that adds it, with what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.stream import ADDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream

# What an item must already have a value for when it is added
_NAMED = {"message": "role", "function_call": "name"}
# What still grows, and is empty at first
_GROWING = ("content", "summary", "arguments")


def _check(stream: Stream) -> Iterator[Defect]:
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
    return Defect(
        f"{first.type} speaks of the item at index {item.index} {when} {ADDED}",
        right=f"{ADDED} as the first event of every item",
        about=topics(f"item:{item.index}"),
        event=first.n,
        needs=topics("lost"),
    )


def _null(item: Item, first: Event) -> Defect:
    return Defect(
        f"the item that is added at index {item.index} is null",
        right="the item, with every field that cannot be null",
        about=topics(f"item:{item.index}"),
        event=first.n,
        needs=topics(f"event:{first.n}"),
    )


def _unnamed(item: Item, first: Event) -> Iterator[Defect]:
    name = _NAMED.get(item.type, "")
    if first.item.get(name) == "":
        yield Defect(
            f"{item} is added with an empty {name}",
            right=f"the {name} when the item is added",
            about=topics(f"identity:{item.index}"),
            event=first.n,
        )


def _begun(item: Item, first: Event) -> Iterator[Defect]:
    """An item that is only added has neither been worked on nor finished."""
    status = first.item.get("status", "in_progress")
    early = [name for name in _GROWING if first.item.get(name)]
    if item.type in _NAMED and (status != "in_progress" or early):
        state = [f"status {status!r}"] if status != "in_progress" else []
        yield Defect(
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
        yield Defect(
            f"{stream.terminal.type} holds an item that no event spoke of: the "
            f"{held.get('type')} {held.get('id')!r} at index {index}{more}",
            right=f"{ADDED} as the first event of every item",
            about=topics("output"),
            event=stream.terminal.n,
            needs=topics("lost"),
        )


RULE = Rule(
    id="item-announced",
    holds="the first event of an item is response.output_item.added; a message has its role "
    "there, a call its name, and nothing has grown yet",
    source="OpenResponses § Items; openai; observed",
    check=_check,
)
