"""Adapters that pass every scenario as it is written, and that a fault convicts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from conformance.contract.adapter import Claims
from conformance.drivers.python import PythonDriver
from conformance.suite.session import Session
from conformance.suite.workbench import run, skip_reason
from mockserver.cases import case as case_ids
from mockserver.cases.case import Case
from tests.cases.variations.test_readings import CATALOGUE, SCENARIOS, of
from tests.representative import REACHES, situation, split
from tests.rules.broken.broken_adapter import DECLARED
from tests.rules.broken.faults import FAULTY, Faulty
from tests.rules.test_broken_adapters import described
from tests.wireless import Wireless

_BROKEN = pytest.mark.parametrize("faulty", FAULTY, ids=lambda each: each.make.__name__)


@contextmanager
def driven(faulty: Faulty) -> Iterator[Session]:
    adapted = described(faulty.make.__name__, DECLARED, Claims(cancel=True))
    driver = PythonDriver(faulty.make())
    try:
        with Wireless(CATALOGUE) as upstream:
            yield Session(adapted, driver, upstream)
    finally:
        driver.close()


def rules(session: Session, cases: Iterable[Case]) -> dict[str, set[str]]:
    """The rules that a run of each case breaks; without those that break none."""
    found: dict[str, Any] = {str(case): run(session, case).findings for case in cases}
    return {case: {finding.rule for finding in each} for case, each in found.items() if each}


@_BROKEN
def test_a_fault_convicts_an_adapter_for_its_rule(faulty: Faulty) -> None:
    id_ = case_ids.parse(faulty.case)
    (scenario,) = (each for each in SCENARIOS if each.id == id_.scenario)
    with driven(faulty) as session:
        assert rules(session, [Case(scenario, id_.dialect, id_.variations)]) == {
            faulty.case: {faulty.rule}
        }


@pytest.mark.parametrize("reach", REACHES)
@_BROKEN
def test_no_scenario_convicts_it_without_a_fault(faulty: Faulty, reach: str) -> None:
    cases = list(of("openresponses"))
    with driven(faulty) as session:
        few = split(cases, situation)[0] if reach == "few" else cases
        played = [case for case in few if not skip_reason(session.description, case)]
        assert rules(session, played) == {}
