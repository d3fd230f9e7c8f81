"""The last lines of a suite: the causes of its failures, each with its smallest case."""

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.findings.causes import cause_of
from conformance.findings.finding import Finding
from conformance.report.adapters import compare
from conformance.report.recorded import Recording
from conformance.report.results import Result, Status
from conformance.suite.conclusion import Excerpt
from conformance.suite.known_failures import KnownFailure
from conformance.suite.terminal import Causes
from mockserver.foundation.faults import Place
from mockserver.scenario.model import Conduct
from tests.findings.made import found

MUST = found("end-honest", "must", "it ended as 'completed'", "failed", "a source")
CRASH = found("end-honest", "must", "it crashed", "failed", "a source", kind="crashed")
LOST = found("call-none-lost", "must", "a call was lost", "a call", "a source")
LATE = found("text-incremental", "should", "at the end", "at once", "a source")
CAUSE = found("part-known", "must", "a part", "a part", "a source", explains=(LOST, LATE))


def result(
    case: str,
    *findings: Finding,
    status: Status = "failed",
    adapter: str = "mine",
    conduct: Conduct = "legal",
) -> Result:
    return Result(case, adapter, status, findings, conduct=conduct)


def sections(
    *results: Result,
    sizes: dict[str, int] | None = None,
    levels: tuple[str, ...] = ("must",),
    several: bool = False,
) -> dict[str, list[str]]:
    """The sections of these results; the excerpt of a case is ``seen in CASE``."""
    listed = {"mine": [KnownFailure("any/listed@chat", "end-honest", "made-up", Place("k.yaml"))]}
    excerpts = {
        (each.adapter, each.case): [
            Excerpt(cause_of(finding), (f"seen in {each.case}",), (sizes or {}).get(each.case, 1))
            for finding in each.findings
        ]
        for each in results
    }
    return dict(Causes(results, excerpts, listed, levels, several=several).sections())


def test_failures_of_one_kind_have_one_cause_and_legal_streams_come_first() -> None:
    assert sections(
        result("any/a@chat", MUST, conduct="deviation"),
        result("any/b@chat", MUST, conduct="deviation"),
        result("any/c@chat", CRASH),
        result("any/d@chat", CRASH, conduct="violation"),
        result("any/e@chat", status="passed"),
    ) == {
        "4 cases, 2 causes": [
            "on legal streams: 1 cause",
            "",
            "1. end-honest/crashed: 2 cases, the smallest is any/c@chat",
            "seen in any/c@chat",
            "",
            "on streams that deviate from their specification: 1 cause",
            "",
            "2. end-honest/made-up: 2 cases, the smallest is any/a@chat",
            "seen in any/a@chat",
        ]
    }


def test_the_smallest_case_is_plain_and_has_the_fewest_events() -> None:
    (lines,) = sections(
        result("any/a@chat", MUST),
        result("any/b@chat", MUST),
        result("any/c@chat+crlf", MUST),
        sizes={"any/a@chat": 9, "any/b@chat": 4, "any/c@chat+crlf": 2},
    ).values()
    assert lines[2] == "1. end-honest/made-up: 3 cases, the smallest is any/b@chat"


def test_findings_that_another_one_explains_have_no_cause_of_their_own() -> None:
    assert list(sections(result("any/a@chat", CAUSE))) == ["1 case, 1 cause"]


def test_findings_that_do_not_fail_and_known_failures_are_short() -> None:
    assert sections(
        result("any/listed@chat", MUST, status="known"),
        result("any/new@chat", LATE, status="passed"),
    ) == {
        "should (--should makes them fail): 1 case, 1 cause": [
            "✗ text-incremental (should): at the end (1 case, any/new@chat)"
        ],
        "known failures: 1 case, 1 cause": ["  end-honest ×1"],
    }


def test_of_several_adapters_the_smallest_case_has_a_name() -> None:
    results = (result("any/a@chat", MUST), result("any/a@chat", MUST, adapter="other"))
    (lines,) = sections(*results, several=True).values()
    assert lines[2:] == [
        "1. end-honest/made-up: 2 cases, the smallest is mine:any/a@chat",
        "seen in any/a@chat",
    ]


def test_the_level_should_may_fail() -> None:
    shown = sections(result("any/a@chat", LATE), levels=("must", "should"))
    assert list(shown) == ["1 case, 1 cause"]


def test_nothing_is_printed_without_findings() -> None:
    assert sections(result("any/a@chat", status="passed")) == {}


def recording(*results: Result, complete: bool = True) -> Recording:
    recorded = dict(enumerate(results, 2))
    traits = {each.adapter: Traits() for each in results}
    claims, options = dict.fromkeys(traits, Claims()), dict.fromkeys(traits, ())
    return Recording("f", "0.1.0", traits, claims, options, recorded, {}, 0 if complete else None)


def test_two_runs_are_compared_by_their_causes_and_what_came_is_first() -> None:
    before = recording(result("any/a@chat", MUST, LOST), result("any/b@chat", MUST))
    after = recording(
        result("any/a@chat", MUST, CRASH), result("any/b@chat"), result("any/c@chat", MUST)
    )
    shown = [line for change in compare([before], [after]) for line in change.lines()]
    assert shown == [
        "came: mine: end-honest/crashed (must), 1 case, the smallest is any/a@chat: it crashed",
        "went: mine: call-none-lost/made-up (must), 1 case, the smallest is any/a@chat: a call was "
        "lost",
        "changed: mine: end-honest/made-up (must), 2 cases, the smallest is any/a@chat: it ended "
        "as 'completed'",
        "  + any/c@chat",
        "  - any/b@chat",
    ]
    assert compare([before], [before]) == []
