"""Finds the event beside which each part stands in a timeline.

A part is beside the event that it came for: the one that sent the last of its content, or that
completed its call. What is known of when it came overrules that. It stands earlier if it came
before that event was sent, and later if it came after a later part or after a checkpoint. Times
are compared only one way: a part that came before an event was sent did not come for it, but a part
that came after many events may still have come for the first of them, since a whole response can
arrive in one read.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from conformance.report.part_content import BEFORE, Content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import CheckpointResult, Emitted
    from conformance.report.due import Due
    from conformance.report.part_content import Answer, Place
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
    rows = _in_order(places, latest, _earliest(parts, checkpoints))
    numbers = [emitted.n for emitted in parts]
    return Placed(
        dict(zip(numbers, rows, strict=True)), content.texts, content.calls, content.pieces
    )


def _in_order(
    places: Sequence[Place], latest: Sequence[int], earliest: Sequence[int]
) -> Iterator[int]:
    """The rows of parts in order; none is in an earlier row than the part before it.

    A part came early if content follows that was sent before the event that the part is for, but
    not before the part's own content.
    """
    rows = [_NEVER if place.row is None else place.row for place in places]
    following = list(accumulate(reversed(rows), min, initial=_NEVER))[-2::-1] if rows else []
    current = BEFORE
    for place, row, after, last, first in zip(
        places, rows, following, latest, earliest, strict=True
    ):
        wanted = after if place.opens and row == _NEVER else row
        is_early = wanted == _NEVER or place.earliest <= after < wanted
        at_least = max(current, place.earliest, first)
        current = min(at_least if is_early else max(at_least, wanted), last)
        yield current


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
