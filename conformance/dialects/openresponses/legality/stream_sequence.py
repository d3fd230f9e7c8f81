"""stream-sequence: sequence numbers count the events, from nought and without a gap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Stream

_RIGHT = "sequence numbers that begin with 0 and grow by 1"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two neighbours that have numbers; ``between`` are the events that stand there without."""

    event: Event
    before: int
    number: int
    between: int


def _check(stream: Stream) -> Iterator[Defect]:
    if stream.resorted:
        yield from _out_of_order(stream)
        return
    pairs = list(_pairs(stream))
    for pair in pairs[:1]:
        if pair.number != pair.between:
            yield Defect(
                f"the first event has the number {pair.number}",
                right=_RIGHT,
                about=topics("numbers:first"),
                event=pair.event.n,
            )
    yield from _not_growing([pair for pair in pairs[1:] if pair.number <= pair.before])
    yield from _gaps([pair for pair in pairs[1:] if pair.number > pair.before + 1 + pair.between])


def _pairs(stream: Stream) -> Iterator[_Pair]:
    """Each event that has a number beside the one before it; the first has none before."""
    events = {event.n: event for event in stream.all}
    before, between = -1, 0
    for one in stream.sent:
        event = events.get(one.n)
        if event and event.number is not None:
            yield _Pair(event, before, event.number, between)
            before, between = event.number, 0
        elif one.kind in ("event", "raw"):
            between += 1


def _not_growing(pairs: list[_Pair]) -> Iterator[Defect]:
    # The specification says that the numbers grow where it speaks of extension events.
    pairs.sort(key=lambda pair: not pair.event.is_extension)
    for pair in pairs[:1]:
        yield Defect(
            f"{pair.event.type} has the number {pair.number}, behind {pair.before}{_more(pairs)}",
            right=_RIGHT,
            about=topics("numbers"),
            event=pair.event.n,
            level="must" if pair.event.is_extension else "should",
        )


def _gaps(pairs: list[_Pair]) -> Iterator[Defect]:
    for pair in pairs[:1]:
        yield Defect(
            f"the numbers jump from {pair.before} to {pair.number}{_more(pairs)}",
            right=_RIGHT,
            about=topics("numbers"),
            event=pair.event.n,
        )


def _more(pairs: list[_Pair]) -> str:
    return f" (and {len(pairs) - 1} times more)" if len(pairs) > 1 else ""


def _out_of_order(stream: Stream) -> Iterator[Defect]:
    """In the order of their numbers the events make more sense than in that of the wire."""
    wire = sorted(stream.all, key=lambda event: event.n)
    numbered = [(event, event.number) for event in wire if event.number is not None]
    for (before, first), (event, number) in pairwise(numbered):
        if number < first:
            yield Defect(
                f"the events came out of order: {event.type} has the number {number} and came "
                f"behind {before.type}, which has {first}",
                right="the events in the order of their sequence numbers",
                about=topics("numbers"),
                event=event.n,
                level="must",
            )


RULE = Rule(
    id="stream-sequence",
    holds="sequence numbers give the order of the stream: they begin with 0 and grow by 1",
    source="OpenResponses § Extending Streaming Events; observed",
    check=_check,
    level="should",
)
