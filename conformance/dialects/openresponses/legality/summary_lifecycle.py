"""summary-lifecycle: a reasoning summary has parts of its own, and no content parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.parts import breaches, kinds, type_of, unbacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Item, Stream

_WHERE = "summary"


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        yield from _as_content(item)
        yield from kinds(item, _WHERE)
        yield from breaches(item, _WHERE)
        yield from unbacked(item, _WHERE)


def _as_content(item: Item) -> Iterator[Defect]:
    for (where, place), events in item.parts.items():
        opened = next((event for event in events if type_of(event) == "summary_text"), None)
        if where != _WHERE and opened:
            yield Defect(
                f"{opened.type} opens a summary of {item} as its content",
                right="response.reasoning_summary_part.added and a summary_index",
                about=topics(f"part:{item.index}:{where}:{place}", f"summary:{item.index}"),
                event=opened.n,
                needs=topics(f"item:{item.index}"),
            )


RULE = Rule(
    id="summary-lifecycle",
    holds="reasoning_summary_part.added, deltas, the whole text, reasoning_summary_part.done, by "
    "summary_index and without content parts",
    source="OpenResponses § schema (summary_index); observed",
    check=_check,
)
