"""What an event says where its author left that open, and never against the author."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.dialects.json_fields import merged
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.openresponses.events import GROUPS
from mockserver.scenario.model import Send, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import filled
from tests.clients.judges import SCHEMA
from tests.data import needs_data
from tests.schemas import ours, problems

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()


def events(*steps: Send) -> list[Event]:
    """The steps as events, whole."""
    return [e for e in OPENRESPONSES.steps(Sends(steps, ()), 0) if isinstance(e, Event)]


def told(*steps: Send) -> Json:
    """The last of the events as it goes over the wire."""
    data: Json = filled(events(*steps)[-1].data, SAMPLE)
    return data


def send(type_: str, **fields: Any) -> Send:
    return Send(type_ if type_ == "error" else f"response.{type_}", fields)


# A message, a call and a thought, all three open: the tenth event follows.
OPEN = (
    send("created"),
    send("in_progress"),
    send("output_item.added", item={"type": "message", "id": "msg_a"}),
    send("content_part.added"),
    send("output_text.delta", delta="Hi"),
    send("output_item.added", item={"type": "function_call", "id": "fc_a", "call_id": "call_a"}),
    send("function_call_arguments.delta", delta='{"a"'),
    send("output_item.added", item={"type": "reasoning", "id": "rs_a"}),
    send("reasoning_summary_part.added"),
    send("reasoning_summary_text.delta", delta="Hm"),
)
TEXT = {"type": "output_text", "text": "Hi", "annotations": [], "logprobs": []}
IN_TEXT = {"item_id": "msg_a", "output_index": 0, "content_index": 0}
IN_CALL = {"item_id": "fc_a", "output_index": 1}
IN_THOUGHT = {"item_id": "rs_a", "output_index": 2, "content_index": 0}
IN_SUMMARY = {"item_id": "rs_a", "output_index": 2, "summary_index": 0}
CITATION = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 2}

# What the author writes of an event, and the fields that stand in it beside those.
FILLED: dict[str, tuple[Json, Json]] = {
    "output_item.added": (
        {"item": {"id": "msg_b"}},
        {
            "output_index": 3,
            "item": {
                "id": "msg_b",
                "type": "message",
                "status": "in_progress",
                "role": "assistant",
                "content": [],
            },
        },
    ),
    "output_item.done": (
        {},
        {
            "output_index": 2,
            "item": {
                "type": "reasoning",
                "id": "rs_a",
                "summary": [{"type": "summary_text", "text": "Hm"}],
            },
        },
    ),
    "content_part.added": (
        {"output_index": 0},
        {**IN_TEXT, "content_index": 1, "part": {**TEXT, "text": ""}},
    ),
    "content_part.done": ({"output_index": 0}, {**IN_TEXT, "part": TEXT}),
    "output_text.delta": ({"delta": "!"}, {**IN_TEXT, "delta": "!", "logprobs": []}),
    "output_text.done": ({}, {**IN_TEXT, "text": "Hi", "logprobs": []}),
    "output_text.annotation.added": (
        {"annotation": CITATION},
        {**IN_TEXT, "annotation_index": 0, "annotation": CITATION},
    ),
    "refusal.delta": ({"delta": "No"}, {**IN_TEXT, "delta": "No"}),
    "refusal.done": ({}, {**IN_TEXT, "refusal": ""}),
    "function_call_arguments.delta": ({"delta": ":1}"}, {**IN_CALL, "delta": ":1}"}),
    "function_call_arguments.done": ({}, {**IN_CALL, "arguments": '{"a"'}),
    "reasoning.delta": ({"delta": "x"}, {**IN_THOUGHT, "delta": "x"}),
    "reasoning.done": ({}, {**IN_THOUGHT, "text": ""}),
    "reasoning_text.delta": ({"delta": "x"}, {**IN_THOUGHT, "delta": "x"}),
    "reasoning_text.done": ({}, {**IN_THOUGHT, "text": ""}),
    "reasoning_summary_part.added": (
        {},
        {**IN_SUMMARY, "summary_index": 1, "part": {"type": "summary_text", "text": ""}},
    ),
    "reasoning_summary_part.done": (
        {},
        {**IN_SUMMARY, "part": {"type": "summary_text", "text": "Hm"}},
    ),
    "reasoning_summary_text.delta": ({"delta": "x"}, {**IN_SUMMARY, "delta": "x"}),
    "reasoning_summary_text.done": ({}, {**IN_SUMMARY, "text": "Hm"}),
    "reasoning_summary.delta": ({"delta": "x"}, {**IN_SUMMARY, "delta": "x"}),
    "reasoning_summary.done": ({}, {**IN_SUMMARY, "text": "Hm"}),
    "error": (
        {"error": {"code": "c", "message": "m"}},
        {"error": {"type": "server_error", "code": "c", "message": "m", "param": None}},
    ),
}

STATUS = {
    "created": "in_progress",
    "queued": "queued",
    "in_progress": "in_progress",
    "completed": "completed",
    "failed": "failed",
    "incomplete": "incomplete",
}


@pytest.mark.parametrize("type_", FILLED)
def test_what_the_protocol_derives_is_filled_in(type_: str) -> None:
    given, expected = FILLED[type_]
    step = send(type_, **given)
    assert told(*OPEN, step) == {"type": step.type, "sequence_number": 10, **expected}


def test_every_type_is_in_a_table() -> None:
    assert {send(type_).type for type_ in (*FILLED, *STATUS)} == GROUPS.keys()


@pytest.mark.parametrize(("type_", "status"), STATUS.items())
def test_a_response_is_told_whole_with_its_status(type_: str, status: str) -> None:
    message = send("output_item.done", output_index=0)
    event = told(*OPEN, message, send(type_))
    response = event["response"]
    over = status in ("completed", "failed", "incomplete")
    assert problems(ours("events/openresponses"), event) == []
    assert (response["object"], response["status"]) == ("response", status)
    assert [item["id"] for item in response["output"]] == (["msg_a"] if over else [])
    assert (response["usage"] is not None) == (status in ("completed", "incomplete"))
    assert (response["error"] is not None) == (status == "failed")
    assert (response["incomplete_details"] is not None) == (status == "incomplete")
    assert (response["completed_at"] is not None) == (status == "completed")


@needs_data
@pytest.mark.parametrize("type_", [*FILLED, *STATUS])
def test_a_filled_event_satisfies_the_published_schema(type_: str) -> None:
    event = told(*OPEN, send(type_, **FILLED.get(type_, ({}, {}))[0]))
    if event["type"] in SCHEMA.components():
        assert SCHEMA.event(event) == set()


def test_what_was_sent_is_summed_up_even_where_it_was_sent_wrongly() -> None:
    item = send("output_item.added", item={"type": "function_call", "id": "fc", "call_id": "c"})
    first = send("function_call_arguments.delta", delta='{"a":')
    lie = send("function_call_arguments.done", arguments="{}")
    assert told(item, first, lie, send("output_item.done"))["item"]["arguments"] == "{}"
    assert told(item, first, send("output_item.done"))["item"]["arguments"] == '{"a":'


def test_an_event_finds_its_item_by_index_then_by_id_then_as_the_newest_that_is_open() -> None:
    two = (
        send("output_item.added", item={"id": "msg_a"}),
        send("output_item.added", item={"id": "msg_b"}),
    )
    delta = "output_text.delta"
    assert told(*two, send(delta))["item_id"] == "msg_b"
    assert told(*two, send(delta, output_index=0))["item_id"] == "msg_a"
    assert told(*two, send(delta, item_id="msg_a"))["output_index"] == 0
    assert told(*two, send("output_item.done"), send(delta))["item_id"] == "msg_a"
    assert told(*two, send("output_item.done", item={"id": "msg_a"}))["output_index"] == 0


def test_an_event_of_an_item_that_comes_later_names_the_item_that_comes() -> None:
    early = send("function_call_arguments.delta", output_index=1, delta="{}")
    late = send("output_item.added", output_index=1, item={"type": "function_call"})
    assert told(early)["item_id"] == told(early, late)["item"]["id"]


def test_an_item_that_was_never_added_is_whole_when_it_is_done() -> None:
    call = {"type": "function_call", "id": "fc_a", "call_id": "call_a", "name": "f"}
    done = send("output_item.done", item={**call, "arguments": "{}"})
    assert told(done)["item"] == {**call, "arguments": "{}", "status": "completed"}
    assert told(done, send("completed"))["response"]["output"] == [told(done)["item"]]


@pytest.mark.parametrize(
    ("type_", "fields"),
    [
        ("message", {"status": "completed", "role": "assistant", "content": []}),
        ("function_call", {"status": "completed", "call_id": "", "name": "", "arguments": ""}),
        ("reasoning", {"summary": []}),
        ("compaction", {"encrypted_content": ""}),
        ("acme:search", {"status": "completed"}),
    ],
)
def test_an_item_of_any_type_has_the_fields_of_its_type(type_: str, fields: Json) -> None:
    added = send("output_item.added", item={"type": type_, "id": "x"})
    assert told(added, send("output_item.done"))["item"] == {"type": type_, "id": "x", **fields}


def test_parts_of_an_item_are_counted_and_kept_in_their_order() -> None:
    steps = (
        send("output_item.added", item={"id": "msg_a"}),
        send("content_part.added"),
        send("output_text.delta", delta="a"),
        send("content_part.added", part={"type": "refusal"}),
        send("refusal.delta", delta="b"),
        send("output_text.delta", delta="c", content_index=0),
    )
    content = told(*steps, send("output_item.done"))["item"]["content"]
    assert content == [{**TEXT, "text": "ac"}, {"type": "refusal", "refusal": "b"}]
    closed = told(*steps, send("content_part.done"))
    assert (closed["content_index"], closed["part"]) == (1, content[1])


def test_citations_are_counted_and_stand_in_their_part() -> None:
    cited = send("output_text.annotation.added", annotation=CITATION)
    assert told(*OPEN, cited, cited)["annotation_index"] == 1
    part = told(*OPEN, cited, cited, send("content_part.done", output_index=0))["part"]
    assert part == {**TEXT, "annotations": [CITATION, CITATION]}


def test_a_response_holds_the_items_that_are_done_by_their_indexes() -> None:
    steps = (
        *(send("output_item.added", item={"id": f"msg_{n}"}) for n in range(3)),
        send("output_item.done", output_index=2),
        send("output_item.done", output_index=0),
    )
    output = told(*steps, send("failed"))["response"]["output"]
    assert [item["id"] for item in output] == ["msg_0", "msg_2"]


def test_usage_is_counted_from_what_was_said() -> None:
    usage = told(*OPEN, *[send("output_item.done")] * 3, send("completed"))["response"]["usage"]
    assert usage["output_tokens"] > usage["output_tokens_details"]["reasoning_tokens"] > 0
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab\n", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3)
    ),
    max_leaves=5,
)
TYPES = st.sampled_from([*GROUPS, "acme:x"])
FIELDS = st.sampled_from(
    [
        *("type", "sequence_number", "item_id", "output_index", "content_index", "summary_index"),
        *("item", "part", "delta", "text", "refusal", "arguments", "annotation"),
        *("response", "error"),
    ]
)


@given(TYPES, st.dictionaries(FIELDS, VALUES, max_size=4))
@settings(max_examples=150, deadline=None)
def test_what_is_given_is_kept_to_the_letter(type_: str, fields: Json) -> None:
    data = told(*OPEN, Send(type_, fields))
    assert merged(data, fields) == data


@given(st.lists(st.builds(Send, TYPES, st.dictionaries(FIELDS, VALUES, max_size=3))))
@settings(max_examples=150, deadline=None)
def test_no_event_is_too_wrong_to_be_sent(steps: list[Send]) -> None:
    assert len(events(*OPEN, *steps)) == len(OPEN) + len(steps)
    assert len(events(*steps, send("completed"))) == len(steps) + 1


@pytest.mark.parametrize("type_", GROUPS)
def test_any_field_may_be_null_or_absent(type_: str) -> None:
    for field in told(*OPEN, Send(type_)):
        assert told(*OPEN, Send(type_, {field: None}))[field] is None
        assert field not in told(*OPEN, Send(type_, absent=((field,),)))


def test_fields_at_any_depth_may_be_null_or_absent() -> None:
    given = {"usage": None, "text": {"format": {"type": None}}}
    response = told(send("completed", response=given))["response"]
    assert (response["usage"], response["text"]["format"]) == (None, {"type": None})
    absent = (("item", "role"), ("item", "status"))
    item = told(Send("response.output_item.added", absent=absent))["item"]
    assert item.keys() == {"type", "id", "content"}


def test_an_absent_field_is_not_summed_up_later() -> None:
    unnumbered = Send("response.output_text.delta", {"delta": "!"}, absent=(("output_index",),))
    assert told(*OPEN, unnumbered, send("output_text.done", output_index=0))["text"] == "Hi"


def test_what_an_event_lacks_another_one_still_has() -> None:
    absent = (("error", "param"), ("error", "type"))
    lacking, complete = (e.data for e in events(Send("error", absent=absent), Send("error")))
    assert lacking["error"].keys() == {"code", "message"}
    assert complete["error"].keys() == {"type", "code", "message", "param"}


def test_a_given_field_moves_nothing_else() -> None:
    given = send("output_text.delta", sequence_number=99, delta="x")
    assert told(*OPEN, given)["sequence_number"] == 99
    assert told(*OPEN, given, send("output_text.done"))["sequence_number"] == 11


def test_the_authors_fields_are_left_as_they_are() -> None:
    item: Json = {"type": "message", "id": "msg_a", "content": []}
    events(send("output_item.added", item=item), *OPEN[3:5], send("output_item.done"))
    assert item == {"type": "message", "id": "msg_a", "content": []}


@pytest.mark.parametrize(
    ("step", "ignorable"),
    [
        (Send("acme:trace", {"a": 1}), True),
        (Send("ping", {}, known=False), True),
        (send("output_item.added", item={"type": "acme:search"}), True),
        (send("output_item.added", item={"type": "web_search_call"}), True),
        (send("output_item.done", output_index=3), True),
        (send("output_text.delta", output_index=3), True),
        (send("output_item.added", item={"type": "compaction"}), False),
        (send("output_item.added", item={"type": None}), False),
        (Send("response.output_item.added", absent=(("item", "type"),)), False),
        (send("output_text.delta"), False),
        (send("output_text.delta", output_index=7), False),
        (send("completed"), False),
        (send("error"), False),
    ],
)
def test_ignorable_is_what_no_adapter_need_know(step: Send, ignorable: bool) -> None:
    vendors = send("output_item.added", output_index=3, item={"type": "acme:search", "id": "s"})
    assert events(*OPEN, vendors, step)[-1].ignorable is ignorable


def test_an_event_outside_of_the_protocol_has_only_what_is_given() -> None:
    trace = Send("acme:trace", {"a": 1})
    assert told(*OPEN, trace) == {"type": "acme:trace", "sequence_number": 10, "a": 1}
    assert told(*OPEN, trace, send("output_text.delta"))["sequence_number"] == 11
