"""OpenResponses: how scripts and lists of events become streams."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given

from conformance.contract.transcript import SentEvent
from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.foundation.json_fields import merge, remove_fields
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.clients.judges import SCHEMA
from tests.data import needs_data
from tests.rules.scripts import cases

SAMPLE = OPENRESPONSES.sample()


def sent(*steps: Send) -> list[dict[str, Any]]:
    """The data of the complete events of a list."""
    events = OPENRESPONSES.steps(Sends(steps, ()), 0)
    return [fill_json(event.data, SAMPLE) for event in events if isinstance(event, Event)]


@given(cases())
def test_any_script_becomes_a_stream_that_breaks_no_rule(case: Case) -> None:
    stream = [
        SentEvent(s.n, s.at, s.kind, s.type, fill_json(s.data, SAMPLE), s.ignorable)
        for s in render(case, 0).plan.sent
    ]
    broken = [f for f in judge_stream(stream, None) if f.level == "must"]
    assert broken == []


@needs_data
@given(cases())
def test_any_script_becomes_events_that_the_published_schema_accepts(case: Case) -> None:
    for each in render(case, 0).plan.sent:
        if each.kind == "event":
            assert SCHEMA.event(fill_json(each.data, SAMPLE)) == set(), each.type


# What is derived, what is given, and what is sent.
MERGES: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b", "b": "c"}, {"a": None}, {"a": None, "b": "c"}),
    ({"a": {"b": "c"}}, {"a": None}, {"a": None}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d", "c": None}}),
    ({"a": {"b": "c"}}, {"a": {}}, {"a": {"b": "c"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {"ccc": None}}}),
]


@pytest.mark.parametrize(("derived", "given", "result"), MERGES)
def test_fields_merge_by_key_and_null_is_a_value(derived: Any, given: Any, result: Any) -> None:
    assert merge(derived, given) == result


ABSENT: list[tuple[Any, tuple[tuple[str, ...], ...], Any]] = [
    ({"a": 1, "b": 2}, (("a",),), {"b": 2}),
    ({"a": {"b": 1, "c": 2}}, (("a", "b"), ("a", "c")), {"a": {}}),
    ({"a": None}, (("a", "b"),), {"a": None}),
    ({"a": [{"b": 1}]}, (("a", "b"),), {"a": [{"b": 1}]}),
    ({"a": 1}, (("b", "c"), ("d",)), {"a": 1}),
    ({"a.b": 1, "a": {"b": 2}}, (("a.b",),), {"a": {"b": 2}}),
]


@pytest.mark.parametrize(("data", "absent", "result"), ABSENT)
def test_absent_fields_are_removed_at_any_depth(data: Any, absent: Any, result: Any) -> None:
    before = deepcopy(data)
    assert remove_fields(data, absent) == result
    assert data == before


def test_derived_fields_may_be_left_out() -> None:
    item = {"type": "message", "id": "msg_a"}
    _, added, first, second, done, part, last, final = sent(
        Send("response.created"),
        Send("response.output_item.added", {"item": item}),
        Send("response.output_text.delta", {"delta": "Hel"}),
        Send("response.output_text.delta", {"delta": "lo"}),
        Send("response.output_text.done"),
        Send("response.content_part.done"),
        Send("response.output_item.done"),
        Send("response.completed"),
    )
    assert added["output_index"] == 0
    assert (first["item_id"], first["output_index"], first["content_index"]) == ("msg_a", 0, 0)
    assert second["sequence_number"] == 3
    assert done["text"] == "Hello"
    assert part["part"]["text"] == "Hello"
    assert last["item"]["content"][0]["text"] == "Hello"
    assert last["item"]["status"] == "completed"
    assert final["response"]["output"] == [last["item"]]


def test_given_fields_are_sent_verbatim_and_absent_ones_are_not_sent() -> None:
    created, delta = sent(
        Send(
            "response.created",
            {"sequence_number": 7, "response": {"id": "resp_x", "error": None, "usage": "absent"}},
            absent=(("response", "model"),),
        ),
        Send(
            "response.function_call_arguments.delta",
            {"item_id": "fc_9", "output_index": 4, "delta": "{}"},
            absent=(("sequence_number",),),
        ),
    )
    assert created["sequence_number"] == 7
    assert created["response"]["id"] == "resp_x"
    assert (created["response"]["error"], created["response"]["usage"]) == (None, "absent")
    assert "model" not in created["response"]
    assert delta == {
        "type": "response.function_call_arguments.delta",
        "item_id": "fc_9",
        "output_index": 4,
        "delta": "{}",
    }


def test_unknown_events_and_events_of_unknown_items_are_ignorable() -> None:
    events = OPENRESPONSES.steps(
        Sends(
            (
                Send("acme:trace"),
                Send("ping", known=False),
                Send("response.output_item.added", {"item": {"type": "acme:search", "id": "s"}}),
                Send("response.output_item.done", {"output_index": 0}),
                Send("response.output_item.added", {"item": {"type": "message", "id": "m"}}),
            ),
            (),
        ),
        0,
    )
    assert [event.ignorable for event in events if isinstance(event, Event)] == [True] * 4 + [False]


def rendered(steps: str) -> list[dict[str, Any]]:
    text = f"title: Drawn\nturns:\n  - says:\n{steps}"
    scenario = load(text.encode(), "rendered.yaml", "openresponses/rendered")
    return [
        fill_json(each.data, SAMPLE)
        for each in render(Case(scenario, "openresponses"), 0).plan.sent
        if each.kind == "event"
    ]


def test_a_call_that_is_cut_off_has_no_arguments_done() -> None:
    events = rendered(
        "      - start: {call: c, id: call_1, name: f}\n"
        "      - delta: {c: '{\"a\":'}\n"
        "      - incomplete: length\n"
    )
    types = [event["type"] for event in events]
    assert "response.function_call_arguments.done" not in types
    item = events[-2]["item"]
    assert (item["status"], item["arguments"]) == ("incomplete", '{"a":')
    response = events[-1]["response"]
    assert response["status"] == "incomplete"
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response["output"] == [item]


def test_an_error_event_is_followed_by_the_failed_response() -> None:
    error, failed = rendered("      - error: {code: overloaded, message: Too much.}\n")[-2:]
    assert error["error"] == {
        "type": "server_error",
        "code": "overloaded",
        "message": "Too much.",
        "param": None,
    }
    assert failed["type"] == "response.failed"
    assert failed["response"]["error"] == {"code": "overloaded", "message": "Too much."}


def test_usage_is_in_the_ending() -> None:
    usage = rendered("      - usage: {input: 11, output: 22}\n      - text: Hi\n")[-1]["response"][
        "usage"
    ]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (11, 22, 33)


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def test_encrypted_content_is_only_in_the_completed_item() -> None:
    *_, added, done, last = rendered("      - reasoning: {encrypted: gAAAAABp}\n")
    assert added["item"] == {"type": "reasoning", "id": "rs_00", "summary": []}
    assert done["item"] == {**added["item"], "encrypted_content": "gAAAAABp"}
    assert last["response"]["output"] == [done["item"]]


def test_a_summary_of_two_entries_has_two_parts() -> None:
    events = rendered("      - reasoning: {text: [One, Two]}\n")
    part = [
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
    ]
    assert types(events)[3:-2] == [*part, *part]
    assert [event["summary_index"] for event in events[3:-2]] == [0] * 4 + [1] * 4
    assert events[-2]["item"]["summary"] == [
        {"type": "summary_text", "text": "One"},
        {"type": "summary_text", "text": "Two"},
    ]


def test_raw_reasoning_is_the_content_of_its_item() -> None:
    events = rendered("      - reasoning: {text: Hm, as: raw}\n")
    assert types(events)[3:-2] == [
        "content_part.added",
        "reasoning.delta",
        "reasoning.done",
        "content_part.done",
    ]
    assert events[3]["part"] == {"type": "reasoning_text", "text": ""}
    assert events[-2]["item"]["content"] == [{"type": "reasoning_text", "text": "Hm"}]
    assert events[-2]["item"]["summary"] == []


def test_a_queued_response_stays_queued_until_it_makes_progress() -> None:
    events = rendered("      - queued\n      - text: x\n")
    assert types(events)[:4] == ["created", "queued", "in_progress", "output_item.added"]
    statuses = [event["response"]["status"] for event in events[:3]]
    assert statuses == ["queued", "queued", "in_progress"]


# The reasons that openai names, and one that no document names
@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("length", "max_output_tokens"),
        ("content-filter", "content_filter"),
        ("{other: max_messages}", "max_messages"),
        ("{other: steered}", "steered"),
        ("{other: max_tool_calls}", "max_tool_calls"),
        ("{other: a word of tomorrow}", "a word of tomorrow"),
    ],
)
def test_each_incomplete_reason_has_its_name_on_the_wire(written: str, reason: str) -> None:
    last = rendered(f"      - text: x\n      - incomplete: {written}\n")[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": reason}
