"""delta-sums: the deltas of a part add up to its text, wherever that is told again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.openresponses.parts import topic
from conformance.dialects.openresponses.sums import Telling, contradiction, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


def _check(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            wrong = contradiction(list(_tellings(stream, item, where, place, events)))
            if wrong:
                telling, how = wrong
                yield Defect(
                    f"part {place} in the {where} of {item}: {how}",
                    right="the same text everywhere: the deltas joined",
                    about=topics(topic(item, where, place)),
                    event=telling.event,
                    needs=topics(f"item:{item.index}", "lost"),
                )


def _tellings(
    stream: Stream, item: Item, where: str, place: int, events: list[Event]
) -> Iterator[Telling]:
    yield from _deltas(events)
    for event in events:
        role = ROLES[event.type]
        if role.step == "said" and (text := event.text(role.text)) is not None:
            yield Telling(event.n, event.type, text)
        elif role.step == "closed":
            yield from _part(event.n, event.type, event.data.get("part"))
    if done := item.done:
        yield from _in_list(done.n, done.type, done.item.get(where), place)
    held = stream.final(item)
    if held and stream.terminal:
        yield from _in_list(stream.terminal.n, stream.terminal.type, held.get(where), place)


def _deltas(events: list[Event]) -> Iterator[Telling]:
    """No deltas at all are no telling: a text may come whole."""
    grown = [event for event in events if ROLES[event.type].step == "delta"]
    if grown:
        begun = [text for event in events[:1] for text in _texts(event.data.get("part"))]
        texts = [event.text("delta") or "" for event in grown]
        yield Telling(grown[-1].n, "the sum of the deltas", joined([*begun, *texts]))


def _part(n: int, what: str, part: Any) -> Iterator[Telling]:
    yield from (Telling(n, what, text) for text in _texts(part))


def _texts(part: Any) -> list[str]:
    told = [part.get(name) for name in ("text", "refusal")] if isinstance(part, dict) else []
    return [text for text in told if isinstance(text, str)]


def _in_list(n: int, what: str, parts: Any, place: int) -> Iterator[Telling]:
    """A list that is there and too short leaves the text out."""
    if isinstance(parts, list):
        yield from _part(n, what, parts[place] if place < len(parts) else {"text": ""})


RULE = Rule(
    id="delta-sums",
    holds="deltas joined, the whole text, the part, the finished item and the final response say "
    "the same",
    source="OpenResponses § schema (delta, text); observed",
    check=_check,
)
