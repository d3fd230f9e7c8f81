"""item-identity: an item is finished as what it was announced as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Stream

_KEPT = ("type", "call_id", "name")


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if not (item.added and item.done and item.added.item and item.done.item):
            continue
        before, after = item.added.item, item.done.item
        changed = [name for name in _KEPT if before.get(name) != after.get(name)]
        if changed:
            name = changed[0]
            yield Defect(
                f"{item} was added with {name} {before.get(name)!r} and is done with "
                f"{after.get(name)!r}",
                right="type, call_id and name as they were when the item was added",
                about=topics(f"identity:{item.index}", f"output:{item.index}"),
                event=item.done.n,
                needs=topics(f"item:{item.index}", f"event:{item.added.n}", f"event:{item.done.n}"),
            )


RULE = Rule(
    id="item-identity",
    holds="type, call_id and name are the same when an item is added and when it is done",
    source="openai; streamproof",
    check=_check,
    level="should",
)
