"""``judge(evidence, rules) -> findings``: pure, and the one loop that asks rules.

Rules are asked in the order of their table, specific ones first. A defect whose pieces an earlier
finding has claimed is counted under that finding, which is its cause, so that one defect of what is
judged is one finding. A cause is never weaker than what it explains: a ``should`` explains no
``must``. A finding that has a cause claims nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from conformance.contract.finding import as_finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.contract.finding import Defect, Finding, Rule

E = TypeVar("E")

_ALL_CALLS = "calls"
_ONE_CALL = "call:"


def judge(evidence: E, rules: Iterable[Rule[E]]) -> list[Finding]:
    """The findings that have no cause among the earlier ones, each with what follows from it."""
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
    """How much is wrong: first the findings of level must, then all of them."""
    return sum(finding.level == "must" for finding in findings), len(findings)


def _defects(evidence: E, rules: Iterable[Rule[E]]) -> Iterator[tuple[Rule[E], Defect]]:
    for rule in rules:
        if not rule.not_applicable(evidence):
            for defect in rule.check(evidence):
                yield rule, defect


@dataclass(slots=True)
class _Claims:
    """The number of the first finding that claims a piece: of any level, and of level must."""

    by_any: dict[str, int] = field(default_factory=dict)
    by_must: dict[str, int] = field(default_factory=dict)

    def add(self, defect: Defect, finding: Finding, number: int) -> None:
        for piece in defect.about | defect.invalidates:
            self.by_any.setdefault(piece, number)
            if finding.level == "must":
                self.by_must.setdefault(piece, number)

    def cause(self, defect: Defect, finding: Finding) -> int | None:
        """The number of the first finding that explains a defect; None where there is none."""
        claimed = self.by_must if finding.level == "must" else self.by_any
        pieces = defect.about | defect.needs
        if any(piece.startswith(_ONE_CALL) for piece in defect.about):
            pieces |= {_ALL_CALLS}
        return min((claimed[piece] for piece in pieces if piece in claimed), default=None)
