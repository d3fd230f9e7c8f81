"""A refusal may be sent as text, and only the reason to finish says what it was."""

from collections.abc import Mapping, Sequence

import pytest

from conformance.contract.traits import RefusalRoute, Traits
from conformance.contract.transcript import End, ReportedError
from conformance.expectation.broken_answers import is_certain
from conformance.rules.judge import judge_case
from mockserver.cases.case import make_case, parse
from tests.rules.made_runs import case_of, request_of, run_of

LATE = case_of(
    {
        "title": "The reason to finish calls the text a refusal",
        "source": ["the tests"],
        "turns": [
            {
                "sends": [
                    {"delta": {"role": "assistant", "content": "Not "}},
                    {"delta": {"content": "even in a story."}},
                    {"finish": {"reason": "content_filter"}},
                ],
                "expect": {
                    "parts": [{"refusal": "Not even in a story."}],
                    "reason": "content-filter",
                },
            }
        ],
    },
    "chat",
    "chat/late",
)
ALL = [{"type": "text", "value": "Not even in a story."}]
BEGUN = [{"type": "text", "value": "Not "}]
BROKE = End(9.0, "failed", error=ReportedError("truncated", "the stream broke off"))
FILTERED = End(9.0, "completed", "content-filter")


def rules(
    fault: str, parts: Sequence[Mapping[str, object]], end: End, route: RefusalRoute
) -> list[str]:
    named = f"chat/late@chat+{fault}" if fault else "chat/late@chat"
    case = make_case(LATE.scenario, parse(named))
    run = run_of(case, parts, end, request_of(case))
    return [found.rule for found in judge_case(case, run, Traits(refusal=route))]


@pytest.mark.parametrize("route", ["text", "error", "hidden"])
@pytest.mark.parametrize(
    ("fault", "parts"),
    [
        ("stop:terminal:cut", ALL),
        ("stop:1:cut", BEGUN),
        ("error:1:object", BEGUN),
        ("junk:terminal", ALL),
    ],
)
def test_it_is_text_where_the_reason_is_cut_off(
    fault: str, parts: Sequence[Mapping[str, object]], route: RefusalRoute
) -> None:
    end = (
        BROKE
        if not fault.startswith("error")
        else End(
            9.0,
            "failed",
            error=ReportedError("upstream", "The backend is overloaded.", "server_error"),
        )
    )
    assert rules(fault, parts, end, route) == []
    assert rules(fault, [], end, route) == ["text-exact"]


@pytest.mark.parametrize(
    ("route", "parts", "found"),
    [("text", ALL, []), ("hidden", [], []), ("hidden", ALL, ["refusal-routed"])],
)
def test_a_reason_that_comes_routes_it(
    route: RefusalRoute, parts: Sequence[Mapping[str, object]], found: list[str]
) -> None:
    assert rules("", parts, FILTERED, route) == found


def test_it_is_played_under_faults() -> None:
    case = make_case(LATE.scenario, parse("chat/late@chat+stop:terminal:cut"))
    assert is_certain(case)
