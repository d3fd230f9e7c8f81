"""Fields of an event that its author left out are filled in, and given fields are kept."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.dialects.openresponses.events import GROUPS
from mockserver.foundation.json_fields import merge
from mockserver.scenario.script import Send, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import fill_json
from tests.clients.judges import SCHEMA
from tests.data import needs_data
from tests.schemas import ours, problems

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()


def events(*steps: Send) -> list[Event]:
    """The steps as complete events."""
    return [e for e in OPENRESPONSES.steps(Sends(steps, ()), 0) if isinstance(e, Event)]


def last(*steps: Send) -> Json:
    """The data of the last event as it is sent."""
    data: Json = fill_json(events(*steps)[-1].data, SAMPLE)
    return data


def send(type_: str, **fields: Any) -> Send:
    return Send(type_ if type_ == "error" else f"response.{type_}", fields)


# A message, a call and a reasoning, all three open; the tenth event follows.
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

# What the author writes of an event, and the fields that are filled in.
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


def test_fields_that_the_protocol_derives_are_filled_in() -> None:
    for type_ in FILLED:
        given, expected = FILLED[type_]
        step = send(type_, **given)
        assert last(*OPEN, step) == {"type": step.type, "sequence_number": 10, **expected}


def test_every_type_is_in_a_table() -> None:
    assert {send(type_).type for type_ in (*FILLED, *STATUS)} == GROUPS.keys()


@pytest.mark.parametrize(("type_", "status"), STATUS.items())
def test_a_response_is_complete_with_its_status(type_: str, status: str) -> None:
    message = send("output_item.done", output_index=0)
    event = last(*OPEN, message, send(type_))
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
def test_a_filled_event_satisfies_the_published_schema() -> None:
    for type_ in [*FILLED, *STATUS]:
        event = last(*OPEN, send(type_, **FILLED.get(type_, ({}, {}))[0]))
        if event["type"] in SCHEMA.components():
            assert SCHEMA.event(event) == set()


def test_sums_are_made_of_what_was_sent_although_it_was_sent_wrongly() -> None:
    item = send("output_item.added", item={"type": "function_call", "id": "fc", "call_id": "c"})
    first = send("function_call_arguments.delta", delta='{"a":')
    lie = send("function_call_arguments.done", arguments="{}")
    assert last(item, first, lie, send("output_item.done"))["item"]["arguments"] == "{}"
    assert last(item, first, send("output_item.done"))["item"]["arguments"] == '{"a":'


def test_an_event_refers_to_its_item_by_index_then_by_id_then_to_the_newest_open_one() -> None:
    two = (
        send("output_item.added", item={"id": "msg_a"}),
        send("output_item.added", item={"id": "msg_b"}),
    )
    delta = "output_text.delta"
    assert last(*two, send(delta))["item_id"] == "msg_b"
    assert last(*two, send(delta, output_index=0))["item_id"] == "msg_a"
    assert last(*two, send(delta, item_id="msg_a"))["output_index"] == 0
    assert last(*two, send("output_item.done"), send(delta))["item_id"] == "msg_a"
    assert last(*two, send("output_item.done", item={"id": "msg_a"}))["output_index"] == 0


def test_an_event_before_its_item_has_the_id_of_the_item_that_follows() -> None:
    early = send("function_call_arguments.delta", output_index=1, delta="{}")
    late = send("output_item.added", output_index=1, item={"type": "function_call"})
    assert last(early)["item_id"] == last(early, late)["item"]["id"]


def test_an_item_that_was_never_added_is_complete_when_it_is_done() -> None:
    call = {"type": "function_call", "id": "fc_a", "call_id": "call_a", "name": "f"}
    done = send("output_item.done", item={**call, "arguments": "{}"})
    assert last(done)["item"] == {**call, "arguments": "{}", "status": "completed"}
    assert last(done, send("completed"))["response"]["output"] == [last(done)["item"]]


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
def test_an_item_has_the_fields_of_its_type(type_: str, fields: Json) -> None:
    added = send("output_item.added", item={"type": type_, "id": "x"})
    assert last(added, send("output_item.done"))["item"] == {"type": type_, "id": "x", **fields}


def test_parts_of_an_item_are_numbered_and_keep_their_order() -> None:
    steps = (
        send("output_item.added", item={"id": "msg_a"}),
        send("content_part.added"),
        send("output_text.delta", delta="a"),
        send("content_part.added", part={"type": "refusal"}),
        send("refusal.delta", delta="b"),
        send("output_text.delta", delta="c", content_index=0),
    )
    content = last(*steps, send("output_item.done"))["item"]["content"]
    assert content == [{**TEXT, "text": "ac"}, {"type": "refusal", "refusal": "b"}]
    closed = last(*steps, send("content_part.done"))
    assert (closed["content_index"], closed["part"]) == (1, content[1])


def test_citations_are_numbered_and_are_in_their_part() -> None:
    cited = send("output_text.annotation.added", annotation=CITATION)
    assert last(*OPEN, cited, cited)["annotation_index"] == 1
    part = last(*OPEN, cited, cited, send("content_part.done", output_index=0))["part"]
    assert part == {**TEXT, "annotations": [CITATION, CITATION]}


def test_a_response_has_the_completed_items_by_their_indexes() -> None:
    steps = (
        *(send("output_item.added", item={"id": f"msg_{n}"}) for n in range(3)),
        send("output_item.done", output_index=2),
        send("output_item.done", output_index=0),
    )
    output = last(*steps, send("failed"))["response"]["output"]
    assert [item["id"] for item in output] == ["msg_0", "msg_2"]


def test_usage_is_estimated_from_the_content() -> None:
    usage = last(*OPEN, *[send("output_item.done")] * 3, send("completed"))["response"]["usage"]
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
def test_given_fields_are_kept_verbatim(type_: str, fields: Json) -> None:
    data = last(*OPEN, Send(type_, fields))
    assert merge(data, fields) == data


@given(st.lists(st.builds(Send, TYPES, st.dictionaries(FIELDS, VALUES, max_size=3))))
def test_an_event_with_any_fields_is_sent(steps: list[Send]) -> None:
    assert len(events(*OPEN, *steps)) == len(OPEN) + len(steps)
    assert len(events(*steps, send("completed"))) == len(steps) + 1


def test_any_field_may_be_null_or_absent() -> None:
    for type_ in GROUPS:
        for field in last(*OPEN, Send(type_)):
            assert last(*OPEN, Send(type_, {field: None}))[field] is None
            assert field not in last(*OPEN, Send(type_, absent=((field,),)))


def test_fields_at_any_depth_may_be_null_or_absent() -> None:
    given = {"usage": None, "text": {"format": {"type": None}}}
    response = last(send("completed", response=given))["response"]
    assert (response["usage"], response["text"]["format"]) == (None, {"type": None})
    absent = (("item", "role"), ("item", "status"))
    item = last(Send("response.output_item.added", absent=absent))["item"]
    assert item.keys() == {"type", "id", "content"}


def test_an_absent_field_is_not_part_of_later_sums() -> None:
    unnumbered = Send("response.output_text.delta", {"delta": "!"}, absent=(("output_index",),))
    assert last(*OPEN, unnumbered, send("output_text.done", output_index=0))["text"] == "Hi"


def test_a_field_that_one_event_lacks_is_in_later_ones() -> None:
    absent = (("error", "param"), ("error", "type"))
    lacking, complete = (e.data for e in events(Send("error", absent=absent), Send("error")))
    assert lacking["error"].keys() == {"code", "message"}
    assert complete["error"].keys() == {"type", "code", "message", "param"}


def test_a_given_field_changes_no_other_field() -> None:
    given = send("output_text.delta", sequence_number=99, delta="x")
    assert last(*OPEN, given)["sequence_number"] == 99
    assert last(*OPEN, given, send("output_text.done"))["sequence_number"] == 11


def test_the_fields_of_the_author_are_not_mutated() -> None:
    item: Json = {"type": "message", "id": "msg_a", "content": []}
    events(send("output_item.added", item=item), *OPEN[3:5], send("output_item.done"))
    assert item == {"type": "message", "id": "msg_a", "content": []}


def test_events_that_no_adapter_need_know_are_ignorable() -> None:
    for step, ignorable in [
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
    ]:
        vendors = send("output_item.added", output_index=3, item={"type": "acme:search", "id": "s"})
        assert events(*OPEN, vendors, step)[-1].ignorable is ignorable


def test_an_event_outside_the_protocol_has_only_given_fields() -> None:
    trace = Send("acme:trace", {"a": 1})
    assert last(*OPEN, trace) == {"type": "acme:trace", "sequence_number": 10, "a": 1}
    assert last(*OPEN, trace, send("output_text.delta"))["sequence_number"] == 11
