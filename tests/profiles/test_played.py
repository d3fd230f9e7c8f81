"""What the mock sends as a profile is what the profile's contract allows."""

import pytest

from conformance.dialects.contracts import CONTRACTS, Contract
from conformance.dialects.recording import read_dump, recorded_streams, recorded_turn
from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case, make_case, misfit, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import PROFILES, find_profile
from tests.stream import lines_of

CATALOGUE = Catalogue.shipped()
SCENARIOS = [
    entry.scenario
    for entry in CATALOGUE.entries()
    if entry.scenario and entry.scenario.is_specified and entry.id.startswith("any/")
][::4]


def _cases(dialect: str, name: str) -> list[Case]:
    playable = [Case(s, dialect, (name,)) for s in SCENARIOS if dialect in s.dialects]
    return [each for each in playable if not misfit(each) and differs(each)]


@pytest.mark.parametrize(
    "contract", CONTRACTS, ids=[f"{c.profile.dialect}-{c.profile.name}" for c in CONTRACTS]
)
def test_a_profile_is_played_as_its_contract_says(contract: Contract) -> None:
    dialect, name = contract.profile.dialect, contract.profile.name
    found = _cases(dialect, name)
    assert found
    for each in found:
        for data in recorded_streams(each):
            dump = read_dump(data, str(each))
            findings = judge_stream(dump.events, dump.framing, dialect, contract)
            assert lines_of([f for f in findings if f.level == "must"]) == [], str(each)


@pytest.mark.parametrize("id_", ["any/refusal@openresponses+openai", "any/refusal@chat+openai"])
def test_a_profile_is_played_by_name_in_each_of_its_dialects(id_: str) -> None:
    named = parse(id_)
    scenario = CATALOGUE.get(named.scenario)
    assert scenario
    assert recorded_turn(make_case(scenario, named), 0).events


def test_a_profile_is_another_bundle_in_each_dialect() -> None:
    for each in PROFILES:
        assert VARIATIONS[each.name].applies_to(each.dialect)
        assert VARIATIONS[each.name].in_dialect(each.dialect).consists_of == each.plays


def test_a_dialect_has_no_profile_of_another() -> None:
    assert find_profile("groq", "openresponses") is None
    assert find_profile("openai", "vercel-ui") is None
