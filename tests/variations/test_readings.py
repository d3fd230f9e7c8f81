"""Under every variation the reference adapters read the same from every scenario."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.suite.workbench import Workbench, reference_adapters, run
from mockserver.render import Case, differs, misfit
from mockserver.scenario.catalogue import Catalogue
from mockserver.variations import VARIATIONS

CATALOGUE = Catalogue.shipped()
SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
ADAPTERS = {dialect: adapter for adapter in reference_adapters() for dialect in adapter.dialects}
# A variation of the wire is played in the dialect in which most of it happens.
PLAYED = [
    (dialect, name)
    for name, variation in VARIATIONS.items()
    for dialect in (variation.dialects or ("openresponses",))
]


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with Workbench(CATALOGUE) as bench:
        yield bench


def cases(dialect: str, *names: str) -> list[Case]:
    spoken = [scenario for scenario in SCENARIOS if dialect in scenario.dialects]
    formed = [Case(scenario, dialect, names) for scenario in spoken]
    return [each for each in formed if differs(each) and not misfit(each)]


@pytest.mark.parametrize(("dialect", "name"), PLAYED)
def test_the_reading_of_every_scenario_is_the_same_under_a_variation(
    workbench: Workbench, dialect: str, name: str
) -> None:
    session = workbench.session(ADAPTERS[dialect])
    played = cases(dialect, name)
    assert played
    for each in played:
        assert run(session, each).findings == (), str(each)


@pytest.mark.parametrize(
    ("dialect", "together"),
    [
        ("openresponses", ("lmstudio", "rotating-ids", "heartbeats", "crlf")),
        ("chat", ("empty-choices", "repeated-names", "same-index", "usage-everywhere", "crlf")),
        ("chat", ("reasoning-content", "null-content", "null-names", "finish-without-delta")),
    ],
)
def test_variations_can_be_combined(
    workbench: Workbench, dialect: str, together: tuple[str, ...]
) -> None:
    session = workbench.session(ADAPTERS[dialect])
    for each in cases(dialect, *together):
        assert run(session, each).findings == (), str(each)
