"""The rule about events that a client must ignore."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from conformance.dialects.short_text import clip, events_in_words, quoted
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.differences import clipped
from conformance.rules.error_cause import innermost_cause

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from conformance.contract.reading import ReadCall
    from conformance.rules.evidence import Evidence

_RIGHT = "no part, and the stream goes on as if the event were not there"


def _ignored_silently(evidence: Evidence) -> Iterator[Defect]:
    """Ignorable events emit nothing and break nothing.

    A defect is reported only if the evidence points at an ignorable event: text was added at its
    place, a call was emitted that is only in this event, or the run was right up to this event and
    wrong after it. Reasoning or a refusal that went elsewhere than declared is explained by that.
    """
    ignorable = [event.n for event in evidence.answer if event.ignorable]
    if not ignorable:
        return
    yield from _invented_calls(evidence, ignorable)
    if not _is_routed_otherwise(evidence):
        yield from _added_text(evidence, ignorable)
        yield from _broke_off(evidence, ignorable)


_ROUTES = {"reasoning": ("thinking", "text", "hidden"), "refusal": ("text", "hidden")}


def _is_routed_otherwise(evidence: Evidence) -> bool:
    """Whether text, thinking and ending are right but for where reasoning or a refusal went."""
    routes = [(trait, value) for trait, values in _ROUTES.items() for value in values]
    # An ignorable event may have caused a failure, unless the failure has the words of the refusal.
    if _fails_with_the_refusal(evidence):
        routes.append(("refusal", "error"))
    return not evidence.fits(evidence.expected) and any(
        evidence.fits(expected)
        for trait, value in routes
        for expected in evidence.expected_with(**{trait: value})
    )


def _fails_with_the_refusal(evidence: Evidence) -> bool:
    refusal, end = _words(evidence, "refusal").strip(), evidence.end
    return bool(refusal and end and end.error and refusal in end.error.message)


def _words(evidence: Evidence, kind: str) -> str:
    """What the upstream sent of one kind of content, such as reasoning."""
    return "".join(each.value for each in evidence.content.segments if each.kind == kind)


def _added_text(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    expected, got = evidence.expected.text, evidence.reading.text
    if expected.fits(got) or not expected.exact:
        return
    places = sorted({evidence.text_sent[n] for n in ignorable})
    if got.startswith(expected.text) and len(expected.text) not in places:
        return  # the text is right, and what follows it was added at its end
    added = _insertions(got, expected.text, places)
    if not added or any(_is_sent_elsewhere(evidence, each.text) for each in added):
        return
    harmless = _harmless(evidence, ignorable, {each.place for each in added})
    suspects = [
        n
        for n in ignorable
        if evidence.text_sent[n] == added[0].place and _kind(evidence, n) not in harmless
    ]
    if not suspects:
        return
    more = sum(len(each.text) for each in added[1:])
    others = f", and {more} more character{'s' if more > 1 else ''} elsewhere" if more else ""
    yield prose_defect(
        f"{clipped(added[0].text)} was added to the text at {_to_be_ignored(evidence, suspects)}"
        f"{others}",
        right=_RIGHT,
        about=topics("text"),
        event=suspects[0],
        part=evidence.reading.part_at(added[0].offset),
    )


def _is_sent_elsewhere(evidence: Evidence, added: str) -> bool:
    """Whether added text is the model's own, its reasoning, or the report of a failure.

    Then it cannot come from an event that has none of it.
    """
    error = evidence.expected.error
    if error and error.message and error.message in added:
        return True
    sent = (evidence.expected.text.text, _words(evidence, "reasoning"))
    return bool(added.strip()) and any(added in each for each in sent)


@dataclass(frozen=True, slots=True)
class _Insertion:
    """A text that was added at a ``place`` of the expected text, an ``offset`` of the emitted."""

    text: str
    place: int
    offset: int


def _insertions(got: str, expected: str, places: Sequence[int]) -> list[_Insertion]:
    """The texts inserted at these places; empty if the texts differ in anything else."""
    edges = [0, *places, len(expected)]
    first, *middle, last = [expected[a:b] for a, b in pairwise(edges)]
    limit = len(got) - len(last)
    if limit < len(first) or not got.startswith(first) or not got.endswith(last):
        return []
    position, added = len(first), []
    for place, piece in zip(places, [*middle, ""], strict=True):
        found = limit if place == places[-1] else got.find(piece, position, limit)
        if found < 0:
            return []
        added.append(_Insertion(got[position:found], place, position))
        position = found + len(piece)
    return [each for each in added if each.text]


def _harmless(evidence: Evidence, ignorable: Sequence[int], added: Collection[int]) -> set[str]:
    """The kinds of ignorable events that also came at a place where no text was added."""
    return {_kind(evidence, n) for n in ignorable if evidence.text_sent[n] not in added}


def _kind(evidence: Evidence, n: int) -> str:
    """The type of an event, or the kind of another item of the stream."""
    return evidence.transcript.sent[n].type or evidence.transcript.sent[n].kind


def _to_be_ignored(evidence: Evidence, suspects: Sequence[int]) -> str:
    """The events, one or several, with the clause that they are to be ignored."""
    if len(suspects) == 1:
        return f"event {suspects[0]} ({_kind(evidence, suspects[0])}), which is to be ignored"
    return f"{events_in_words(suspects)}, which are to be ignored"


def _invented_calls(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    for call in evidence.pairing.invented:
        for n in ignorable:
            if call.id and evidence.upstream_id(call.id) in json.dumps(
                evidence.transcript.sent[n].data
            ):
                why, right = _why_not(evidence, call)
                yield prose_defect(
                    f"the call {call.id!r} {why}",
                    right=right,
                    about=topics(f"part:{call.part}"),
                    event=n,
                    part=call.part,
                )
                break


def _why_not(evidence: Evidence, call: ReadCall) -> tuple[str, str]:
    """What is wrong with a call that came of an event, and what would have been right.

    An event whose call may be emitted, such as one for a shell of the host, need not be ignored.
    """
    own = evidence.item_ids.get(evidence.upstream_id(call.id))
    if own and any(own == each.id for other in evidence.alternatives for each in other.calls):
        return f"has the item's id, not the call's: {own!r}", f"{_RIGHT}, or the call {own!r}"
    return "was made out of an event that is to be ignored", _RIGHT


def _broke_off(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    lost = evidence.lost_by_stopping_early()
    end = evidence.end
    ended_well = end is not None and end.outcome in evidence.expected.outcomes
    if ended_well and not lost:
        return
    suspects = [n for n in ignorable if _went_well_until(evidence, n)]
    # What was sent after the run had ended has not broken it.
    sent = evidence.transcript.sent
    suspects = [n for n in suspects if end is None or sent[n].at <= end.at] or suspects
    if suspects:
        how = _how_it_broke(evidence, ended_well=ended_well)
        yield prose_defect(
            _until(evidence, suspects, how),
            right=_RIGHT,
            about=lost | topics("end"),
            event=suspects[0] if len(suspects) == 1 else max(suspects[0] - 1, 0),
        )


def _until(evidence: Evidence, suspects: Sequence[int], how: str) -> str:
    """Up to where a run went well, and how it broke; of several suspects none is accused alone."""
    first, *others = suspects
    if not others:
        return f"the run went well up to {_to_be_ignored(evidence, suspects)}, {how}"
    ignorable = events_in_words(suspects)
    if not first:
        return f"the run brought nothing, {how}; to be ignored at its beginning: {ignorable}"
    well = f"the run went well up to event {first - 1} ({_kind(evidence, first - 1)})"
    return f"{well}, {how}; to be ignored after that: {ignorable}"


def _how_it_broke(evidence: Evidence, *, ended_well: bool) -> str:
    """What went wrong after an event, as the end of a sentence."""
    if evidence.end is None:
        return "and never ended"
    if ended_well:
        return "and lost what follows"
    if evidence.calls_not_run:
        return f"and brought a call that no host can run: {evidence.calls_not_run[0].why}"
    said = innermost_cause(evidence.end.error.message) if evidence.end.error else ""
    if evidence.end.outcome == "error":
        return f"and crashed: {clip(said, _MAX_SAID)}" if said else "and crashed"
    ended = f"and ended as {evidence.end.outcome!r}"
    return f"{ended}: {quoted(said, _MAX_SAID)}" if said else ended


_MAX_SAID = 120


def _went_well_until(evidence: Evidence, n: int) -> bool:
    """Whether the run emitted exactly the text and calls that were due before event ``n``."""
    got = evidence.reading.text
    if evidence.text_sent[n] != len(got) or got != evidence.expected.text.text[: len(got)]:
        return False
    emitted = {expected.id for expected, _ in evidence.pairing.pairs}
    due = {
        call.id
        for call in evidence.expected.calls
        if (completed := evidence.event_of_call(call.id)) is not None and completed < n
    }
    # If later events add nothing, the ending itself may be what is wrong.
    return emitted == due and any(entry.adds for entry in evidence.entries[n:])


IGNORED_SILENTLY = Rule(
    id="ignored-silently",
    holds="unknown events, items, fields, comments and keepalives emit nothing and break nothing",
    source="stream-mapping § The Whitespace Bug; OpenResponses § Extending Streaming Events",
    check=_ignored_silently,
)
