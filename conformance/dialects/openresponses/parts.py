"""Checks of the parts in one list of an item, its ``content`` or its ``summary``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.openresponses.lifecycles import PART, ROLES
from conformance.dialects.state_machine import walk
from conformance.findings.finding import Defect, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item
    from conformance.dialects.state_machine import Breach

_NAMES = {"content": "response.content_part", "summary": "response.reasoning_summary_part"}
_STREAMED = frozenset({"output_text", "refusal", "reasoning_text", "summary_text"})

_WHEN = {
    "": "before it was added",
    "open": "when it was added already",
    "growing": "when it has grown and was not said in whole",
    "complete": "after it was said in whole",
    "closed": "after it was done",
}


def topic(item: Item, where: str, place: int) -> str:
    """The topic under which defects of one part are reported."""
    return f"part:{item.index}:{where}:{place}"


def type_of(event: Event) -> str:
    """The type of the part in an event; empty if there is none."""
    return _type(event.data.get("part"))


def _type(part: object) -> str:
    type_ = part.get("type") if isinstance(part, dict) else None
    return type_ if isinstance(type_, str) else ""


def lifecycle_defects(item: Item, where: str) -> Iterator[Defect]:
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


def _breach_defect(item: Item, where: str, place: int, breach: Breach[Event]) -> Defect:
    name = _NAMES[where]
    return prose_defect(
        f"{breach.event.type} of part {place} of {item} comes {_WHEN[breach.state]}",
        right=f"{name}.added, deltas, the whole, {name}.done",
        about=topics(topic(item, where, place)),
        event=breach.event.n,
        needs=topics(f"item:{item.index}", "lost"),
    )


def _left_open(item: Item, where: str, place: int, done: Event) -> Defect:
    return prose_defect(
        f"{done.type} comes when part {place} of {item} is not done",
        right=f"{_NAMES[where]}.done for every part before its item is done",
        about=topics(topic(item, where, place)),
        event=done.n,
        needs=topics(f"item:{item.index}", "lost"),
    )


def _interleaved(item: Item, where: str) -> Iterator[Defect]:
    """Parts that are added before the previous part is done."""
    open_: int | None = None
    for event in item.events:
        role = ROLES.get(event.type)
        if role is None or role.where != where or role.step not in ("added", "closed"):
            continue
        place = event.index(role.index)
        if role.step == "added" and open_ is not None and place is not None and place != open_:
            yield prose_defect(
                f"part {place} of {item} is added when part {open_} is not done",
                right=f"{_NAMES[where]}.done before the next part",
                about=topics(topic(item, where, place), topic(item, where, open_)),
                event=event.n,
                needs=topics(f"item:{item.index}", "lost"),
            )
        open_ = place if role.step == "added" else None


def type_mismatches(item: Item, where: str) -> Iterator[Defect]:
    """Parts that get deltas of another type of content."""
    for place, events in _parts(item, where):
        part = next((type_of(event) for event in events if type_of(event)), "")
        wrong = [e for e in events if part and part not in (ROLES[e.type].parts or {part})]
        if wrong:
            yield prose_defect(
                f"{wrong[0].type} is about part {place} of {item}, which is of type {part!r}",
                right=f"a part of type {' or '.join(sorted(ROLES[wrong[0].type].parts))}",
                about=topics(topic(item, where, place)),
                event=wrong[0].n,
                needs=topics(f"item:{item.index}"),
            )


def unstreamed_parts(item: Item, where: str) -> Iterator[Defect]:
    """Parts of the finished item that no event streamed."""
    if item.done is None:
        return
    held = item.done.item.get(where)
    for place, part in enumerate(held if isinstance(held, list) else ()):
        if _type(part) in _STREAMED and (where, place) not in item.parts:
            yield prose_defect(
                f"{item} is done with a part {place} in its {where} that was never streamed",
                right=f"{_NAMES[where]}.added and what follows it for every part",
                about=topics(topic(item, where, place)),
                event=item.done.n,
                needs=topics(f"item:{item.index}", f"{where}:{item.index}", "lost"),
            )
