"""Over HTTP, the reference adapters end as they should if the announced length is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.suite.play import Session
from conformance.suite.upstream import Upstream
from conformance.suite.workbench import run
from mockserver.cases.case import Case, misfit
from tests.cases.variations.test_readings import CATALOGUE, adapter_for, driven


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """Each reference adapter by its name, driven over HTTP."""
    with Upstream(CATALOGUE) as upstream:
        yield from driven(upstream)


@pytest.mark.parametrize("fault", ["wrong-length:64", "content-length+stop:terminal:clean"])
@pytest.mark.parametrize("id_", ["any/refusal", "any/parallel-calls-end-in-reverse"])
def test_a_run_is_whole_only_if_its_ending_is_in_the_body(
    sessions: dict[str, Session], id_: str, fault: str
) -> None:
    scenario = CATALOGUE.get(id_)
    assert scenario
    cases = [Case(scenario, dialect, tuple(fault.split("+"))) for dialect in scenario.dialects]
    for each in cases:
        assert misfit(each) == ""
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)
