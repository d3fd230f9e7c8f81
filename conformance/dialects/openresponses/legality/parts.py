"""Rules on the parts of an item: their lifecycle, their order, their texts and citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.arguments import shortened
from conformance.dialects.openresponses.lifecycles import ROLES
from conformance.dialects.openresponses.parts import (
    lifecycle_defects,
    topic,
    type_mismatches,
    type_of,
    unstreamed_parts,
)
from conformance.dialects.text_versions import TextVersion, first_difference, joined
from conformance.findings.finding import Defect, Rule, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Event, Item, Stream


_SUMMARY = "summary"


def _summary_lifecycle(stream: Stream) -> Iterator[Defect]:
    """A reasoning summary is streamed as summary parts, none of which is a content part."""
    for item in stream.items.values():
        yield from _as_content(item)
        yield from type_mismatches(item, _SUMMARY)
        yield from lifecycle_defects(item, _SUMMARY)
        yield from unstreamed_parts(item, _SUMMARY)


def _as_content(item: Item) -> Iterator[Defect]:
    for (where, place), events in item.parts.items():
        opened = next((event for event in events if type_of(event) == "summary_text"), None)
        if where != _SUMMARY and opened:
            yield prose_defect(
                f"{opened.type} opens a summary of {item} as its content",
                right="response.reasoning_summary_part.added and a summary_index",
                about=topics(f"part:{item.index}:{where}:{place}", f"summary:{item.index}"),
                event=opened.n,
                needs=topics(f"item:{item.index}"),
            )


SUMMARY_LIFECYCLE = Rule(
    id="summary-lifecycle",
    holds="reasoning_summary_part.added, deltas, the whole text, reasoning_summary_part.done, by "
    "summary_index and without content parts",
    source="OpenResponses § schema (summary_index); observed",
    check=_summary_lifecycle,
)


_CONTENT = "content"


def _part_lifecycle(stream: Stream) -> Iterator[Defect]:
    """Each content part is added, grows, is completed and done before the next one."""
    for item in stream.items.values():
        # A part of a call breaks call-lifecycle.
        if item.type != "function_call":
            yield from type_mismatches(item, _CONTENT)
            yield from lifecycle_defects(item, _CONTENT)
            yield from unstreamed_parts(item, _CONTENT)


PART_LIFECYCLE = Rule(
    id="part-lifecycle",
    holds="content_part.added, deltas, the whole text, content_part.done, then the next part; the "
    "part is of the type that its deltas have",
    source="OpenResponses § Items; OpenResponses § schema (part)",
    check=_part_lifecycle,
)


def _part_deltas(stream: Stream) -> Iterator[Defect]:
    """A part with text has at least one delta; an empty part needs none.

    A part that no event streamed breaks part-lifecycle or summary-lifecycle.
    """
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            if any(ROLES[event.type].step == "delta" for event in events):
                continue
            whole = _text_versions(stream, item, where, place, events)
            if text := next((version for version in whole if version.text), None):
                yield _without_delta(item, where, place, text)


def _without_delta(item: Item, where: str, place: int, version: TextVersion) -> Defect:
    return prose_defect(
        f"{version.source} has the text {shortened(version.text)!r} for part {place} in the "
        f"{where} of {item}, of which no delta came",
        right="the text of the part in one delta or more, before it is done",
        about=topics(f"deltas:{item.index}:{where}:{place}"),
        event=version.event,
        level="must" if where == _CONTENT else "should",
        needs=topics(f"item:{item.index}", topic(item, where, place), "lost"),
    )


PART_DELTAS = Rule(
    id="part-deltas",
    # The clause is about content parts. On summaries there is only "must follow this delta event
    # pattern", in small letters, about all streamable objects.
    holds="a part with text has at least one delta: must for content, should for a summary; an "
    "empty part and the arguments of a call need none",
    source="OpenResponses § Items are streamable; OpenResponses § Streaming",
    check=_part_deltas,
)


def _part_index(stream: Stream) -> Iterator[Defect]:
    """The parts of an item are counted from 0."""
    for item in stream.items.values():
        for where in ("content", "summary"):
            yield from _order(item, where)


def _order(item: Item, where: str) -> Iterator[Defect]:
    parts = [(place, events[0]) for (kind, place), events in item.parts.items() if kind == where]
    for right, (place, first) in enumerate(parts):
        if place != right:
            yield prose_defect(
                f"part number {right + 1} in the {where} of {item} has the index {place}",
                right="indexes 0, 1, 2, … in the order in which parts are added",
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
)


def _delta_sums(stream: Stream) -> Iterator[Defect]:
    """All events with the text of a part have the same text, equal to the deltas joined."""
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            wrong = first_difference(list(_text_versions(stream, item, where, place, events)))
            if wrong:
                version, how = wrong
                yield prose_defect(
                    f"part {place} in the {where} of {item}: {how}",
                    right="the same text everywhere: the deltas joined",
                    about=topics(topic(item, where, place)),
                    event=version.event,
                    needs=topics(f"item:{item.index}", "lost"),
                )


def _text_versions(
    stream: Stream, item: Item, where: str, place: int, events: list[Event]
) -> Iterator[TextVersion]:
    yield from _deltas(events)
    for event in events:
        role = ROLES[event.type]
        if role.step == "complete" and (text := event.text(role.text)) is not None:
            yield TextVersion(event.n, event.type, text)
        elif role.step == "closed":
            yield from _part(event.n, event.type, event.data.get("part"))
    if done := item.done:
        yield from _in_list(done.n, done.type, done.item.get(where), place)
    held = stream.final(item)
    if held and stream.terminal:
        yield from _in_list(stream.terminal.n, stream.terminal.type, held.get(where), place)


def _deltas(events: list[Event]) -> Iterator[TextVersion]:
    """The deltas joined to one version; none without deltas, which part-deltas judges."""
    grown = [event for event in events if ROLES[event.type].step == "delta"]
    if grown:
        begun = [text for event in events[:1] for text in _texts(event.data.get("part"))]
        texts = [event.text("delta") or "" for event in grown]
        yield TextVersion(grown[-1].n, "the sum of the deltas", joined([*begun, *texts]))


def _part(n: int, source: str, part: Any) -> Iterator[TextVersion]:
    yield from (TextVersion(n, source, text) for text in _texts(part))


def _texts(part: Any) -> list[str]:
    texts = [part.get(name) for name in ("text", "refusal")] if isinstance(part, dict) else []
    return [text for text in texts if isinstance(text, str)]


def _in_list(n: int, source: str, parts: Any, place: int) -> Iterator[TextVersion]:
    """The text of the part at an index of a list; empty text if the list is too short."""
    if isinstance(parts, list):
        yield from _part(n, source, parts[place] if place < len(parts) else {"text": ""})


DELTA_SUMS = Rule(
    id="delta-sums",
    holds="deltas joined, the whole text, the part, the finished item and the final response say "
    "the same",
    source="OpenResponses § schema (delta, text); observed",
    check=_delta_sums,
)


def _annotations(stream: Stream) -> Iterator[Defect]:
    """Citations are sent while their part is open, and the finished part lists all of them."""
    for item in stream.items.values():
        for (where, place), events in item.parts.items():
            steps = [ROLES[event.type].step for event in events]
            cited = [k for k, step in enumerate(steps) if step == "cited"]
            unread = (f"event:{event.n}" for event in events)
            for message, event in _wrong_citations(events, steps, cited):
                yield prose_defect(
                    f"{message}, at part {place} of {item}",
                    right="citations 0, 1, 2, … of an open part, all of them in the part at its "
                    "end",
                    about=topics(f"cited:{item.index}:{place}"),
                    event=event.n,
                    needs=topics(f"item:{item.index}", topic(item, where, place), "lost", *unread),
                )


def _wrong_citations(
    events: list[Event], steps: list[str], cited: list[int]
) -> Iterator[tuple[str, Event]]:
    for number, k in enumerate(cited):
        index = events[k].index("annotation_index")
        if "added" not in steps[:k]:
            yield "a citation comes before its part", events[k]
        elif "closed" in steps[:k]:
            yield "a citation comes after its part was done", events[k]
        elif index is not None and index != number:
            yield f"citation number {number + 1} has the index {index}", events[k]
    for closed in (k for k, step in enumerate(steps) if step == "closed"):
        held = _held(events[closed])
        lost = [k for k in cited if events[k].data.get("annotation") not in held]
        if lost:
            yield f"{len(lost)} citation(s) are missing from the finished part", events[lost[0]]


def _held(closed: Event) -> list[object]:
    part = closed.data.get("part")
    held = part.get("annotations") if isinstance(part, dict) else None
    return held if isinstance(held, list) else []


ANNOTATIONS = Rule(
    id="annotations",
    holds="a citation comes between its part's beginning and end, by annotation_index, and stands "
    "in the finished part",
    source="streamproof; observed",
    check=_annotations,
    level="should",
)
