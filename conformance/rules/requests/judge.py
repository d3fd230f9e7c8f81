"""The request for a turn, held against what the host handed over for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import found, topics
from conformance.rules.requests import TURN_RULES
from conformance.rules.requests.evidence import SentBack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript
    from conformance.rules.requests.rule import TurnRule
    from mockserver.scenario.model import Turn


def judge_request(
    leg: Transcript,
    before: tuple[Transcript, ...],
    turn: Turn,
    traits: Traits,
    rules: Sequence[TurnRule] = TURN_RULES,
) -> list[Finding]:
    """What is wrong with the request of one turn, in the order of the rules.

    Only the last request counts. One that could not be read has no conversation to be judged.
    """
    if leg.asked is None:
        return []
    request = leg.posts[-1] if leg.posts else None
    evidence = SentBack(leg, before, leg.asked, request, turn, traits)
    claimed: set[str] = set()
    findings = []
    for rule in (rule for rule in rules if evidence.told or rule.always):
        for defect in rule.check(evidence):
            if claimed.isdisjoint(defect.about | defect.needs):
                claimed |= defect.about | topics("request")
                findings.append(found(rule, defect))
    return findings
