"""What a script needs of a dialect, and in which dialects a scenario of any/ is played."""

import json
from typing import Any

import pytest

from mockserver.cases.load import load
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import ScenarioError
from mockserver.foundation.shipped import folder
from mockserver.scenario.model import Scenario
from mockserver.scenario.needs import CITATIONS, NEEDS, needs

CITED = [{"start": {"text": "t"}}, {"delta": {"t": "a"}},
         {"cite": {"block": "t", "url": "http://a", "title": "A"}}, {"end": "t"}]  # fmt: skip


def scenario(steps: list[Any], id_: str = "any/mine", **fields: Any) -> Scenario:
    value = {"title": "mine", "turns": [{"says": steps}], **fields}
    return load(json.dumps(value).encode(), f"{id_}.yaml", id_)


@pytest.mark.parametrize(
    ("steps", "needed"),
    [
        ([{"text": "a"}, {"call": {"id": "c", "name": "n", "input": {}}}], set()),
        (CITED, {"citations"}),
        (["queued", {"text": "a"}], {"queued"}),
        ([{"text": "a"}, {"incomplete": {"other": "why"}}], {"other-reasons"}),
        ([{"text": "a"}, {"incomplete": "length"}], set()),
        ([{"refusal": "no"}], {"refusals"}),
        ([{"web_search": {"query": "a"}}], {"hosted-tools"}),
        ([{"text": "a", "phase": "commentary"}], {"phases"}),
        ([{"reasoning": "hm"}, {"text": "a"}], {"reasoning"}),
        ([{"start": {"text": "t"}}, {"start": {"call": "c", "id": "c", "name": "n"}},
          {"delta": {"t": "a"}}, {"delta": {"c": "{}"}}, {"end": "c"}, {"end": "t"}],
         {"open-blocks"}),
    ],
)  # fmt: skip
def test_the_needs_of_a_script_are_those_of_its_steps(steps: list[Any], needed: set[str]) -> None:
    assert needs(scenario(steps, conduct="deviation").turns) == needed


def test_a_scenario_of_any_is_played_in_dialects_that_can_carry_it_and_says_why_not_in_others() -> (
    None
):
    found = scenario(CITED)
    reasons = {name: dialect.unsupported.get(CITATIONS) for name, dialect in DIALECTS.items()}
    why_not = {name: reason for name, reason in reasons.items() if reason}
    assert why_not["chat"] == "chat has no chunk that carries a citation"
    assert found.unable == why_not
    assert found.dialects == tuple(name for name in DIALECTS if name not in why_not)


@pytest.mark.parametrize("fields", [{"dialects": ["openresponses", "chat"]}, {"id_": "chat/mine"}])
def test_a_named_dialect_must_be_able_to_carry_the_script(fields: Any) -> None:
    with pytest.raises(ScenarioError, match="chat has no chunk that carries a citation"):
        scenario(CITED, **fields)


def test_a_script_that_no_dialect_can_carry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    only = {"chat": DIALECTS["chat"]}
    monkeypatch.setattr("mockserver.cases.load.DIALECTS", only)
    with pytest.raises(ScenarioError, match="no dialect can carry this: chat has no chunk"):
        scenario(CITED)


def test_a_scenario_of_any_may_not_list_dialects() -> None:
    files = (folder("scenarios") / "any").glob("*.yaml")
    assert [path.name for path in files if "\ndialects:" in path.read_text("utf-8")] == []


def test_everything_that_a_dialect_lacks_is_a_need() -> None:
    assert {need for dialect in DIALECTS.values() for need in dialect.unsupported} <= set(NEEDS)
