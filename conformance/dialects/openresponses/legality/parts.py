"""Rules on the parts of an item, its ``content`` and its ``summary``: lifecycle and order."""

from collections.abc import Iterator
from typing import Literal

from conformance.dialects.openresponses.lifecycles import PART, ROLES
from conformance.dialects.openresponses.stream import Event, Item, Stream
from conformance.dialects.state_machine import walk
from conformance.findings.finding import Defect, Kind, rule
from conformance.findings.values import ItemValue
from mockserver.foundation.json_fields import listed, mapping, text

_List = Literal["content", "summary"]
_NAMES = {"content": "response.content_part", "summary": "response.reasoning_summary_part"}
_STREAMED = frozenset({"output_text", "refusal", "reasoning_text", "summary_text"})


class _OfPart(Kind):
    part: int
    item: ItemValue
    where: _List

    phrases = {"where": _NAMES}


class OutOfOrder(_OfPart):
    """A step of a part comes in a state in which it may not come."""

    type: str
    state: str

    message = "{type} of part {part} of {item:item} comes {state:phrase}"
    right = "{where:phrase}.added, deltas, the whole, {where:phrase}.done"
    same_by = ("type", "state")
    phrases = {
        "where": _NAMES,
        "state": {
            "": "before it was added",
            "open": "when it was added already",
            "growing": "when it has grown and was not said in whole",
            "complete": "after it was said in whole",
            "closed": "after it was done",
        },
    }


class LeftOpen(_OfPart):
    """An item is done when one of its parts is not."""

    message = "response.output_item.done comes when part {part} of {item:item} is not done"
    right = "{where:phrase}.done for every part before its item is done"
    same_by = ("where",)


class Interleaved(_OfPart):
    """A part is added when the one before it is not done."""

    other: int

    message = "part {part} of {item:item} is added when part {other} is not done"
    right = "{where:phrase}.done before the next part"
    same_by = ("where",)


class WrongPartType(_OfPart):
    """An event is about a part of another type than those that have such events."""

    type: str
    part_type: str
    right_types: tuple[str, ...]

    message = "{type} is about part {part} of {item:item}, which is of type {part_type!r}"
    right = "a part of type {right_types:or}"
    same_by = ("type", "part_type")


class NotStreamed(_OfPart):
    """An item is done with a part that no event streamed."""

    message = "{item:item} is done with a part {part} in its {where} that was never streamed"
    right = "{where:phrase}.added and what follows it for every part"
    same_by = ("where",)


_LIFECYCLE = (OutOfOrder, LeftOpen, Interleaved, WrongPartType, NotStreamed)


def _type_of(event: Event) -> str:
    """The type of the part in an event; empty if there is none."""
    return text(mapping(event.data.get("part")).get("type"))


def _defects_in(item: Item, where: _List) -> Iterator[Defect]:
    """What is wrong with the parts in one list of an item."""
    yield from _type_mismatches(item, where)
    yield from _lifecycle_defects(item, where)
    yield from _unstreamed_parts(item, where)


def _lifecycle_defects(item: Item, where: _List) -> Iterator[Defect]:
    """Parts that break the lifecycle ``PART``, and parts added before the previous one is done."""
    for place, events in _parts(item, where):
        steps = [(ROLES[e.type].step, e) for e in events if ROLES[e.type].step != "cited"]
        walked = walk(PART, steps)
        topic = item.part_topic(where, place)
        if breach := walked.breach:
            kind = OutOfOrder(place, item.value, where, breach.event.type, breach.state)
            yield item.defect(kind, breach.event.n, topic)
        elif steps and walked.state != "closed" and item.done and not item.cut_short:
            yield item.defect(LeftOpen(place, item.value, where), item.done.n, topic)
    yield from _interleaved(item, where)


def _parts(item: Item, where: str) -> list[tuple[int, list[Event]]]:
    return [(place, events) for (kind, place), events in item.parts.items() if kind == where]


def _interleaved(item: Item, where: _List) -> Iterator[Defect]:
    """Parts that are added before the previous part is done."""
    open_: int | None = None
    for event in item.events:
        role = ROLES.get(event.type)
        if role is None or role.where != where or role.step not in ("added", "closed"):
            continue
        place = event.index(role.index)
        if role.step == "added" and open_ is not None and place is not None and place != open_:
            both = f"{item.part_topic(where, place)} {item.part_topic(where, open_)}"
            yield item.defect(Interleaved(place, item.value, where, open_), event.n, both)
        open_ = place if role.step == "added" else None


def _type_mismatches(item: Item, where: _List) -> Iterator[Defect]:
    """Parts that get deltas of another type of content."""
    for place, events in _parts(item, where):
        part = next(filter(None, map(_type_of, events)), "")
        wrong = [e for e in events if part and part not in (ROLES[e.type].parts or {part})]
        if wrong:
            type_ = wrong[0].type
            right = tuple(sorted(ROLES[type_].parts))
            kind = WrongPartType(place, item.value, where, type_, part, right)
            yield item.defect(kind, wrong[0].n, item.part_topic(where, place), "item:")


def _unstreamed_parts(item: Item, where: _List) -> Iterator[Defect]:
    """Parts of the finished item that no event streamed."""
    if item.done is None:
        return
    for place, part in enumerate(listed(item.done.item.get(where))):
        if text(mapping(part).get("type")) in _STREAMED and (where, place) not in item.parts:
            kind, topic = NotStreamed(place, item.value, where), item.part_topic(where, place)
            yield item.defect(kind, item.done.n, topic, f"item: {where}: lost")


class SummaryAsContent(Kind):
    """A summary is opened as content of its item."""

    type: str
    item: ItemValue

    message = "{type} opens a summary of {item:item} as its content"
    right = "response.reasoning_summary_part.added and a summary_index"
    same_by = ("type",)


@rule(
    holds="reasoning_summary_part.added, deltas, the whole text, reasoning_summary_part.done, by "
    "summary_index and without content parts",
    source="OpenResponses § schema (summary_index); observed",
    kinds=(SummaryAsContent, *_LIFECYCLE),
)
def summary_lifecycle(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        yield from _as_content(item)
        yield from _defects_in(item, "summary")


def _as_content(item: Item) -> Iterator[Defect]:
    for (where, place), events in item.parts.items():
        opened = next((event for event in events if _type_of(event) == "summary_text"), None)
        if where != "summary" and opened:
            kind, about = SummaryAsContent(opened.type, item.value), item.part_topic(where, place)
            yield item.defect(kind, opened.n, f"{about} summary:", "item:")


@rule(
    holds="content_part.added, deltas, the whole text, content_part.done, then the next part; the "
    "part is of the type that its deltas have",
    source="OpenResponses § Items; OpenResponses § schema (part)",
    kinds=_LIFECYCLE,
)
def part_lifecycle(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        # A part of a call breaks call-lifecycle.
        if item.type != "function_call":
            yield from _defects_in(item, "content")


class NotCounted(Kind):
    """The index of a part is not its place in the order in which parts are added."""

    number: int
    where: str
    item: ItemValue
    index: int

    message = "part number {number} in the {where} of {item:item} has the index {index}"
    right = "indexes 0, 1, 2, … in the order in which parts are added"
    same_by = ("where",)


@rule(
    holds="content_index and summary_index count the parts of an item from 0",
    source="streamproof; observed",
    level="should",
    kinds=(NotCounted,),
)
def part_index(stream: Stream) -> Iterator[Defect]:
    for item in stream.items.values():
        for where in ("content", "summary"):
            for right, (place, (first, *_)) in enumerate(_parts(item, where)):
                if place != right:
                    kind = NotCounted(right + 1, where, item.value, place)
                    about = f"places:{item.index}:{where}"
                    needs = f"item: lost {item.part_topic(where, place)}"
                    yield item.defect(kind, first.n, about, needs)
