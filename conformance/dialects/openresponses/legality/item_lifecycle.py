"""item-lifecycle: an item is added once, done once, and then left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import ITEM, walk
from conformance.dialects.openresponses.stream import ADDED, DONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Stream

_STEPS = {ADDED: "added", DONE: "done"}


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        # What comes before the item was added is not for this rule to name.
        state = "" if item.events[0].type == ADDED else "open"
        steps = [(_STEPS.get(event.type, "child"), event) for event in item.events]
        breach = walk(ITEM, steps, state).breach
        if breach is None:
            continue
        when = "is done" if breach.state == "closed" else "was added"
        yield Defect(
            f"{breach.event.type} comes when {item} {when}",
            right=f"{ADDED} once, {DONE} once, and nothing after it",
            about=topics(f"item:{item.index}"),
            event=breach.event.n,
        )


RULE = Rule(
    id="item-lifecycle",
    holds="an item is added once and done once; a finished item is never updated",
    source="OpenResponses § Items; openai",
    check=_check,
)
