"""The host's messages, first and between the turns, in a scenario."""

import json
from typing import Any

import pytest

from mockserver.cases.load import load
from mockserver.foundation.faults import ScenarioError
from mockserver.scenario.model import Host, Model, Scenario, Then

CALL = {"call": {"id": "c1", "name": "f", "input": {}}}
TURN = {"says": [CALL], "then": {"tool_results": {"c1": "one"}}}
LAST = {"says": [{"text": "Done"}]}


def scenario(*turns: dict[str, Any], **fields: Any) -> Scenario:
    value = {"title": "A conversation", "turns": turns, **fields}
    return load(json.dumps(value).encode(), "mine.yaml", "any/mine")


def test_the_first_messages_of_the_host_may_be_left_out() -> None:
    assert scenario(LAST).host == Host()


def test_the_host_has_messages_tools_and_options() -> None:
    tool = {"name": "f", "input_schema": {"type": "object"}}
    written = {"system": "S", "user": "U", "tools": [tool], "options": {"temperature": 0}}
    assert scenario(LAST, host=written).host == Host("S", "U", (tool,), {"temperature": 0})


@pytest.mark.parametrize(
    ("written", "model"),
    [
        ({"context_window": 200, "max_tokens": 50}, Model(200, 50)),
        ({"max_tokens": 50}, Model(128000, 50)),
    ],
)
def test_the_host_has_the_limits_of_its_model(written: Any, model: Model) -> None:
    assert scenario(LAST, host={"model": written}).host == Host(model=model)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({}, "model"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": "50"}, "max_tokens"),
        ({"size": 1}, "size"),
    ],
)
def test_an_invalid_limit_is_refused(written: Any, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(LAST, host={"model": written})


@pytest.mark.parametrize(
    ("written", "handed_over"),
    [("one", "one"), ("", ""), ({"a": [1, None]}, '{"a":[1,null]}'), (7, "7"), ([], "[]")],
)
def test_a_tool_result_is_text(written: Any, handed_over: str) -> None:
    first = scenario({"says": [CALL], "then": {"tool_results": {"c1": written}}}, LAST).turns[0]
    assert first.then == Then({"c1": handed_over})


def test_a_turn_may_have_expectations_about_its_request_alone() -> None:
    schema = {"properties": {"stream": {"const": True}}}
    turn = scenario({**LAST, "expect": {"request": schema}}).turns[0]
    assert (turn.request, turn.expect) == (schema, ())


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([{"says": [CALL]}, LAST], "nothing says what the host answers"),
        ([TURN], "nothing follows this 'then'"),
        ([{"says": [CALL], "then": {"user": "Go on"}}, LAST], "the call 'c1' gets no result"),
        (
            [{"says": [CALL], "then": {"tool_results": {"c1": "", "c2": ""}}}, LAST],
            "no call of this turn that is completed has the id 'c2'",
        ),
        ([TURN, TURN, LAST], "the call id 'c1' is in an earlier turn, too"),
        ([{**TURN, "cancel": {"after_parts": 0}}, LAST], "a turn that is cancelled is the last"),
        ([{**LAST, "expect": {"request": {"type": "nothing"}}}], "'request' is no JSON Schema"),
        (
            [{**LAST, "expect": {"request": {"properties": {"a": {"pattern": "(a+)+$"}}}}}],
            "'pattern' has no place in the schema of a request",
        ),
        (
            [{**LAST, "expect": {"request": {"$ref": "http://localhost/x"}}}],
            "'$ref' has no place in the schema of a request",
        ),
    ],
)
def test_an_invalid_conversation_is_reported_at_its_place(
    turns: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(ScenarioError) as error:
        scenario(*turns)
    problem = error.value.problems[0]
    assert message in problem.message
    assert problem.place is not None
