"""Finds the row of a timeline at which a finding stands, and says in words where that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.findings.finding import Finding
    from conformance.report.answer_rows import Row

ELSEWHERE = " at event "
"""What is between a part and the event beside it, if that is not the event of the finding."""


def row_of_finding(
    finding: Finding, at: Mapping[int, int], start: int, rows: Sequence[Row]
) -> int | None:
    """The row of a finding: that of its part, else of its event; None if it has neither.

    At an event of which something did not come, the finding is about that. ``at`` has the rows of
    parts, and ``start`` is the first row of the answer whose events findings name.
    """
    part = None if finding.part is None else at.get(finding.part)
    event = None if finding.event is None else start + finding.event
    if event is None or event >= len(rows):
        return part
    return event if part is None or rows[event].missing else part


def place_in_words(
    finding: Finding, row: int | None, at: Mapping[int, int], start: int, rows: Sequence[Row]
) -> str:
    """Where a finding stands: the event of its row, and its part; empty if it is nowhere.

    A part beside another event has the number of that one. Events of earlier attempts have the
    numbers of other events, so they are not named.
    """
    event, at_part = (
        None if n is None or n < start else rows[n].event
        for n in (row, at.get(-1 if finding.part is None else finding.part))
    )
    elsewhere = "" if at_part in (None, event) else f"{ELSEWHERE}{at_part}"
    part = None if finding.part is None else f"{finding.part}{elsewhere}"
    return numbered(finding.turn, event, part)


def numbered(turn: int, event: int | None, part: int | str | None) -> str:
    """A place in words, without the numbers that are None, and without the first turn."""
    numbers = {"turn": turn or None, "event": event, "part": part}
    return ", ".join(f"{name} {n}" for name, n in numbers.items() if n is not None)
