"""Rules on the parts of an item, its ``content`` and its ``summary``: lifecycle and order."""

from collections.abc import Iterator
from typing import Literal

from conformance.dialects.openresponses.lifecycles import PART, ROLES
from conformance.dialects.openresponses.stream import Event, Item, Stream
from conformance.dialects.state_machine import Breach, walk
from conformance.findings.finding import Defect, Kind, Rule, topics
from conformance.findings.values import ItemValue

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


def topic(item: Item, where: str, place: int) -> str:
    """The topic under which defects of one part are reported."""
    return f"part:{item.index}:{where}:{place}"


def _type_of(event: Event) -> str:
    """The type of the part in an event; empty if there is none."""
    return _type(event.data.get("part"))


def _type(part: object) -> str:
    type_ = part.get("type") if isinstance(part, dict) else None
    return type_ if isinstance(type_, str) else ""


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
        if walked.breach:
            yield _breach_defect(item, where, place, walked.breach)
        elif steps and walked.state != "closed" and item.done and not item.cut_short:
            yield _left_open(item, where, place, item.done)
    yield from _interleaved(item, where)


def _parts(item: Item, where: str) -> list[tuple[int, list[Event]]]:
    return [(place, events) for (kind, place), events in item.parts.items() if kind == where]


def _breach_defect(item: Item, where: _List, place: int, breach: Breach[Event]) -> Defect:
    return Defect(
        OutOfOrder(place, item.value, where, breach.event.type, breach.state),
        about=topics(topic(item, where, place)),
        event=breach.event.n,
        needs=topics(f"item:{item.index}", "lost"),
    )


def _left_open(item: Item, where: _List, place: int, done: Event) -> Defect:
    return Defect(
        LeftOpen(place, item.value, where),
        about=topics(topic(item, where, place)),
        event=done.n,
        needs=topics(f"item:{item.index}", "lost"),
    )


def _interleaved(item: Item, where: _List) -> Iterator[Defect]:
    """Parts that are added before the previous part is done."""
    open_: int | None = None
    for event in item.events:
        role = ROLES.get(event.type)
        if role is None or role.where != where or role.step not in ("added", "closed"):
            continue
        place = event.index(role.index)
        if role.step == "added" and open_ is not None and place is not None and place != open_:
            yield Defect(
                Interleaved(place, item.value, where, open_),
                about=topics(topic(item, where, place), topic(item, where, open_)),
                event=event.n,
                needs=topics(f"item:{item.index}", "lost"),
            )
        open_ = place if role.step == "added" else None


def _type_mismatches(item: Item, where: _List) -> Iterator[Defect]:
    """Parts that get deltas of another type of content."""
    for place, events in _parts(item, where):
        part = next(filter(None, map(_type_of, events)), "")
        wrong = [e for e in events if part and part not in (ROLES[e.type].parts or {part})]
        if wrong:
            type_ = wrong[0].type
            right = tuple(sorted(ROLES[type_].parts))
            yield Defect(
                WrongPartType(place, item.value, where, type_, part, right),
                about=topics(topic(item, where, place)),
                event=wrong[0].n,
                needs=topics(f"item:{item.index}"),
            )


def _unstreamed_parts(item: Item, where: _List) -> Iterator[Defect]:
    """Parts of the finished item that no event streamed."""
    if item.done is None:
        return
    held = item.done.item.get(where)
    for place, part in enumerate(held if isinstance(held, list) else ()):
        if _type(part) in _STREAMED and (where, place) not in item.parts:
            yield Defect(
                NotStreamed(place, item.value, where),
                about=topics(topic(item, where, place)),
                event=item.done.n,
                needs=topics(f"item:{item.index}", f"{where}:{item.index}", "lost"),
            )


class SummaryAsContent(Kind):
    """A summary is opened as content of its item."""

    type: str
    item: ItemValue

    message = "{type} opens a summary of {item:item} as its content"
    right = "response.reasoning_summary_part.added and a summary_index"
    same_by = ("type",)


def _summary_lifecycle(stream: Stream) -> Iterator[Defect]:
    """A reasoning summary is streamed as summary parts, none of which is a content part."""
    for item in stream.items.values():
        yield from _as_content(item)
        yield from _defects_in(item, "summary")


def _as_content(item: Item) -> Iterator[Defect]:
    for (where, place), events in item.parts.items():
        opened = next((event for event in events if _type_of(event) == "summary_text"), None)
        if where != "summary" and opened:
            yield Defect(
                SummaryAsContent(opened.type, item.value),
                about=topics(topic(item, where, place), f"summary:{item.index}"),
                event=opened.n,
                needs=topics(f"item:{item.index}"),
            )


SUMMARY_LIFECYCLE = Rule(
    id="summary-lifecycle",
    holds="reasoning_summary_part.added, deltas, the whole text, reasoning_summary_part.done, by "
    "summary_index and without content parts",
    source="OpenResponses § schema (summary_index); observed",
    check=_summary_lifecycle,
    kinds=(SummaryAsContent, *_LIFECYCLE),
)


def _part_lifecycle(stream: Stream) -> Iterator[Defect]:
    """Each content part is added, grows, is completed and done before the next one."""
    for item in stream.items.values():
        # A part of a call breaks call-lifecycle.
        if item.type != "function_call":
            yield from _defects_in(item, "content")


PART_LIFECYCLE = Rule(
    id="part-lifecycle",
    holds="content_part.added, deltas, the whole text, content_part.done, then the next part; the "
    "part is of the type that its deltas have",
    source="OpenResponses § Items; OpenResponses § schema (part)",
    check=_part_lifecycle,
    kinds=_LIFECYCLE,
)


class NotCounted(Kind):
    """The index of a part is not its place in the order in which parts are added."""

    number: int
    where: str
    item: ItemValue
    index: int

    message = "part number {number} in the {where} of {item:item} has the index {index}"
    right = "indexes 0, 1, 2, … in the order in which parts are added"
    same_by = ("where",)


def _part_index(stream: Stream) -> Iterator[Defect]:
    """The parts of an item are counted from 0."""
    for item in stream.items.values():
        for where in ("content", "summary"):
            yield from _order(item, where)


def _order(item: Item, where: str) -> Iterator[Defect]:
    for right, (place, (first, *_)) in enumerate(_parts(item, where)):
        if place != right:
            yield Defect(
                NotCounted(right + 1, where, item.value, place),
                about=topics(f"places:{item.index}:{where}"),
                event=first.n,
                needs=topics(f"item:{item.index}", topic(item, where, place), "lost"),
            )


PART_INDEX = Rule(
    id="part-index",
    holds="content_index and summary_index count the parts of an item from 0",
    source="streamproof; observed",
    check=_part_index,
    level="should",
    kinds=(NotCounted,),
)
