"""Finds the event beside which each part stands in a timeline.

A part is beside the event that it came for: the one that sent the last of its content, or that
completed its call. What is known of when it came overrules that. It stands earlier if it came
before that event was sent, and later if it came after a later part or after a checkpoint. The end
of a block has no content, so it is beside the last event about the block before what follows; a
call that no event completes is likewise beside the last event with its id, name or input. Times
are compared only one way: a part that came before an event was sent did not come for it, but a part
that came after many events may still have come for the first of them, since a whole response can
arrive in one read.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from conformance.report.part_content import Content
from conformance.report.part_framing import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import CheckpointResult, Emitted
    from conformance.report.due import Due
    from conformance.report.part_framing import Answer, Place
    from conformance.report.text_alignment import SentText
    from conformance.vocabularies import Vocabulary

_NEVER = 1 << 30


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of parts by their numbers, and what was found of the answer's content in them.

    ``texts`` is the sent text by channel, ``text`` or ``thinking``. ``calls`` is the number of the
    first part of each call, by the upstream's id, and ``pieces`` counts the citations and data that
    came, by row.
    """

    rows: Mapping[int, int]
    texts: Mapping[str, SentText]
    calls: Mapping[str, int]
    pieces: Mapping[int, int]


def placed(
    parts: Sequence[Emitted],
    answer: Answer,
    vocabulary: Vocabulary,
    traits: Traits,
    due: Due,
    checkpoints: Sequence[CheckpointResult] = (),
) -> Placed:
    """Place the parts that were emitted during an answer with at least one event."""
    content = Content(parts, answer, vocabulary, traits, due)
    places = [content.place(n, emitted) for n, emitted in enumerate(parts)]
    latest = _latest(parts, answer, checkpoints)
    known = _with_closings(places, answer, latest)
    rows = _in_order(known, latest, _earliest(parts, checkpoints))
    numbers = [emitted.n for emitted in parts]
    return Placed(
        dict(zip(numbers, rows, strict=True)), content.texts, content.calls, content.pieces
    )


def _with_closings(places: Sequence[Place], answer: Answer, latest: Sequence[int]) -> list[Place]:
    """The places, with a row for each part that has no content of its own, or a call of no event.

    It is the last row at which they can have come before the content that follows, and before they
    did come. Of two ends of a block, each has an event of its own if there are two of one type.
    """
    known: list[Place] = []
    after = _NEVER
    closed: dict[tuple[int, ...], int] = {}
    reached = accumulate((BEFORE if place.row is None else place.row for place in places), max)
    backwards = zip(*map(reversed, (places, latest, list(reached))), strict=True)
    for place, held, at_least in backwards:
        if place.closes is not None:
            rows = tuple(place.closes)
            fits = [row for row in rows if row <= min(after, held)]
            if rows and rows in closed:
                taken = closed[rows]
                alike = answer.sent[taken].type
                own = [row for row in fits if row < taken and answer.sent[row].type == alike]
                fits = own or [row for row in fits if row == taken]
            row = fits[-1] if fits else min(after, answer.last)
            closed.update({rows: row} if fits else {})
            known.append(replace(place, row=row))
            after = min(after, max(row, at_least))
        else:
            known.append(place)
            after = min(after, _NEVER if place.row is None else place.row)
    return known[::-1]


def _in_order(
    places: Sequence[Place], latest: Sequence[int], earliest: Sequence[int]
) -> Iterator[int]:
    """The rows of parts in order; none is in an earlier row than the part before it.

    A part came early if content follows that was sent before the event that the part is for, but
    not before the part's own content.
    """
    rows = [_NEVER if place.row is None else place.row for place in places]
    content = [
        _NEVER if place.closes is not None else row for place, row in zip(places, rows, strict=True)
    ]
    following, next_content = _following(rows), _following(content)
    current = BEFORE
    for n, place in enumerate(places):
        wanted = following[n] if place.opens and rows[n] == _NEVER else rows[n]
        is_early = wanted == _NEVER or (
            place.closes is None and place.earliest <= next_content[n] < wanted
        )
        before = [row for row in place.before if is_early and row <= next_content[n]]
        at_least = max(current, place.earliest, earliest[n], *before)
        current = min(at_least if is_early else max(at_least, wanted), latest[n])
        yield current


def _following(rows: Sequence[int]) -> list[int]:
    """For each part, the smallest row of a part from it on."""
    return list(accumulate(reversed(rows), min, initial=_NEVER))[-2::-1] if rows else []


def _latest(
    parts: Sequence[Emitted], answer: Answer, checkpoints: Sequence[CheckpointResult]
) -> list[int]:
    """For each part, the last row at which it can have come.

    Where parts have no times of their own, they have that of the request.
    """
    times = [event.at for event in answer.sent]
    last = len(times) - 1
    rows = []
    for emitted in parts:
        timed = emitted.at != answer.asked_at
        row = bisect_right(times, emitted.at) - 1 if timed else last
        held = (each.event for each in checkpoints if emitted.n < each.parts)
        rows.append(min((row, *held)))
    return list(accumulate(reversed(rows), min))[::-1]


def _earliest(parts: Sequence[Emitted], checkpoints: Sequence[CheckpointResult]) -> list[int]:
    """For each part, the first row at which it can have come: after a checkpoint without it."""
    return [
        max((each.event + 1 for each in checkpoints if emitted.n >= each.parts), default=BEFORE)
        for emitted in parts
    ]
