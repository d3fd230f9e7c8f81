"""A finding of level should does not hide one of level must."""

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Part, ReportedError
from conformance.findings.words import message_of
from conformance.rules.judge import judge_case
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from tests.rules.made_runs import run_of

_TEXT: Part = {"type": "text-delta", "id": "t", "delta": "The capital of France is"}
_FAILED: Part = {"type": "error", "error": {"message": "The model produced invalid content."}}

WRONG = {
    "raises KeyError": End(9.0, "error", error=ReportedError("unknown", "KeyError: 'delta'")),
    "says that it was cancelled": End(9.0, "cancelled"),
}


@pytest.mark.parametrize("end", WRONG.values(), ids=WRONG)
def test_an_adapter_that_reports_a_failure_twice_and_ends_wrongly_fails(end: End) -> None:
    scenario = Catalogue.shipped().get("openresponses/failed-after-text")
    assert scenario
    case = Case(scenario, "openresponses")
    parts: list[Part] = [
        {"type": "text-start", "id": "t"},
        _TEXT,
        {"type": "text-end", "id": "t"},
        _FAILED,
        _FAILED,
    ]
    findings = judge_case(
        case, run_of(case, parts, end, vocabulary="stream"), Traits(errors="part")
    )
    assert [(f.rule, f.level) for f in findings] == [
        ("error-told", "should"),
        ("end-honest", "must"),
    ]
    assert "the upstream sent response.failed (event 6): server_error" in message_of(findings[1])
