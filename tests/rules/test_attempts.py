"""The findings about a turn whose request was retried, and the answer that they refer to."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, ReportedError
from conformance.expectation.projection import expectations
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules.judge import judge
from conformance.rules.turns import PlayedTurn
from mockserver.cases.case import Case
from tests.rules.made_runs import case_of, request_of, run_of

FAILS = {"parts": [], "outcome": "failed"}
BUSY = {"error": {"message": "Busy", "code": "busy"}}
CALL = {"id": "call_1", "name": "search", "input": {"q": "x"}}
TEXT = {"type": "text", "value": "Hi"}
CALLED = {"type": "toolCall", "callId": "call_1", "name": "search", "input": {"q": "x"}}

COMPLETED = End(9.0, "completed", "stop")
FAILED = End(9.0, "failed", error=ReportedError("http", "Busy", "busy"))


def case(*attempts: dict[str, Any], conduct: str = "violation") -> Case:
    turn = {"attempts": attempts} if len(attempts) > 1 else attempts[0]
    return case_of({"title": "Several", "conduct": conduct, "turns": [turn]})


REFUSED_FIRST = case({"status": 503, "body": BUSY, "expect": FAILS}, {"says": [{"text": "Hi"}]})
CUT_FIRST = case(
    {"says": [{"start": {"text": "t"}}, {"delta": {"t": "H"}}, {"close": "cut"}]},
    {"says": [{"text": "Hi"}, {"call": CALL}]},
)
NON_STREAMING = case(
    {
        "status": 200,
        "body": {"object": "response", "usage": {"input_tokens": 3, "output_tokens": 4}},
        "expect": [FAILS, {"parts": [{"text": "Hi"}, {"call": CALL}], "reason": "tool-calls"}],
    }
)


def findings(
    played: Case, requests: int, parts: list[tuple[float, Any]], end: End, **traits: Any
) -> list[Finding]:
    """The findings of a run with these requests, one per second, and these parts at their times."""
    emitted = tuple(Emitted(n, at, part) for n, (at, part) in enumerate(parts))
    asked = tuple(request_of(played, n) for n in range(1, requests + 1))
    transcript = replace(run_of(played, (), end), requests=asked, parts=emitted)
    declared = Traits(**traits)
    accounts = expectations(played, declared)
    return judge(PlayedTurn(transcript, declared), accounts)


def rules(found: list[Finding]) -> list[str]:
    return [finding.rule for finding in found]


def test_a_run_without_a_retry_is_judged_by_the_first_answer() -> None:
    assert findings(REFUSED_FIRST, 1, [], FAILED) == []
    assert rules(findings(REFUSED_FIRST, 1, [], COMPLETED)) == ["end-honest"]


def test_a_run_with_a_retry_is_judged_by_the_answer_to_the_retry() -> None:
    assert findings(REFUSED_FIRST, 2, [(2.5, TEXT)], COMPLETED) == []
    assert rules(findings(REFUSED_FIRST, 2, [(2.5, TEXT)], FAILED)) == ["end-honest"]
    assert "text-exact" in rules(findings(REFUSED_FIRST, 2, [], COMPLETED))


def test_a_run_with_more_requests_than_answers_is_judged_by_the_last_answer() -> None:
    assert findings(REFUSED_FIRST, 4, [(4.5, TEXT)], COMPLETED) == []


def test_a_retry_after_a_part_is_the_only_finding() -> None:
    half, call = {**TEXT, "value": "H"}, {**CALLED, "callId": "call_other"}
    parts = [(1.5, half), (1.6, CALLED), (1.7, call), (2.5, TEXT), (2.6, CALLED)]
    (finding,) = findings(CUT_FIRST, 2, parts, COMPLETED)
    assert (finding.rule, finding.level, finding.part) == ("retry-clean", "must", 2)
    assert "attempt 2" in message_of(finding)
    assert "3 parts" in message_of(finding)


def test_a_retry_that_continues_the_broken_answer_is_a_finding() -> None:
    parts = [(1.5, {**TEXT, "value": "H"}), (2.5, {**TEXT, "value": "i"}), (2.6, CALLED)]
    assert rules(findings(CUT_FIRST, 2, parts, COMPLETED)) == ["retry-clean"]


def test_other_defects_beside_a_retry_after_a_part_are_found() -> None:
    parts = [(1.5, {**TEXT, "value": "H"}), (2.5, TEXT), (2.6, CALLED)]
    assert rules(findings(CUT_FIRST, 2, parts, FAILED)) == ["retry-clean", "end-honest"]


def test_a_retry_before_the_first_part_is_no_finding() -> None:
    assert findings(CUT_FIRST, 2, [(2.5, TEXT), (2.6, CALLED)], COMPLETED) == []


def test_a_run_that_reports_the_failure_of_the_first_answer_is_correct() -> None:
    end = replace(FAILED, error=ReportedError("transport", "reset"))
    assert findings(CUT_FIRST, 1, [(1.5, {**TEXT, "value": "H"})], end) == []


CONVERTED: dict[str, tuple[list[Any], End, set[str]]] = {
    "rejected": ([], FAILED, set()),
    "converted": ([TEXT, CALLED], replace(COMPLETED, finish="tool-calls"), set()),
    "with its usage": (
        [TEXT, CALLED],
        replace(COMPLETED, finish="tool-calls", usage={"input": 3, "output": 4}),
        set(),
    ),
    "empty": ([], COMPLETED, {"end-honest"}),
    "without its text": ([CALLED], COMPLETED, {"text-exact"}),
    "doubled": ([TEXT, CALLED, CALLED], COMPLETED, {"call-once"}),
}


@pytest.mark.parametrize(("parts", "end", "broken"), CONVERTED.values(), ids=CONVERTED)
def test_a_non_streaming_response_is_emitted_completely_or_rejected(
    parts: list[Any], end: End, broken: set[str]
) -> None:
    found = findings(NON_STREAMING, 1, [(1.5, part) for part in parts], end)
    assert {finding.rule for finding in found if finding.level == "must"} == broken
