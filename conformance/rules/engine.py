"""Checks evidence against rules: ``judge(evidence, rules) -> findings`` is pure.

Rules are checked in the order of their table, specific ones first; a defect that names the exact
mistake comes before those of all rules. If an earlier finding has claimed one of the pieces of a
defect, it is the cause, and the defect is listed under it. So one mistake of an adapter is one
finding. A finding of level ``should`` never explains one of level ``must``. A finding with a cause
claims no pieces.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from conformance.findings.finding import Defect, Finding, Rule, as_finding

E = TypeVar("E")

_ALL_CALLS = "calls"
_ONE_CALL = "call:"


def judge(evidence: E, rules: Iterable[Rule[E]]) -> list[Finding]:
    """The findings without a cause among the earlier ones, each with its consequences."""
    findings: list[Finding] = []
    explained: list[list[Finding]] = []
    claims = _Claims()
    for rule, defect in _defects(evidence, rules):
        finding = as_finding(rule, defect)
        cause = claims.cause(defect, finding)
        if cause is not None:
            explained[cause].append(finding)
            continue
        claims.add(defect, finding, len(findings))
        findings.append(finding)
        explained.append([])
    return [replace(f, explains=tuple(e)) for f, e in zip(findings, explained, strict=True)]


def weight(findings: Sequence[Finding]) -> tuple[int, int]:
    """A sort key for how much is wrong: the number of ``must`` findings, then of all findings."""
    return count_musts(findings), len(findings)


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

    ``by_any`` has findings of all levels, ``by_must`` those of level ``must``.
    """

    by_any: dict[str, int] = field(default_factory=dict)
    by_must: dict[str, int] = field(default_factory=dict)

    def add(self, defect: Defect, finding: Finding, number: int) -> None:
        for piece in defect.about | defect.invalidates:
            self.by_any.setdefault(piece, number)
            if finding.level == "must":
                self.by_must.setdefault(piece, number)

    def cause(self, defect: Defect, finding: Finding) -> int | None:
        """The index of the first finding that explains a defect; None if there is none."""
        claimed = self.by_must if finding.level == "must" else self.by_any
        pieces = defect.about | defect.needs
        if any(piece.startswith(_ONE_CALL) for piece in defect.about):
            pieces |= {_ALL_CALLS}
        return min((claimed[piece] for piece in pieces if piece in claimed), default=None)
