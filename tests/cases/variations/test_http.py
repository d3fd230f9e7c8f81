"""Over HTTP, the readings of the reference adapters are the same in every form of response.

They end as they should if the announced length is wrong.
"""

from collections.abc import Iterator

import pytest

from conformance.suite.session import Session
from conformance.suite.upstream import Upstream
from conformance.suite.workbench import run
from mockserver.cases.case import Case, misfit
from mockserver.cases.variations import VARIATIONS
from tests.cases.variations.test_readings import CATALOGUE, SCENARIOS, adapter_for, changed, driven

TELLING = (
    "any/unicode-and-large-numbers",
    "any/replacement-character",
    "any/cut-inside-text",
    "any/error-at-once",
)


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, Session]]:
    """Each reference adapter by its name, driven over HTTP."""
    with Upstream(CATALOGUE) as upstream:
        yield from driven(upstream)


@pytest.mark.parametrize("name", [v.name for v in VARIATIONS.values() if v.layer == "http"])
def test_the_reading_is_the_same_in_any_response(sessions: dict[str, Session], name: str) -> None:
    telling = [each for each in SCENARIOS if each.id in TELLING]
    cases = [Case(each, dialect, (name,)) for each in telling for dialect in each.dialects]
    played = changed(cases)
    assert played
    for each in played:
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)


@pytest.mark.parametrize("fault", ["wrong-length:64", "content-length+stop:terminal:clean"])
@pytest.mark.parametrize("id_", ["any/refusal", "any/parallel-calls-end-in-reverse"])
def test_a_run_is_whole_only_if_its_ending_is_in_the_body(
    sessions: dict[str, Session], id_: str, fault: str
) -> None:
    scenario = CATALOGUE.get(id_)
    assert scenario
    for dialect in scenario.dialects:
        each = Case(scenario, dialect, tuple(fault.split("+")))
        assert misfit(each) == ""
        assert run(sessions[adapter_for(each)], each).findings == (), str(each)
