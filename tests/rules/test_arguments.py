"""Rules about arguments: which texts are JSON, and which texts are equal arguments."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.findings.finding import Rule
from conformance.rules.requests import TURN_RULES
from mockserver.dialects.conversation import ToolCall, ToolResult
from tests.stream import Events, added, call, child, done, json_lines, judged, lifecycle, numbered
from tests.stream.tables import changed, events_of
from tests.stream.vercel import V3_FINISH, called, part, streamed

DEEP = '{"a":' * 600 + "1" + "}" * 600
TURN: dict[str, Rule[Any]] = {rule.id: rule for rule in TURN_RULES}


def openresponses(arguments: str) -> Events:
    item = call(1, arguments)
    head = [lifecycle("created"), lifecycle("in_progress"), added(0, item)]
    said = child("function_call_arguments.done", "fc_1", 0, arguments=arguments)
    return numbered([*head, said, done(0, item), lifecycle("completed", [item])])


def chat(arguments: str) -> Events:
    calls = {0: {"function": {"arguments": arguments}}}
    edit = {1: {"choices": {0: {"delta": {"tool_calls": calls}}}}}
    return changed(events_of("chat", "a whole call"), {"edit": edit})


def provider(arguments: Any, streamed_before: str = "") -> Events:
    before = streamed("call_1", streamed_before) if streamed_before else []
    return [
        part("stream-start", warnings=[]),
        *before,
        called("call_1", input=arguments),
        V3_FINISH,
    ]


def breaks(rule: str, events: Events) -> bool:
    return any(finding.rule == rule for finding in judged(json_lines(events)))


@pytest.mark.parametrize("stream", [openresponses, chat, provider])
@pytest.mark.parametrize(
    ("arguments", "is_json"),
    [
        ('{"q":"x"}', True), ("[1]", True), ('"{}"', True), ('{"n":1e400}', True), (DEEP, True),
        ('{"q":', False), ('{"n":NaN}', False), ("Infinity", False), ("\u00a0", False),
    ],
)  # fmt: skip
def test_complete_arguments_must_be_json(
    stream: Callable[[str], Events], arguments: str, is_json: bool
) -> None:
    assert breaks("arguments-parse", stream(arguments)) is not is_json


@pytest.mark.parametrize(
    ("stream", "due"), [(openresponses, True), (chat, False), (provider, False)]
)
def test_only_openresponses_forbids_blank_arguments(
    stream: Callable[[str], Events], due: bool
) -> None:
    assert breaks("arguments-parse", stream(" \n")) is due


@pytest.mark.parametrize(
    ("sum_", "input_", "same"),
    [
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ('{"a":9007199254740993}', '{"a":9007199254740992}', True),
        ('{"a":1}', '{"a":true}', False), ('{"a":1}', '{"a":2}', False), (DEEP, DEEP, True),
        (DEEP, DEEP + " ", False), ("select 1", '"select 1"', True), ("\u00a0", "{}", False),
    ],
)  # fmt: skip
def test_input_deltas_and_input_are_compared_as_json(sum_: str, input_: str, same: bool) -> None:
    assert breaks("arguments-sum", provider(input_, sum_)) is not same


def defects(rule: str, **sent: Any) -> int:
    return len(list(TURN[rule].check(SimpleNamespace(hosted_calls={}, upstream_id=str, **sent))))


@pytest.mark.parametrize(
    ("made", "back", "same"),
    [
        ('{"a":1,"b":[2.0]}', '{ "b": [2], "a": 1 }', True), ("{}", " ", True), ("", "{}", True),
        ('{"a":1}', '"{\\"a\\":1}"', False), ('{"a":1}', '{"a":true}', False),
        ('{"a":1}', DEEP, False), (DEEP, DEEP, True), ("select 1", "select 1", True),
        ("select 1", "select 2", False),
    ],
)  # fmt: skip
def test_a_call_is_sent_back_with_equal_arguments(made: str, back: str, same: bool) -> None:
    found = defects(
        "turn-no-half-call",
        received=[ToolCall("call_1", "f", back)],
        calls={"call_1": ToolCall("call_1", "f", made)},
    )
    assert found == (0 if same else 1)


@pytest.mark.parametrize(
    ("due", "said", "same"),
    [
        ("sunny", "sunny", True), ("sunny", json.dumps("sunny"), False),
        ('{"a":1}', '{"a": 1.0}', True), ('{"a":1}', '{"a":true}', False), ("1", "1.0", True),
        ("{}", "", False), (DEEP, DEEP, True), (DEEP, DEEP + " ", False),
    ],
)  # fmt: skip
def test_a_result_is_sent_back_as_equal_text_or_json(due: str, said: str, same: bool) -> None:
    found = defects(
        "turn-output-shape",
        received=[ToolResult("call_1", said)],
        handed_over=[ToolResult("call_1", due)],
    )
    assert found == (0 if same else 1)
