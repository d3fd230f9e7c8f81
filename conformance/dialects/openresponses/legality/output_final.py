"""output-final: the final response holds the items as they were finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        held = stream.final(item)
        if held is None or item.done is None or not item.done.item or stream.terminal is None:
            continue
        told = item.done.item
        changed = sorted(k for k in told.keys() | held.keys() if told.get(k) != held.get(k))
        if changed:
            yield Defect(
                f"{stream.terminal.type} has {item} with another {', '.join(changed)}",
                right=f"the item as {item.done.type} had it",
                about=topics(f"output:{item.index}"),
                event=stream.terminal.n,
                needs=_needs(item),
            )


def _needs(item: Item) -> frozenset[str]:
    """A difference that a rule about ids or texts has named is not named again."""
    index = item.index
    parts = (f"part:{index}:{where}:{place}" for where, place in item.parts)
    return topics(f"item:{index}", f"id:{index}", f"call:{index}", *parts, "lost")


RULE = Rule(
    id="output-final",
    holds="the items of the final response equal those that were done",
    source="observed",
    check=_check,
    level="should",
)
