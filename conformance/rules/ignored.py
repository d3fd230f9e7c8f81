"""The rule about events that a client must ignore."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.short_text import clip, quoted
from conformance.rules.error_cause import innermost_cause

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


# A failure is no choice here: an ignorable event may be what caused it.
_ROUTES = {"reasoning": ("thinking", "text", "hidden"), "refusal": ("text", "hidden")}


def _is_routed_otherwise(evidence: Evidence) -> bool:
    """Whether text, thinking and ending are right but for where reasoning or a refusal went."""
    return not evidence.fits(evidence.expected) and any(
        evidence.fits(expected)
        for trait, values in _ROUTES.items()
        for value in values
        for expected in evidence.expected_with(**{trait: value})
    )


def _added_text(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    expected, got = evidence.expected.text, evidence.reading.text
    if expected.fits(got) or not expected.exact:
        return
    places = sorted({evidence.text_sent[n] for n in ignorable})
    if got.startswith(expected.text) and len(expected.text) not in places:
        return  # the text is right, and what follows it was added at its end
    added = _insertions(got, expected.text, places)
    # Text that repeats the model's text cannot come from an event that has none of it.
    if not added or any(piece.strip() and piece in expected.text for piece in added):
        return
    yield Defect(
        f"{sum(map(len, added))} character(s) of text were added where only ignorable events stand",
        right=_RIGHT,
        about=topics("text"),
        event=ignorable[0],
        part=evidence.reading.part_at(places[0]),
    )


def _insertions(got: str, expected: str, places: Sequence[int]) -> list[str]:
    """The texts inserted at these offsets; empty if the texts differ in anything else."""
    edges = [0, *places, len(expected)]
    first, *middle, last = [expected[a:b] for a, b in pairwise(edges)]
    limit = len(got) - len(last)
    if limit < len(first) or not got.startswith(first) or not got.endswith(last):
        return []
    position, added = len(first), []
    for piece in middle:
        found = got.find(piece, position, limit)
        if found < 0:
            return []
        added.append(got[position:found])
        position = found + len(piece)
    return [piece for piece in (*added, got[position:limit]) if piece]


def _invented_calls(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    for call in evidence.pairing.invented:
        for n in ignorable:
            if call.id and evidence.upstream_id(call.id) in json.dumps(
                evidence.transcript.sent[n].data
            ):
                yield Defect(
                    f"the call {call.id!r} was made out of an event that is to be ignored",
                    right=_RIGHT,
                    about=topics(f"part:{call.part}"),
                    event=n,
                    part=call.part,
                )
                break


def _broke_off(evidence: Evidence, ignorable: Sequence[int]) -> Iterator[Defect]:
    lost = evidence.lost_by_stopping_early()
    end = evidence.end
    ended_well = end is not None and end.outcome in evidence.expected.outcomes
    if ended_well and not lost:
        return
    for n in ignorable:
        if _went_well_until(evidence, n):
            event = evidence.transcript.sent[n]
            yield Defect(
                f"the run went well up to event {n} ({event.type or event.kind}), which is to be "
                f"ignored, {_how_it_broke(evidence, ended_well=ended_well)}",
                right=_RIGHT,
                about=lost | topics("end"),
                event=n,
            )
            return


def _how_it_broke(evidence: Evidence, *, ended_well: bool) -> str:
    """What went wrong after an event, as the end of a sentence."""
    if evidence.end is None:
        return "and never ended"
    if ended_well:
        return "and lost what follows"
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
