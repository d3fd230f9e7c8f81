"""Every rule about requests convicts an adapter that breaks it, of that and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapter import Claims, Description
from conformance.drivers.python import PythonDriver
from conformance.findings import Finding
from conformance.suite import Workbench, run
from conformance.turns import TURN_RULES
from mockserver.render import Case
from mockserver.scenario.catalogue import Catalogue
from tests.turns.animals import ANIMALS, DECLARED, OF_CHAT, Animal, adapter

DIALECTS = ("openresponses", "copilot")
ZOO = [(dialect, animal) for dialect in DIALECTS for animal in ANIMALS]
ZOO += [("copilot", animal) for animal in OF_CHAT]


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(Catalogue.shipped()) as bench:
        yield bench


def findings(workbench: Workbench, dialect: str, animal: Animal) -> dict[str, list[Finding]]:
    """What the conversations of the catalogue find, by case."""
    claims = Claims(turns=True)
    described = Description(
        animal.name, {}, (dialect,), "vscode", Path(animal.name), DECLARED, claims
    )
    driver = PythonDriver(adapter(dialect, animal))
    session = workbench.drive(described, driver)
    scenarios = [e.scenario for e in workbench.catalogue.entries() if e.scenario]
    several = [s for s in scenarios if len(s.turns) > 1 and dialect in s.dialects]
    try:
        results = [run(session, Case(scenario, dialect)) for scenario in several]
    finally:
        driver.close()
    return {result.case: list(result.findings) for result in results if result.findings}


@pytest.mark.parametrize(
    ("dialect", "animal"), ZOO, ids=[f"{animal.name}@{dialect}" for dialect, animal in ZOO]
)
def test_an_adapter_that_sends_something_wrong_back_is_convicted_of_that_and_of_nothing_else(
    workbench: Workbench, dialect: str, animal: Animal
) -> None:
    found = findings(workbench, dialect, animal)
    told = {case: [f"{f.rule}: {f.message}" for f in each] for case, each in found.items()}
    assert {f.rule for each in found.values() for f in each} == {animal.rule}, told


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_adapter_that_sends_everything_back_is_convicted_of_nothing(
    workbench: Workbench, dialect: str
) -> None:
    assert findings(workbench, dialect, Animal("", "Right")) == {}


def test_every_rule_has_an_adapter_that_breaks_it() -> None:
    assert {rule.id for rule in TURN_RULES} == {animal.rule for _, animal in ZOO}
