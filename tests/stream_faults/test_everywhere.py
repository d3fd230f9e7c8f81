"""Wherever an answer breaks, the reference adapters keep what came, and fail."""

from collections.abc import Iterable

import pytest

from conformance.expectation.broken_answers import is_certain
from conformance.suite.session import Session
from conformance.suite.workbench import run
from mockserver.cases import case as case_ids
from mockserver.cases.case import Case
from mockserver.cases.variations import FAULTS
from tests.cases.variations.test_readings import SCENARIOS, adapter_for, changed, of, sessions
from tests.stream_faults.places import TELLING, every_place, one_place

__all__ = ["sessions"]

_FEW = ("any/call-between-texts", "any/reasoning")


def case_of(id_: str) -> Case:
    """The case of the catalogue with this id."""
    parsed = case_ids.parse(id_)
    (scenario,) = (each for each in SCENARIOS if each.id == parsed.scenario)
    return Case(scenario, parsed.dialect, parsed.variations)


def clean(sessions: dict[str, Session], cases: Iterable[Case]) -> int:
    """Play cases that must have no findings. Returns their number."""
    count = 0
    for case in cases:
        assert run(sessions[adapter_for(case)], case).findings == (), str(case)
        count += 1
    return count


@pytest.mark.parametrize(
    "id_", [id_ if id_ in _FEW else pytest.param(id_, marks=pytest.mark.long) for id_ in TELLING]
)
def test_a_scenario_breaks_well_at_every_place(sessions: dict[str, Session], id_: str) -> None:
    assert clean(sessions, every_place(id_)) > 5


@pytest.mark.long
def test_every_other_scenario_breaks_well_at_one_place(sessions: dict[str, Session]) -> None:
    assert clean(sessions, one_place()) > 500


@pytest.mark.parametrize(
    ("id_", "adapter"),
    [
        pytest.param(
            "any/citations-of-files@openresponses+stop:first:cut",
            "reference-responses-stream",
            id="citations without a link are not expected before they came",
        ),
        pytest.param(
            "any/arguments-that-are-no-object@vercel-ui+error:terminal:incomplete",
            "reference-ui-vscode",
            id="an answer that failed by itself may say so, whatever is reported later",
        ),
    ],
)
def test_a_broken_answer_has(sessions: dict[str, Session], id_: str, adapter: str) -> None:
    assert run(sessions[adapter], case_of(id_)).findings == ()


def test_a_call_with_blank_arguments_is_not_broken_since_others_may_follow() -> None:
    assert not is_certain(case_of("any/blank-arguments@openresponses+stop:terminal:cut"))
    assert is_certain(case_of("any/empty-object-arguments@openresponses+stop:terminal:cut"))


# A wrong length needs sockets (tests/cases/variations/test_http.py).
@pytest.mark.parametrize("fault", [name for name in FAULTS if not name.startswith("wrong-length")])
def test_every_listed_fault_breaks_an_answer_in_every_dialect_that_has_it(
    sessions: dict[str, Session], fault: str
) -> None:
    dialects = FAULTS[fault].dialects or tuple(
        dict.fromkeys(d for s in SCENARIOS for d in s.dialects)
    )
    for dialect in dialects:
        scenarios = ("any/text-and-call-interleave", "any/cut-short-by-length")
        played = changed(case for case in of(dialect, fault) if case.scenario.id in scenarios)
        assert clean(sessions, played) == len(scenarios)
