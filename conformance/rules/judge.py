"""``judge_case(case, transcript, traits) -> findings``: pure, and the whole of a run's verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.ledger import ledger, text_due
from conformance.expectation.cancellation import as_cancelled
from conformance.expectation.capabilities import as_told
from conformance.expectation.content import stories
from conformance.expectation.projection import Expected, project
from conformance.rules import RULES, engine
from conformance.rules.engine import weight
from conformance.rules.evidence import Evidence
from conformance.rules.requests import TURN_RULES
from conformance.rules.requests.evidence import sent_back
from mockserver.dialects import DIALECTS
from mockserver.render import render
from mockserver.variations import VARIATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.finding import Finding, Rule
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript
    from conformance.expectation.content import Story
    from mockserver.render import Case


def expectations(
    case: Case, stories: Sequence[Story], traits: Traits
) -> list[tuple[Story, Expected]]:
    """Every right account of a case for an adapter with these traits."""
    late = any(VARIATIONS[name].in_dialect(case.dialect).calls_at_end for name in case.variations)
    dialect = DIALECTS[case.dialect]
    return [
        (story, expected)
        for story in (as_told(story, dialect.capabilities) for story in stories)
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
    """How much text is out before the event that announces the first call, and with that event.

    Scripts and expectations do not say; what is sent does.
    """
    entries = ledger(case.dialect, render(case, story.turn, story.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    first = next((n for n, entry in enumerate(entries) if entry.announces), None)
    return () if first is None else tuple(due[max(first - 1, 0) : first + 1])


def judge_case(case: Case, transcript: Transcript, traits: Traits) -> list[Finding]:
    """The findings of a whole case, turn by turn, up to the first turn that has failed.

    After a turn that has failed the conversation is another one than the scenario's.
    Raises ScenarioError where the scenario contradicts itself.
    """
    findings: list[Finding] = []
    for n, leg in enumerate(transcript.turns):
        of_turn = _turn(case, leg, transcript.turns[:n], traits)
        findings += [finding.in_turn(leg.turn) for finding in of_turn]
        if _failed(of_turn):
            break
    return findings


def _turn(
    case: Case, leg: Transcript, before: tuple[Transcript, ...], traits: Traits
) -> list[Finding]:
    """The findings of a turn.

    A wrong request is answered by another turn, or by none, so what came out is not judged then.
    """
    request = sent_back(leg, before, case.scenario.turns[leg.turn], traits)
    of_request = engine.judge(request, TURN_RULES) if request else []
    if _failed(of_request):
        return of_request
    accounts = expectations(case, stories(case.scenario, leg.turn), traits)
    return [*of_request, *judge(leg, accounts, traits)]


def _failed(findings: Sequence[Finding]) -> bool:
    return any(finding.level == "must" for finding in findings)


def judge(
    transcript: Transcript,
    accounts: Sequence[tuple[Story, Expected]],
    traits: Traits,
    rules: Sequence[Rule[Evidence]] = RULES,
) -> list[Finding]:
    """The findings against the account that the run comes nearest to; none where one fits.

    Only accounts of the last attempt that the run made count.
    """
    was_cancelled = transcript.cancelled is not None
    attempt = min(transcript.attempt, max(story.attempt for story, _ in accounts))
    judged = [
        engine.judge(
            Evidence(
                transcript, as_cancelled(expected) if was_cancelled else expected, story, traits
            ),
            rules,
        )
        for story, expected in accounts
        if story.attempt == attempt
    ]
    return min(judged, key=weight)
