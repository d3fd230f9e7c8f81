"""arguments-sum: the deltas of a call add up to its arguments, wherever those are told again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.sums import Telling, contradiction, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream

_DELTA = "response.function_call_arguments.delta"
_SAID = "response.function_call_arguments.done"


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        if item.type != "function_call":
            continue
        wrong = contradiction(list(_tellings(stream, item)))
        if wrong:
            telling, how = wrong
            yield Defect(
                f"the arguments of {item}: {how}",
                right="the same arguments everywhere: the deltas joined",
                about=topics(f"call:{item.index}"),
                event=telling.event,
                needs=topics(f"item:{item.index}", "lost"),
            )


def _tellings(stream: Stream, item: Item) -> Iterator[Telling]:
    yield from _deltas(item)
    for event in item.events:
        if event.type == _SAID:
            yield from _told(event, event.data.get("arguments"))
    if item.done:
        yield from _told(item.done, item.done.item.get("arguments"))
    held = stream.final(item)
    if held and stream.terminal:
        yield from _told(stream.terminal, held.get("arguments"))


def _deltas(item: Item) -> Iterator[Telling]:
    """No deltas at all are no telling: arguments may come whole."""
    grown = [event for event in item.events if event.type == _DELTA]
    if grown:
        begun = item.added.item.get("arguments") if item.added else ""
        texts = [begun if isinstance(begun, str) else "", *(e.text("delta") or "" for e in grown)]
        yield Telling(grown[-1].n, "the sum of the deltas", joined(texts))


def _told(event: Event, arguments: Any) -> Iterator[Telling]:
    if isinstance(arguments, str):
        yield Telling(event.n, event.type, arguments)


RULE = Rule(
    id="arguments-sum",
    holds="deltas joined, the arguments' own end, the finished item and the final response say the "
    "same",
    source="OpenResponses § schema (delta, arguments); observed",
    check=_check,
)
