"""Checks evidence against rules: ``judge(evidence, rules) -> findings`` is pure.

Rules are checked in the order of their table, specific ones first; a defect that names the exact
mistake comes before those of all rules. If an earlier finding has claimed one of the pieces of a
defect, it is the cause, and the defect is listed under it. So one mistake of an adapter is one
finding. A cause is never weaker than what it explains: manners never explain a ``must``, and
another cause has the level of the worst that follows from it. A finding with a cause claims no
pieces.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from conformance.findings.finding import (
    Defect,
    Finding,
    Level,
    Levels,
    Rule,
    Weight,
    as_finding,
    level_of,
    levels_in,
)

E = TypeVar("E")

_ALL_CALLS = "calls"
_ONE_CALL = "call:"

ON_LEGAL_STREAMS = levels_in("legal")


def judge(
    evidence: E, rules: Iterable[Rule[E]], levels: Levels = ON_LEGAL_STREAMS
) -> list[Finding]:
    """The findings without a cause among the earlier ones, each with its consequences."""
    findings: list[Finding] = []
    explained: list[list[Finding]] = []
    claims = _Claims()
    for rule, defect in _defects(evidence, rules):
        if (level := level_of(rule, defect, levels)) is None:
            continue
        finding = as_finding(rule, defect, level)
        cause = claims.cause(defect, finding)
        if cause is not None:
            explained[cause].append(finding)
            continue
        claims.add(defect, finding, len(findings))
        findings.append(finding)
        explained.append([])
    return [_as_cause(f, tuple(e)) for f, e in zip(findings, explained, strict=True)]


def _as_cause(finding: Finding, follows: tuple[Finding, ...]) -> Finding:
    level: Level = "must" if count_musts([finding, *follows]) else "should"
    return replace(finding, level=level, explains=follows)


_SERIOUS: tuple[Weight | None, ...] = ("harm", "loss")


def how_wrong(findings: Sequence[Finding]) -> tuple[int, int, int]:
    """A sort key for how much is wrong, whoever sends the stream.

    The number of findings by which content or calls are wrong, then of those that are more than
    manners, then of all.
    """
    return count_serious(findings), sum(map(_is_weighty, findings)), len(findings)


def count_serious(findings: Sequence[Finding]) -> int:
    """The number of findings by which content or calls are wrong: of harm or loss."""
    return sum(finding.kind.weight in _SERIOUS for finding in findings)


def is_content_wrong(findings: Sequence[Finding]) -> bool:
    """Whether content or calls are wrong by these findings, or by what they explain."""
    return any(count_serious([each, *each.explains]) for each in findings)


def count_musts(findings: Sequence[Finding]) -> int:
    """The number of findings of level ``must``."""
    return sum(finding.level == "must" for finding in findings)


def _defects(evidence: E, rules: Iterable[Rule[E]]) -> list[tuple[Rule[E], Defect]]:
    """The defects of all rules, exact ones first, in the order of the rules."""
    found = [(rule, defect) for rule in rules for defect in rule.defects(evidence)]
    return sorted(found, key=lambda each: not each[1].is_exact)


@dataclass(slots=True)
class _Claims:
    """For each claimed piece, the index of the first finding that claims it.

    ``by_any`` has all findings, ``by_weighty`` those that are more than manners.
    """

    by_any: dict[str, int] = field(default_factory=dict)
    by_weighty: dict[str, int] = field(default_factory=dict)

    def add(self, defect: Defect, finding: Finding, number: int) -> None:
        for piece in defect.about | defect.invalidates:
            self.by_any.setdefault(piece, number)
            if _is_weighty(finding):
                self.by_weighty.setdefault(piece, number)

    def cause(self, defect: Defect, finding: Finding) -> int | None:
        """The index of the first finding that explains a defect; None if there is none."""
        claimed = self.by_weighty if finding.level == "must" else self.by_any
        pieces = defect.about | defect.needs
        if any(piece.startswith(_ONE_CALL) for piece in defect.about):
            pieces |= {_ALL_CALLS}
        return min((claimed[piece] for piece in pieces if piece in claimed), default=None)


def _is_weighty(finding: Finding) -> bool:
    """Whether a finding is more than manners; about a stream, whether it is a ``must``."""
    weight = finding.kind.weight
    return weight != "manners" if weight else finding.level == "must"
