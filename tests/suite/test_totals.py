"""The last lines of a suite: how many cases break each rule, and the first of them."""

from __future__ import annotations

from conformance.findings.finding import Finding
from conformance.report.results import Result, Status
from conformance.suite.known_failures import KnownFailure
from conformance.suite.terminal import Totals
from mockserver.foundation.faults import Place
from tests.findings.made import found

MUST = found("end-honest", "must", "it ended as 'completed'", "failed", "a source")
LOST = found("call-none-lost", "must", "a call was lost", "a call", "a source")
LATE = found("text-incremental", "should", "at the end", "at once", "a source")
CAUSE = found("part-known", "must", "a part", "a part", "a source", explains=(LOST, LATE))


def result(
    case: str, *findings: Finding, status: Status = "failed", adapter: str = "mine"
) -> Result:
    return Result(case, adapter, status, findings)


def lines(
    *results: Result, levels: tuple[str, ...] = ("must",), several: bool = False
) -> list[str]:
    listed = {"mine": [KnownFailure("any/listed@chat", "end-honest", "it ended", Place("k.yaml"))]}
    return Totals(results, listed, levels, several=several).lines()


def test_each_rule_has_the_number_of_its_cases_and_the_first_of_them() -> None:
    assert lines(
        result("any/a@chat", LOST),
        result("any/b@chat", MUST),
        result("any/c@chat", MUST, MUST, LATE),
        result("any/d@chat", LATE, status="passed"),
        result("any/e@chat", status="passed"),
    ) == [
        "must:",
        "  end-honest ×2        any/b@chat",
        "  call-none-lost ×1    any/a@chat",
        "should (--should makes them fail):",
        "  text-incremental ×2  any/c@chat",
    ]


def test_findings_that_another_one_explains_are_not_counted() -> None:
    assert lines(result("any/a@chat", CAUSE)) == ["must:", "  part-known ×1  any/a@chat"]


def test_known_failures_are_counted_apart() -> None:
    shown = lines(result("any/listed@chat", MUST, status="known"), result("any/new@chat", MUST))
    assert shown == [
        "must:",
        "  end-honest ×1  any/new@chat",
        "known failures:",
        "  end-honest ×1  any/listed@chat",
    ]


def test_of_several_adapters_the_first_case_has_a_name() -> None:
    results = (result("any/a@chat", MUST), result("any/a@chat", MUST, adapter="other"))
    assert lines(*results, several=True) == ["must:", "  end-honest ×2  mine:any/a@chat"]


def test_the_level_should_has_no_hint_where_it_fails() -> None:
    shown = lines(result("any/a@chat", LATE), levels=("must", "should"))
    assert shown == ["should:", "  text-incremental ×1  any/a@chat"]


def test_nothing_is_printed_without_findings() -> None:
    assert lines(result("any/a@chat", status="passed")) == []
