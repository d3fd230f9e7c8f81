"""A stream that breaks its specification, and an adapter that declares that it is strict."""

from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Part, ReportedError
from conformance.rules.judge import judge_case
from mockserver.cases.case import Case
from tests.rules.made_runs import case_of, request_of, run_of

SCRIPT: list[dict[str, Any]] = [
    {"text": "Wait."},
    {"call": {"id": "call_1", "name": "read_file", "input": {"path": "a"}}},
]


def case(conduct: str, *more: dict[str, Any]) -> Case:
    says = [*SCRIPT, *more]
    turns, seen = [{"says": says}], [{"at": "a/b#1", "line": "data: 1", "upstream": "Azure"}]
    return case_of({"title": "A file", "conduct": conduct, "seen": seen, "turns": turns})


LEGAL, DEVIATES, FAILS = (
    case("legal"),
    case("deviation"),
    case("violation", {"failed": {"message": "no"}}),
)
ENDS_CUT, ENDS_SILENT, HALF_SENT = (
    replace(LEGAL, variations=(name,))
    for name in ("stop:end:cut", "stop:end:stall", "stop:terminal:cut")
)
ROTATING, CRLF = (replace(LEGAL, variations=(name,)) for name in ("rotating-ids", "crlf"))
TEXT: Part = {"type": "text", "value": "Wait."}
HALF: Part = {"type": "text", "value": "Wa"}
CALL: Part = {"type": "toolCall", "callId": "call_1", "name": "read_file", "input": {"path": "a"}}
EMPTY: Part = {**CALL, "input": {}}

COMPLETED = End(9.0, "completed")
FAILED = End(9.0, "failed", error=ReportedError("decode", "a delta must be text"))
CRASHED = End(9.0, "error", error=ReportedError("unknown", "TypeError: null"))
CONTRADICTED = replace(FAILED, error=ReportedError("binding", "no call"))
STRICT = Traits(strict=True)
SHOULD, MUST = ("end-honest", "should"), ("end-honest", "must")


def judged(of: Case, traits: Traits, parts: list[Part], end: End) -> list[tuple[str, str]]:
    findings = judge_case(of, run_of(of, parts, end), traits)
    return [(finding.rule, finding.level) for finding in findings]


@pytest.mark.parametrize(
    ("of", "traits", "parts", "end", "findings"),
    [
        pytest.param(DEVIATES, STRICT, [TEXT, CALL], COMPLETED, [], id="reads it all the same"),
        pytest.param(DEVIATES, STRICT, [TEXT], FAILED, [SHOULD], id="fails after its beginning"),
        pytest.param(DEVIATES, STRICT, [HALF], FAILED, [SHOULD], id="fails inside a text"),
        pytest.param(DEVIATES, STRICT, [], CRASHED, [MUST], id="crashes before any part"),
        pytest.param(DEVIATES, Traits(), [TEXT], FAILED, [SHOULD], id="fails, and is not strict"),
        pytest.param(
            DEVIATES, STRICT, [TEXT], CONTRADICTED, [MUST], id="is reported by its binding alone"
        ),
        pytest.param(
            ENDS_CUT, STRICT, [TEXT, CALL], FAILED, [SHOULD], id="fails at a cut after the end"
        ),
        pytest.param(
            ENDS_CUT, Traits(), [TEXT, CALL], FAILED, [SHOULD], id="fails there, and is not strict"
        ),
        pytest.param(
            HALF_SENT, STRICT, [TEXT, CALL], COMPLETED, [MUST], id="completes half an answer"
        ),
        pytest.param(ROTATING, STRICT, [TEXT], FAILED, [SHOULD], id="fails at a variation's ids"),
        pytest.param(
            ROTATING, Traits(), [TEXT], FAILED, [SHOULD], id="fails at them, and is not strict"
        ),
        pytest.param(CRLF, STRICT, [TEXT], FAILED, [MUST], id="fails at a legal variation"),
        pytest.param(LEGAL, STRICT, [TEXT], FAILED, [MUST], id="fails on a legal stream"),
        pytest.param(LEGAL, STRICT, [TEXT], CRASHED, [MUST], id="crashes on a legal stream"),
    ],
)
def test_a_strict_adapter_may_fail_where_the_upstream_breaks_its_specification(
    of: Case, traits: Traits, parts: list[Part], end: End, findings: list[tuple[str, str]]
) -> None:
    assert judged(of, traits, parts, end) == findings


@pytest.mark.parametrize(
    ("of", "parts", "end", "rule", "level"),
    [
        pytest.param(DEVIATES, [TEXT], COMPLETED, "call-none-lost", "must", id="a call is lost"),
        pytest.param(DEVIATES, [HALF, CALL], COMPLETED, "text-exact", "must", id="text is lost"),
        pytest.param(DEVIATES, [TEXT, TEXT], FAILED, "text-exact", "should", id="text is doubled"),
        pytest.param(
            DEVIATES, [TEXT, EMPTY], FAILED, "call-complete", "must", id="arguments are lost"
        ),
        pytest.param(FAILS, [TEXT], COMPLETED, "end-honest", "must", id="a failure is hidden"),
        pytest.param(
            FAILS, [HALF], CRASHED, "end-honest", "should", id="text before a failure is lost"
        ),
    ],
)
def test_a_strict_adapter_may_neither_lose_in_silence_nor_repeat_nor_invent(
    of: Case, parts: list[Part], end: End, rule: str, level: str
) -> None:
    assert (rule, level) in judged(of, STRICT, parts, end)


@pytest.mark.parametrize("verdict", ["timed-out", "hung"])
@pytest.mark.parametrize(
    ("of", "traits", "close", "level"),
    [
        (case("violation"), STRICT, "stall", "should"),
        (case("violation"), STRICT, "clean", "must"),
        (case("violation"), Traits(), "stall", "should"),
        (FAILS, Traits(), "stall", "must"),
        (ENDS_SILENT, STRICT, "stall", "should"),
        (ENDS_SILENT, Traits(), "stall", "should"),
        (ENDS_SILENT, Traits(), "clean", "must"),
    ],
)
def test_to_wait_is_no_hang_where_the_upstream_leaves_its_connection_open_after_the_end(
    verdict: Any, of: Case, traits: Traits, close: Any, level: str
) -> None:
    ends = (End(9.0, "cancelled"),) if verdict == "timed-out" else ()
    run = replace(
        run_of(of, [TEXT, CALL], COMPLETED, replace(request_of(of), close=close)),
        verdict=verdict,
        ends=ends,
    )
    findings = judge_case(of, run, traits)
    assert [(finding.rule, finding.level) for finding in findings] == [("end-once", level)]
