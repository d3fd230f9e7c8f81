"""Judges transcripts by the rules: ``judge_case(case, transcript, traits) -> findings`` is pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.dialects.ledger import ledger, text_due
from conformance.expectation.broken_answers import as_delivered
from conformance.expectation.content import as_rendered, link_spellings
from conformance.expectation.early_endings import (
    IN_PLACE_OF_THE_LIBRARY,
    REFUSED,
    WAITED,
    as_cancelled,
    refusals,
)
from conformance.expectation.projection import Expected, project
from conformance.expectation.turn_content import expected_contents
from conformance.rules import RULES, engine
from conformance.rules.engine import weight
from conformance.rules.evidence import Evidence
from conformance.rules.requests import TURN_RULES
from conformance.rules.requests.evidence import last_request
from mockserver.cases.render import render
from mockserver.cases.variations import variation
from mockserver.dialects import CALL_ENDS, DIALECTS
from mockserver.scenario.host import tool_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript
    from conformance.expectation.content import ExpectedContent
    from conformance.findings.finding import Finding, Rule
    from mockserver.cases.case import Case


def expectations(
    case: Case, contents: Sequence[ExpectedContent], traits: Traits
) -> list[tuple[ExpectedContent, Expected]]:
    """The alternative expectations of a case for an adapter with these traits.

    Each comes with the content that it is derived from, as rendered by the dialect.
    """
    calls_late = any(
        variation(name).in_dialect(case.dialect).calls_at_end for name in case.variations
    )
    dialect = DIALECTS[case.dialect]
    breaks = case.scenario.conduct == "violation"
    return [
        (content, expected)
        for rendered in (as_rendered(content, dialect.capabilities) for content in contents)
        for delivered in as_delivered(case, rendered, traits)
        for content in link_spellings(delivered, traits)
        for expected in project(
            content,
            traits,
            says_complete=not calls_late,
            dialect_says_complete=CALL_ENDS in dialect.capabilities,
            calls_may_be_lost=breaks and not _is_only_right_completion(content, contents),
            offered=frozenset(map(tool_name, case.scenario.host.tools)),
            announced=_announced(case, content, traits) if traits.blank_before_call else (),
        )
    ]


def _is_only_right_completion(
    content: ExpectedContent, contents: Sequence[ExpectedContent]
) -> bool:
    """Whether every right adapter completes with the calls of a content.

    Then the upstream did send them properly, whatever else it broke.
    """
    versions = [each for each in contents if each.attempt == content.attempt]
    return len(versions) == 1 and content.outcome == "completed"


def _announced(case: Case, content: ExpectedContent, traits: Traits) -> tuple[int, ...]:
    """The code points of text before and after the event that announces the first call.

    They are taken from the rendered stream, since scripts do not say when a call is announced.
    """
    entries = ledger(case.dialect, render(case, content.turn, content.attempt).plan.sent, traits)
    due = text_due(entries, traits)
    first = next((n for n, entry in enumerate(entries) if entry.announces), None)
    return () if first is None else tuple(due[max(first - 1, 0) : first + 1])


def judge_case(case: Case, transcript: Transcript, traits: Traits) -> list[Finding]:
    """The findings of a case, for each turn up to the first with a finding of level ``must``.

    Later turns are not judged, because the conversation is no longer the scenario's.
    Raises ScenarioError if the scenario contradicts itself.
    """
    findings: list[Finding] = []
    for n, turn in enumerate(transcript.turns):
        before = transcript.turns[:n]
        turn_findings = _judge_turn(case, replace(turn, before=before), before, traits)
        findings += [finding.in_turn(turn.turn) for finding in turn_findings]
        if _failed(turn_findings):
            break
    return findings


def _judge_turn(
    case: Case, transcript: Transcript, before: tuple[Transcript, ...], traits: Traits
) -> list[Finding]:
    """The findings of a turn: those about its request, then those about its output.

    If the request is wrong, the upstream may not have answered it with this turn, so the output is
    not judged.
    """
    request = last_request(transcript, before, case.scenario, traits)
    of_request = engine.judge(request, TURN_RULES) if request else []
    if _failed(of_request):
        return of_request
    right = expectations(case, expected_contents(case.scenario, transcript.turn), traits)
    refused = refusals(case, right, traits)
    return [*of_request, *judge(transcript, [*right, *refused], traits)]


def _failed(findings: Sequence[Finding]) -> bool:
    return any(finding.level == "must" for finding in findings)


def judge(
    transcript: Transcript,
    alternatives: Sequence[tuple[ExpectedContent, Expected]],
    traits: Traits,
    rules: Sequence[Rule[Evidence]] = RULES,
) -> list[Finding]:
    """The findings for the alternative that the run breaks least.

    Only alternatives for the last attempt that the run made are considered.
    """
    was_cancelled = transcript.cancelled is not None
    attempt = min(transcript.attempt, max(content.attempt for content, _ in alternatives))
    attempted = [
        (content, expected)
        for content, expected in alternatives
        if content.attempt == attempt and not (expected.refused and was_cancelled)
    ]
    others = () if was_cancelled else tuple(e for _, e in attempted if not e.refused)
    evidences = [
        Evidence(
            transcript,
            as_cancelled(expected) if was_cancelled else expected,
            content,
            traits,
            alternatives=others,
        )
        for content, expected in attempted
    ]
    if not _may_have_refused(evidences[0]):
        evidences = [each for each in evidences if not each.expected.refused]
    judged = [engine.judge(each, rules) for each in evidences]
    links = traits.annotations == "link" and any(each.content.citations for each in evidences)
    # Links may be written in several ways: of those that are broken as little, the one of the text.
    fits = [links and each.expected.text.fits(each.reading.text) for each in evidences]
    best = min(range(len(judged)), key=lambda n: (*weight(judged[n]), not fits[n]))
    return judged[best]


def _may_have_refused(evidence: Evidence) -> bool:
    """Whether a run ended without an answer: it failed, crashed, or waited too long."""
    end = evidence.end
    if end is None or end.outcome not in REFUSED:
        return evidence.transcript.verdict in WAITED
    return not (end.error and end.error.message.startswith(IN_PLACE_OF_THE_LIBRARY))
