"""Judges transcripts by the rules: ``judge_case(case, transcript, traits) -> findings`` is pure."""

from collections.abc import Sequence

from conformance.contract.adapter import CLAIMS_NOTHING, Claims
from conformance.contract.traits import Traits
from conformance.contract.transcript import Transcript
from conformance.expectation.early_endings import REFUSED, WAITED, Alternative, as_cancelled
from conformance.findings.finding import Finding, Rule, levels_in
from conformance.rules import RULES, engine
from conformance.rules.engine import how_wrong, is_content_wrong
from conformance.rules.evidence import Evidence
from conformance.rules.requests import TURN_RULES
from conformance.rules.requests.evidence import last_request
from conformance.rules.turns import PlayedTurn, turns_of
from mockserver.cases.case import Case


def judge_case(
    case: Case, transcript: Transcript, traits: Traits, claims: Claims = CLAIMS_NOTHING
) -> list[Finding]:
    """The findings of a case, as those of the turns of its transcript."""
    return judge_turns(turns_of(transcript, traits, case, claims))


def judge_turns(turns: Sequence[PlayedTurn]) -> list[Finding]:
    """The findings of a case, for each turn up to the first whose content or calls are wrong.

    Later turns are not judged, because the conversation is no longer the scenario's.
    Raises ScenarioError if the scenario contradicts itself.
    """
    findings: list[Finding] = []
    for turn in turns:
        of_turn = _judge_turn(turn)
        findings += [finding.in_turn(turn.transcript.turn) for finding in of_turn]
        if is_content_wrong(of_turn):
            break
    return findings


def _judge_turn(turn: PlayedTurn) -> list[Finding]:
    """The findings of a turn: those about its request, then those about its output.

    If the request is wrong, the upstream may not have answered it with this turn, so the output is
    not judged.
    """
    request = last_request(turn)
    of_request = engine.judge(request, TURN_RULES, levels_in(turn.standing)) if request else []
    if is_content_wrong(of_request):
        return of_request
    return [*of_request, *judge(turn, [*turn.right, *turn.refused])]


def judge(
    turn: PlayedTurn, alternatives: Sequence[Alternative], rules: Sequence[Rule[Evidence]] = RULES
) -> list[Finding]:
    """The findings for the alternative that the run breaks least.

    Only alternatives for the last attempt that the run made are considered.
    """
    transcript = turn.transcript
    was_cancelled = transcript.cancelled is not None
    attempt = min(transcript.attempt, max(content.attempt for content, _ in alternatives))
    attempted = [
        (content, expected)
        for content, expected in alternatives
        if content.attempt == attempt and not (expected.refused and was_cancelled)
    ]
    others = () if was_cancelled else tuple(e for _, e in attempted if not e.refused)
    evidences = [
        Evidence(turn, as_cancelled(expected) if was_cancelled else expected, content, others)
        for content, expected in attempted
    ]
    if not _may_have_refused(evidences[0]):
        evidences = [each for each in evidences if not each.expected.refused]
    levels = levels_in(turn.standing, has_failed=evidences[0].tells_failure)
    judged = [engine.judge(each, rules, levels) for each in evidences]
    links = turn.traits.annotations == "link" and any(each.content.citations for each in evidences)
    # Links may be written in several ways, and messages be in several orders: of those that are
    # broken as little, the one of the text.
    several = links or len({each.content.outcome for each in evidences}) == 1
    fits = [several and each.expected.text.fits(each.reading.text) for each in evidences]
    best = min(range(len(judged)), key=lambda n: (*how_wrong(judged[n]), not fits[n]))
    return judged[best]


def _may_have_refused(evidence: Evidence) -> bool:
    """Whether a run ended without an answer: it failed, crashed, or waited too long."""
    end = evidence.end
    if end is None or end.outcome not in REFUSED:
        return evidence.transcript.verdict in WAITED
    return not evidence.is_reported_by_binding
