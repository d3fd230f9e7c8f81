"""items-finished: a response is over when its items are; only the last may be cut short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.stream import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    end = stream.terminal
    if end is None or end.type == "response.failed":
        return
    for item in stream.items.values():
        if item.done is None:
            yield _unfinished(item, end)
    yield from _cut_short(stream, end)


def _unfinished(item: Item, end: Event) -> Defect:
    return Defect(
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
            yield Defect(
                f"{item} is incomplete, but the response ends with {end.type}",
                right="response.incomplete when an item is incomplete",
                about=topics("cut"),
                event=end.n,
                needs=topics(f"item:{item.index}"),
            )
        elif item is not items[-1]:
            yield Defect(
                f"{item} is incomplete, but it is not the last item",
                right="nothing after an item that was cut short",
                about=topics("cut"),
                event=item.done.n,
                needs=topics(f"item:{item.index}"),
            )


RULE = Rule(
    id="items-finished",
    holds="every item is done before the response is completed; an incomplete item is the last, "
    "and so is its response incomplete",
    source="OpenResponses § Items; openai",
    check=_check,
)
