"""part-lifecycle: content is backed by a part that opens, grows, is said in whole and closes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule
from conformance.dialects.openresponses.parts import breaches, kinds, unbacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.openresponses.stream import Stream

_WHERE = "content"


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        # A call has no parts at all; that is another rule's.
        if item.type != "function_call":
            yield from kinds(item, _WHERE)
            yield from breaches(item, _WHERE)
            yield from unbacked(item, _WHERE)


RULE = Rule(
    id="part-lifecycle",
    holds="content_part.added, deltas, the whole text, content_part.done, then the next part; the "
    "part is of the type that its deltas have",
    source="OpenResponses § Items; OpenResponses § schema (part)",
    check=_check,
)
