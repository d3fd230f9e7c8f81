"""Under every variation the reference adapters have the same reading of every scenario."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from conformance.drivers.kinds import driver_of
from conformance.suite.play import Session
from conformance.suite.workbench import reference_adapters, run
from mockserver.render import Case, differs, misfit
from mockserver.scenario.catalogue import Catalogue
from mockserver.variations import VARIATIONS
from tests.wire.test_render import with_placeholders
from tests.wireless import RENDERINGS, Wireless

CATALOGUE = Catalogue.shipped()
SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]
ADAPTERS = {dialect: adapter for adapter in reference_adapters() for dialect in adapter.dialects}
# A variation of the wire is played in the dialect with the most scenarios.
PLAYED = [
    (dialect, name)
    for name, variation in VARIATIONS.items()
    for dialect in (variation.dialects or ("openresponses",))
]


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """The reference adapter of each dialect, driven without a socket."""
    with Wireless(CATALOGUE) as upstream, ExitStack() as stack:
        drivers = {dialect: driver_of(adapter) for dialect, adapter in ADAPTERS.items()}
        for driver in drivers.values():
            stack.callback(driver.close)
        yield {d: Session(ADAPTERS[d], driver, upstream) for d, driver in drivers.items()}


def cases(dialect: str, *names: str) -> list[Case]:
    playable = [scenario for scenario in SCENARIOS if dialect in scenario.dialects]
    formed = [Case(scenario, dialect, names) for scenario in playable]
    return [each for each in formed if differs(each) and not misfit(each)]


@pytest.mark.parametrize(("dialect", "name"), PLAYED)
def test_the_reading_of_every_scenario_is_the_same_under_a_variation(
    sessions: dict[str, Session], dialect: str, name: str
) -> None:
    played = cases(dialect, name)
    assert played
    for each in played:
        assert run(sessions[dialect], each).findings == (), str(each)
        assert with_placeholders(RENDERINGS.get(each, 0), dialect) == [], str(each)


@pytest.mark.parametrize(
    ("dialect", "together"),
    [
        ("openresponses", ("lmstudio", "rotating-ids", "heartbeats", "crlf")),
        ("chat", ("empty-choices", "repeated-names", "same-index", "usage-everywhere", "crlf")),
        ("chat", ("reasoning-content", "null-content", "null-names", "finish-without-delta")),
    ],
)
def test_variations_can_be_combined(
    sessions: dict[str, Session], dialect: str, together: tuple[str, ...]
) -> None:
    for each in cases(dialect, *together):
        assert run(sessions[dialect], each).findings == (), str(each)
