"""count-correction: estimates move toward what texts turned out to cost.

Two texts of the same words are estimated, one before and one behind a run that cost twice or half
of its estimate. Between them lies the correction factor, which was 1 at first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.counting.evidence import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

OLD, NEW = 0.7, 0.3
# Words in another order are other tokens here and there, and an overhead may stay uncorrected.
_LEAST, _MOST = 0.05, 1.1
_SLACK = 0.04


def _check(evidence: Evidence) -> Iterator[Defect]:
    before, after = evidence.whole("text before"), evidence.whole("text after")
    actual = evidence.used["reply"] / evidence.whole("estimate")
    seen, right = after / before, OLD + NEW * actual
    # How much of the way from 1 to the actual ratio the factor has gone.
    gone = (seen - 1) / (actual - 1)
    if not _LEAST < gone < _MOST:
        yield _defect(
            f"a run cost {actual:.2f} times its estimate, and a text of {before} tokens is then "
            f"estimated as {after}, {seen:.2f} times as much",
            f"an estimate that has moved toward the actual ratio: about {before * right:.0f}",
        )
    elif not near(after, before * right, 2 + _SLACK * before):
        yield _defect(
            f"the correction factor went from 1 to {seen:.2f}, when a run cost {actual:.2f} times "
            "its estimate",
            f"{OLD} of the old factor and {NEW} of the new ratio: {right:.2f}",
            should=True,
        )


def _defect(message: str, right: str, *, should: bool = False) -> Defect:
    return Defect(message, right, topics("factor"), level="should" if should else None)


RULE = Rule(
    id="count-correction",
    holds="estimates move toward the actual ratio; by 0.7 of the old factor and 0.3 of the new "
    "ratio: `should`",
    source="stream-mapping § Correction Factor Update",
    check=_check,
)
