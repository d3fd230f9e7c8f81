"""Plays and judges one item about token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report.results import Result
from conformance.rules.counting.counts import COUNT_ANSWERED
from conformance.rules.engine import judge
from conformance.suite.counting.play import play
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.counting.usage_report import usage_report_for

if TYPE_CHECKING:
    from conformance.contract.adapter import Description
    from conformance.findings.finding import Finding
    from conformance.rules.counting.evidence import Evidence
    from conformance.suite.counting.script import Sequence
    from conformance.suite.play import Session


_NO_USAGE = "no dialect that the adapter speaks tells what a request has cost"


def check(session: Session, id_: str) -> Result:
    """Play the sequence of an item to an adapter that claims ``count``, and judge it.

    Not applicable if no dialect of the adapter reports usage, or if no rule applies.
    """
    name, sequence, report = (
        session.description.name,
        SEQUENCES[id_],
        usage_report_for(session.description),
    )
    if report is None:
        return Result(id_, name, "not-applicable", why=_NO_USAGE)
    evidence = play(session, sequence, report)
    findings = judged(sequence, evidence)
    if findings:
        why = "\n".join((evidence.summary, *evidence.notes))
        failed = any(finding.level == "must" for finding in findings)
        return Result(id_, name, "failed" if failed else "passed", tuple(findings), why=why)
    unfit = [rule.not_applicable(evidence) for rule in sequence.rules]
    if all(unfit):
        return Result(id_, name, "not-applicable", why=unfit[0])
    return Result(id_, name, "passed", why=evidence.summary)


def judged(sequence: Sequence, evidence: Evidence) -> list[Finding]:
    """The findings on a sequence; if it was aborted, only the finding that it was."""
    return judge(evidence, (COUNT_ANSWERED,) if evidence.broken else sequence.rules)


def skip_reason(described: Description) -> str:
    """Why an adapter is not asked to count; empty if it is."""
    return "" if described.claims.count else "the adapter does not claim count: true"
