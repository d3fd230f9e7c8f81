"""arguments-parse: finished arguments are JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.arguments import parses, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.type != "function_call" or item.done is None or item.cut_short:
            continue
        arguments = item.done.item.get("arguments")
        if isinstance(arguments, str) and not parses(arguments):
            yield Defect(
                f"the arguments of {item} are not JSON: {shown(arguments)!r}",
                right="arguments that parse as JSON",
                about=topics(f"call:{item.index}"),
                event=item.done.n,
                needs=topics(f"item:{item.index}"),
            )


RULE = Rule(
    id="arguments-parse",
    holds="the arguments of a finished call parse as JSON",
    source="streamproof",
    check=_check,
    level="should",
)
