"""One item about counts: its sequence played, and what its rules find in that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.results import Result
from conformance.rules.counting.counts import COUNT_ANSWERED
from conformance.rules.engine import judge
from conformance.suite.counting.play import play
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.counting.usage_report import bill_for

if TYPE_CHECKING:
    from conformance.contract.adapter import Description
    from conformance.contract.finding import Finding
    from conformance.rules.counting.evidence import Evidence
    from conformance.suite.counting.script import Sequence
    from conformance.suite.play import Session


_UNTOLD = "no dialect that the adapter speaks tells what a request has cost"


def check(session: Session, id_: str) -> Result:
    """Play the sequence of an item to an adapter that is fit for it, and judge it."""
    name, sequence, bill = session.description.name, SEQUENCES[id_], bill_for(session.description)
    if bill is None:
        return Result(id_, name, "not-applicable", why=_UNTOLD)
    evidence = play(session, sequence, bill)
    findings = judged(sequence, evidence)
    if findings:
        why = "\n".join((evidence.summary, *evidence.notes))
        failed = any(finding.level == "must" for finding in findings)
        return Result(id_, name, "failed" if failed else "passed", tuple(findings), why=why)
    unfit = [rule.unfit(evidence) for rule in sequence.rules]
    if all(unfit):
        return Result(id_, name, "not-applicable", why=unfit[0])
    return Result(id_, name, "passed", why=evidence.summary)


def judged(sequence: Sequence, evidence: Evidence) -> list[Finding]:
    """What is wrong with the counts of a sequence; of one that broke off, only that it did."""
    return judge(evidence, (COUNT_ANSWERED,) if evidence.broken else sequence.rules)


def not_counting(described: Description) -> str:
    """Why an adapter is not asked to count; empty where it is."""
    return "" if described.claims.count else "the adapter does not claim count: true"
