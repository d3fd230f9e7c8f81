"""Under every variation the reference adapters have the same reading of every scenario."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import pytest

from conformance.drivers.kinds import driver_of
from conformance.suite.session import Session
from conformance.suite.upstream import Upstream
from conformance.suite.workbench import reference_adapters, run, skip_reason
from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from tests.cases.test_render import with_placeholders
from tests.representative import REACHES, delivery, features, split
from tests.wireless import RENDERINGS, Wireless

CATALOGUE = Catalogue.shipped()
SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]


def of(dialect: str, *names: str) -> Iterator[Case]:
    """The cases of a dialect under these variations."""
    return (
        Case(scenario, dialect, names) for scenario in SCENARIOS if dialect in scenario.dialects
    )


# The adapters for VS Code first; those of other vocabularies play what these do not claim.
ADAPTERS = sorted(reference_adapters(), key=lambda adapter: adapter.vocabulary != "vscode")


def adapter_for(case: Case) -> str:
    """The name of the reference adapter that claims a case."""
    spoken = (adapter for adapter in ADAPTERS if case.dialect in adapter.dialects)
    return next(adapter.name for adapter in spoken if not skip_reason(adapter, case))


@lru_cache
def few_scenarios(dialect: str, of_bytes: bool = False) -> frozenset[str]:
    """The ids of a few representative scenarios of a dialect, and of one with every character.

    For variations ``of_bytes``, which are lines and cuts, they represent how streams come and end,
    whatever the events are; ``test_every_wire`` plays all scenarios under those.
    """
    spoken = [case for case in of(dialect) if case.scenario.streams or not of_bytes]
    few = split(spoken, delivery if of_bytes else features)[0]
    return frozenset((*(case.scenario.id for case in few), "any/unicode-and-large-numbers"))


def _largest_changed(name: str) -> str:
    """The dialect with the most scenarios, of those in which a variation changes any."""
    by_size = sorted(DIALECTS, key=lambda dialect: -sum(1 for _ in of(dialect)))
    return next(dialect for dialect in by_size if any(map(_is_changed, of(dialect, name))))


# OpenResponses has long streams, of which each byte would be an event of the loop: test_every_wire
# plays some of those, and decodes all.
PLAYED_IN = {"byte-by-byte": "chat"}


def _played() -> Iterator[Any]:
    """Parameters: each variation with a dialect, and whether a few scenarios are enough for it.

    A variation of lines or cuts is played in the largest dialect that it changes; those of HTTP
    need sockets (``test_http``).
    """
    for name, variation in VARIATIONS.items():
        if variation.layer == "http":
            continue
        for dialect in variation.dialects or (PLAYED_IN.get(name) or _largest_changed(name),):
            yield pytest.param(dialect, name, True, id=f"{dialect}-{name}-few")
            yield pytest.param(dialect, name, False, id=f"{dialect}-{name}", marks=pytest.mark.long)


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """Each reference adapter by its name, driven without a socket."""
    with Wireless(CATALOGUE) as upstream:
        yield from driven(upstream)


def driven(upstream: Upstream) -> Iterator[dict[str, Session]]:
    """A session with an upstream of each reference adapter by its name."""
    with ExitStack() as stack:
        drivers = [driver_of(adapter) for adapter in ADAPTERS]
        for driver in drivers:
            stack.callback(driver.close)
        yield {
            adapter.name: Session(adapter, driver, upstream)
            for adapter, driver in zip(ADAPTERS, drivers, strict=True)
        }


def reached(few: bool, dialect: str, *names: str) -> Iterator[Case]:
    """The cases of a dialect under these variations: all, or those of a few scenarios."""
    spoken = of(dialect, *names)
    of_bytes = all(VARIATIONS[name].layer in ("lines", "cuts") for name in names)
    return (e for e in spoken if not few or e.scenario.id in few_scenarios(dialect, of_bytes))


def changed(cases: Iterable[Case]) -> list[Case]:
    """Those of these cases that their variations fit and change."""
    return list(filter(_is_changed, cases))


def _is_changed(case: Case) -> bool:
    return differs(case) and not misfit(case)


@pytest.mark.parametrize(("dialect", "name", "few"), list(_played()))
def test_the_reading_of_every_scenario_is_the_same_under_a_variation(
    sessions: dict[str, Session], dialect: str, name: str, few: bool
) -> None:
    played = changed(reached(few, dialect, name))
    assert played
    for each in played:
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)
        assert with_placeholders(RENDERINGS.get(each, 0), dialect) == [], str(each)


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(
    ("dialect", "together"),
    [
        ("openresponses", ("lmstudio", "rotating-ids", "heartbeats", "crlf")),
        ("chat", ("empty-choices", "repeated-names", "same-index", "usage-everywhere", "crlf")),
        ("chat", ("copilot-reasoning", "null-content", "null-names", "finish-without-delta")),
    ],
)
def test_variations_can_be_combined(
    sessions: dict[str, Session], dialect: str, together: tuple[str, ...], reach: str
) -> None:
    played = changed(reached(reach == "few", dialect, *together))
    assert played
    for each in played:
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)
