"""A case id has a scenario, a dialect and variations in one word."""

import fnmatch
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cases import variations
from mockserver.cases.case import CaseId, make_case, parse
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import UserError

CASES = {
    "any/parallel-calls": CaseId("any/parallel-calls"),
    "parallel-calls": CaseId("parallel-calls"),
    "any/parallel-calls@chat": CaseId("any/parallel-calls", "chat"),
    "any/parallel-calls@chat+crlf": CaseId("any/parallel-calls", "chat", ("crlf",)),
    "any/a+no-done+crlf": CaseId("any/a", "", ("no-done", "crlf")),
    "a/b/c_d.e-0": CaseId("a/b/c_d.e-0"),
}


@pytest.mark.parametrize(("text", "case"), CASES.items())
def test_a_case_id_is_parsed(text: str, case: CaseId) -> None:
    assert parse(text) == case
    assert str(case) == text


WORD = st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,5}\Z")


@given(
    st.builds(
        CaseId,
        st.lists(WORD, min_size=1, max_size=3).map("/".join),
        WORD | st.just(""),
        st.lists(WORD, max_size=3).map(tuple),
    )
)
def test_a_case_id_is_read_back_as_it_was_written(case: CaseId) -> None:
    assert parse(str(case)) == case


@pytest.mark.parametrize(
    "text",
    [
        "", "/", "any/", "/any/a", "any//a", "../a", "any/..", "any/.hidden", "any/a@", "any/a+",
        "any/a@chat@chat", "any/a+crlf@chat", "any/a b", "Any/a", "any/ä", "any/a\n", "any/a%2e",
        "any\\a",
    ],
)  # fmt: skip
def test_an_invalid_case_id_is_reported_with_the_form_of_a_valid_one(text: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert "is not a case id" in raised.value.problems[0].message
    assert "FOLDER/SCENARIO@DIALECT" in raised.value.problems[0].hint


def test_a_long_case_id_is_cut_in_the_message() -> None:
    with pytest.raises(UserError) as raised:
        parse("A" * 1_000_000)
    assert len(str(raised.value)) < 300


STANDINGS = {
    "any/refusal@chat": "legal",
    "any/refusal@openresponses+crlf": "legal",
    "any/refusal@openresponses+rotating-ids": "deviation",
    "any/refusal@openresponses+reasoning-summary": "unknown",
    "any/refusal@openresponses+rotating-ids+reasoning-summary": "unknown",
    "any/refusal@openresponses+copilot": "deviation",
    "any/refusal@openresponses+error:first:failed": "legal",
    "any/refusal@openresponses+error:first:string": "unknown",
    "any/refusal@chat+error:first:string": "violation",
    "any/refusal@chat+no-done+stop:terminal:reset": "violation",
    "any/refusal@chat+stop:2:cut": "violation",
    "any/refusal@chat+stop:2:half-close": "unknown",
    "any/connection-reset@chat+no-done": "violation",
    "any/half-closed-inside-text@chat": "unknown",
}


@pytest.mark.parametrize(("id_", "standing"), STANDINGS.items())
def test_a_case_stands_as_the_worst_of_its_scenario_its_variations_and_its_fault(
    id_: str, standing: str
) -> None:
    parsed = parse(id_)
    scenario = Catalogue.shipped().get(parsed.scenario)
    assert scenario
    assert make_case(scenario, parsed).standing == standing


def test_a_case_has_the_evidence_of_its_scenario_and_of_its_variations() -> None:
    scenario = Catalogue.shipped().get("any/connection-reset")
    assert scenario
    seen = make_case(scenario, parse("any/connection-reset@chat+no-done")).seen
    assert seen == (*scenario.seen, *variations.variation("no-done").seen)
    assert len(seen) > len(scenario.seen) > 0


def test_every_evidence_of_variations_is_about_one() -> None:
    path = Path(variations.__file__).with_name("evidence.yaml")
    known = {**variations.VARIATIONS, **variations.FAULTS}
    names = {*known, *(f"{name}@{of}" for name, each in known.items() for of, _ in each.by_dialect)}
    keys = yaml.safe_load(path.read_text("utf-8"))
    assert [key for key in keys if not fnmatch.filter(names, key)] == []
