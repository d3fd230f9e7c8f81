"""Wherever an answer breaks, the reference adapters keep what came, and fail."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from conformance.suite.play import Session
from conformance.suite.workbench import run
from mockserver.render import Case
from mockserver.variations import FAULTS
from tests.stream_faults.places import TELLING, every_place, one_place
from tests.variations.test_readings import SCENARIOS, adapter_for, changed, of, sessions

__all__ = ["sessions"]

_FEW = ("any/call-between-texts", "any/reasoning")


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


# A wrong length needs sockets (test_wrong_lengths).
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
