"""``judge(transcript, stories, traits) -> findings``: pure, and the whole of what a verdict is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.cancellation import as_cancelled
from conformance.evidence import Evidence
from conformance.expectation.projection import Expected, project
from conformance.expectation.story import stories
from conformance.expectation.told import as_told
from conformance.findings import Defect, Finding, Rule, found
from conformance.ledger import ledger, text_due
from conformance.rules import RULES
from conformance.turns.judge import judge_request
from mockserver.dialects import DIALECTS
from mockserver.render import render
from mockserver.variations import VARIATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.expectation.story import Story
    from conformance.expectation.traits import Traits
    from conformance.transcript import Transcript
    from mockserver.render import Case


def expectations(
    case: Case, stories: Sequence[Story], traits: Traits
) -> list[tuple[Story, Expected]]:
    """Every right account of a case for an adapter with these traits."""
    late = any(VARIATIONS[name].within(case.dialect).calls_at_end for name in case.variations)
    dialect = DIALECTS[case.dialect]
    return [
        (story, expected)
        for story in (as_told(story, dialect.tells) for story in stories)
        for expected in project(
            story,
            traits,
            says_complete=not late,
            ever_says=dialect.says_call_complete,
            calls_may_be_lost=case.scenario.conduct == "violation",
            announced=_announced(case, story, traits) if traits.blank_before_call else (),
        )
    ]


def _announced(case: Case, story: Story, traits: Traits) -> tuple[int, ...]:
    """How much of the text is out where the first call is announced, beside its event and with it.

    Scripts and expectations do not say; what is sent does.
    """
    entries = ledger(case.dialect, render(case, story.turn, story.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    first = next((n for n, entry in enumerate(entries) if entry.announces), None)
    return () if first is None else tuple(due[max(first - 1, 0) : first + 1])


def judge_case(case: Case, transcript: Transcript, traits: Traits) -> list[Finding]:
    """The findings of a whole case, turn by turn, up to the first turn that has failed.

    What follows a turn that has failed is another conversation than the scenario's.
    Raises ScenarioError where the scenario contradicts itself.
    """
    findings: list[Finding] = []
    for n, leg in enumerate(transcript.turns):
        of_turn = _turn(case, leg, transcript.turns[:n], traits)
        findings += [replace(finding, turn=leg.turn) for finding in of_turn]
        if any(finding.level == "must" for finding in of_turn):
            break
    return findings


def _turn(
    case: Case, leg: Transcript, before: tuple[Transcript, ...], traits: Traits
) -> list[Finding]:
    """A request that is wrong is answered by another turn, or by none: it is told alone."""
    turn = case.scenario.turns[leg.turn]
    sent_back = judge_request(leg, before, turn, traits)
    if any(finding.level == "must" for finding in sent_back):
        return sent_back
    accounts = expectations(case, stories(case.scenario, leg.turn), traits)
    return [*sent_back, *judge(leg, accounts, traits)]


def judge(
    transcript: Transcript,
    accounts: Sequence[tuple[Story, Expected]],
    traits: Traits,
    rules: Sequence[Rule] = RULES,
) -> list[Finding]:
    """The findings against the account that the run comes nearest to; none where one fits.

    Accounts of other attempts than the last one that the run made do not count.
    """
    was_cancelled = transcript.cancelled is not None
    attempt = min(transcript.attempt, max(story.attempt for story, _ in accounts))
    judged = [
        _against(
            Evidence(
                transcript, as_cancelled(expected) if was_cancelled else expected, story, traits
            ),
            rules,
        )
        for story, expected in accounts
        if story.attempt == attempt
    ]
    return min(judged, key=_weight)


def _weight(findings: Sequence[Finding]) -> tuple[int, int]:
    musts = sum(finding.level == "must" for finding in findings)
    return musts, len(findings)


def _against(evidence: Evidence, rules: Sequence[Rule]) -> list[Finding]:
    claimed: set[str] = set()
    findings = []
    for rule, defect in _defects(evidence, rules):
        if _explained(defect, claimed):
            continue
        claimed |= defect.about
        findings.append(found(rule, defect))
    return findings


def _defects(evidence: Evidence, rules: Sequence[Rule]) -> Iterator[tuple[Rule, Defect]]:
    for rule in rules:
        for defect in rule.check(evidence):
            yield rule, defect


def _explained(defect: Defect, claimed: set[str]) -> bool:
    if "calls" in claimed and any(topic.startswith("call:") for topic in defect.about):
        return True
    return not claimed.isdisjoint(defect.about | defect.needs)
