"""Rules on the content of an item's parts: their texts and citations."""

from collections.abc import Iterator
from typing import Any

from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.openresponses.stream import Event, Item, Stream, joined_deltas
from conformance.dialects.text_versions import TextVersion, first_difference
from conformance.findings.finding import Defect, Kind, Level, rule
from conformance.findings.values import ItemValue, TextDifference
from mockserver.foundation.json_fields import listed, mapping


class NoDelta(Kind):
    """A part has a text of which no delta came."""

    type: str
    text: str
    part: int
    where: str
    item: ItemValue

    message = (
        "{type} has the text {text:quoted-arguments} for part {part} in the {where} of "
        "{item:item}, of which no delta came"
    )
    right = "the text of the part in one delta or more, before it is done"
    same_by = ("type", "where")


@rule(
    # The clause is about content parts. On summaries there is only "must follow this delta event
    # pattern", in small letters, about all streamable objects.
    holds="a part with text has at least one delta: must for content, should for a summary; an "
    "empty part and the arguments of a call need none",
    source="OpenResponses § Items are streamable; OpenResponses § Streaming",
    kinds=(NoDelta,),
)
def part_deltas(stream: Stream) -> Iterator[Defect]:
    """A part with text has at least one delta; an empty part needs none.

    A part that no event streamed breaks part-lifecycle or summary-lifecycle.
    """
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            if any(ROLES[event.type].step == "delta" for event in events):
                continue
            whole = _text_versions(stream, item, where, place, events)
            if text := next((version for version in whole if version.text), None):
                kind = NoDelta(text.source, text.text, place, where, item.value)
                about = f"deltas:{item.index}:{where}:{place}"
                needs = f"item: lost {item.part_topic(where, place)}"
                level: Level = "must" if where == "content" else "should"
                yield item.defect(kind, text.event, about, needs, level)


class TextsDiffer(Kind):
    """Two events have different texts of one part."""

    part: int
    where: str
    item: ItemValue
    difference: TextDifference

    message = "part {part} in the {where} of {item:item}: {difference:difference}"
    right = "the same text everywhere: the deltas joined"
    same_by = ("where", "difference.source", "difference.other_source")


@rule(
    holds="deltas joined, the whole text, the part, the finished item and the final response say "
    "the same",
    source="OpenResponses § schema (delta, text); observed",
    kinds=(TextsDiffer,),
)
def delta_sums(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            wrong = first_difference(list(_text_versions(stream, item, where, place, events)))
            if wrong:
                event, difference = wrong
                kind = TextsDiffer(place, where, item.value, difference)
                yield item.defect(kind, event, item.part_topic(where, place))


def _text_versions(
    stream: Stream, item: Item, where: str, place: int, events: list[Event]
) -> Iterator[TextVersion]:
    grown = [event for event in events if ROLES[event.type].step == "delta"]
    yield from joined_deltas(grown, *_texts(events[0].data.get("part")))
    for event in events:
        role = ROLES[event.type]
        if role.step == "complete":
            yield from event.versions(event.data.get(role.text))
        elif role.step == "closed":
            yield from _part(event, event.data.get("part"))
    for event, held in stream.finished(item):
        if isinstance(parts := held.get(where), list):
            # A part that the list does not have has no text.
            yield from _part(event, parts[place] if place < len(parts) else {"text": ""})


def _part(event: Event, part: Any) -> Iterator[TextVersion]:
    yield from (TextVersion(event.n, event.type, text) for text in _texts(part))


def _texts(part: Any) -> list[str]:
    texts = (mapping(part).get(name) for name in ("text", "refusal"))
    return [text for text in texts if isinstance(text, str)]


class _Citation(Kind):
    part: int
    item: ItemValue

    right = "citations 0, 1, 2, … of an open part, all of them in the part at its end"


class CitedTooEarly(_Citation):
    """A citation comes before its part."""

    message = "a citation comes before its part, at part {part} of {item:item}"


class CitedTooLate(_Citation):
    """A citation comes after its part was done."""

    message = "a citation comes after its part was done, at part {part} of {item:item}"


class WrongCitationIndex(_Citation):
    """The citations of a part are not counted from 0."""

    number: int
    index: int

    message = "citation number {number} has the index {index}, at part {part} of {item:item}"


class CitationsMissing(_Citation):
    """The finished part does not have all citations that were sent."""

    citations: int

    message = (
        "{citations} citation(s) are missing from the finished part, at part {part} of {item:item}"
    )


@rule(
    holds="a citation comes between its part's beginning and end, by annotation_index, and stands "
    "in the finished part",
    source="streamproof; observed",
    level="should",
    kinds=(CitedTooEarly, CitedTooLate, WrongCitationIndex, CitationsMissing),
)
def annotations(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            steps = [ROLES[event.type].step for event in events]
            cited = [k for k, step in enumerate(steps) if step == "cited"]
            unread = [f"event:{event.n}" for event in events]
            for kind, event in _wrong_citations(place, item.value, events, steps, cited):
                needs = " ".join(["item: lost", item.part_topic(where, place), *unread])
                yield item.defect(kind, event.n, f"cited:{item.index}:{place}", needs)


def _wrong_citations(
    part: int, item: ItemValue, events: list[Event], steps: list[str], cited: list[int]
) -> Iterator[tuple[Kind, Event]]:
    for number, k in enumerate(cited):
        index = events[k].index("annotation_index")
        if "added" not in steps[:k]:
            yield CitedTooEarly(part, item), events[k]
        elif "closed" in steps[:k]:
            yield CitedTooLate(part, item), events[k]
        elif index is not None and index != number:
            yield WrongCitationIndex(part, item, number + 1, index), events[k]
    for closed in (k for k, step in enumerate(steps) if step == "closed"):
        held = listed(mapping(events[closed].data.get("part")).get("annotations"))
        lost = [k for k in cited if events[k].data.get("annotation") not in held]
        if lost:
            yield CitationsMissing(part, item, len(lost)), events[lost[0]]
