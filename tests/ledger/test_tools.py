"""The input, calls, results and images of OpenAI's tools are entered beside the answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger
from mockserver.dialects.openresponses import openai_types
from mockserver.scenario.script import Send
from tests.dialects.openai_events import END, SCRIPTS, added, all_events, events, send
from tests.schemas import VALUES, places, replaced
from tests.stream import LEGAL_TOOLS


def entries(sent: list[dict[str, Any]]) -> list[Entry]:
    wire = [SentEvent(n, 0.0, "event", each["type"], each) for n, each in enumerate(sent)]
    return ledger("openresponses", wire)


def tools(*steps: Send) -> list[list[tuple[str, Any]]]:
    """What each event adds to the items of tools."""
    return [[(p.kind, p.value) for p in entry.tools] for entry in entries(events(*steps))]


CODE = (added("code_interpreter_call"), send("code_interpreter_call_code.delta", delta="print("))
DONE = send("code_interpreter_call_code.done", code="print(1)")
PATCH = {"type": "update_file", "path": "a.py", "diff": "+a"}
OUTPUT = send("output_item.done", item={"outputs": None})
PRINTED = {"outcome": {"type": "exit", "exit_code": 0}, "stdout": "a.py\n", "stderr": ""}
PARTIAL = send("image_generation_call.partial_image", partial_image_b64="QQ==")

ADDED = {
    "code in deltas, and what they left out": (
        (*CODE, DONE, OUTPUT),
        [
            [("start", "")],
            [("input", "print(")],
            [("input", "1)"), ("end", "print(1)"), ("call", "print(1)")],
            [("result", None)],
        ],
    ),
    "code that is only in the finished item": (
        (CODE[0], send("output_item.done", item={"code": "1"})),
        [[("start", "")], [("input", "1"), ("call", "1"), ("result", [])]],
    ),
    "a diff, whose call is complete with its item": (
        (*SCRIPTS["apply_patch_call"], END),
        [[("start", "")], [("input", "+a\n")], [("end", "+a\n")], [("call", "+a\n")]],
    ),
    "a diff that is only in the finished item": (
        (added("apply_patch_call"), send("output_item.done", item={"operation": PATCH})),
        [[("start", "")], [("input", "+a"), ("call", "+a")]],
    ),
    "an image and its preview": (
        (
            added("image_generation_call"),
            PARTIAL,
            send("output_item.done", item={"result": "Qg=="}),
        ),
        [[("start", "")], [("preview", "QQ==")], [("call", ""), ("result", "Qg==")]],
    ),
    "a request for approval": (
        (*SCRIPTS["mcp_approval_request"], END),
        [[("start", "")], [("approval", "{}")]],
    ),
    "the output of a shell": (
        (*SCRIPTS["shell_call_output"], END),
        [[("start", "")], [("result", {"stdout": "a.py\n"})], [], [("result", [PRINTED])]],
    ),
    "a program": (
        (added("program", call_id="call_1", code="1"), END),
        [[("start", "")], [("call", "")]],
    ),
}


@pytest.mark.parametrize(("steps", "added_"), ADDED.values(), ids=ADDED)
def test_each_piece_is_entered_at_the_first_event_that_has_it(
    steps: tuple[Send, ...], added_: list[list[tuple[str, Any]]]
) -> None:
    assert tools(*steps) == added_


def test_a_stream_with_the_vendors_prefix_adds_the_same() -> None:
    sent = events(*CODE, DONE, OUTPUT)
    prefixed = [
        {
            **each,
            "type": each["type"].replace("response.code", "openai:code"),
            **(
                {"item": {**each["item"], "type": f"openai:{each['item']['type']}"}}
                if "item" in each
                else {}
            ),
        }
        for each in sent
    ]
    assert [each.tools for each in entries(prefixed)] == [each.tools for each in entries(sent)]


def test_a_complete_call_has_the_id_under_which_a_host_answers_it() -> None:
    sent = events(added("apply_patch_call", call_id="call_1", operation=PATCH), END)
    called = [p.call_id for entry in entries(sent) for p in entry.tools if p.kind == "call"]
    assert called == ["call_1"]


def test_the_timeline_says_of_the_output_of_a_shell_that_it_is_a_result() -> None:
    said = [entry.silent for entry in entries(events(*SCRIPTS["shell_call_output"], END))]
    assert said[1:] == ["a tool's result, which may be ignored"] * 3


def test_the_timeline_says_of_every_event_of_a_tool_that_it_may_be_ignored() -> None:
    for event, entry in zip(all_events(), entries(all_events()), strict=True):
        item = event.get("item", {}).get("type")
        if event["type"] in openai_types.EVENTS or item in openai_types.ITEMS:
            assert (entry.adds, entry.silent.rpartition(", ")[2]) == ((), "which may be ignored")


@given(data=st.data())
def test_a_field_may_have_any_value_and_is_read(data: st.DataObject) -> None:
    every = list(places(LEGAL_TOOLS))
    place = every[data.draw(st.integers(0, len(every) - 1))]
    sent = replaced(LEGAL_TOOLS, place, data.draw(st.sampled_from(VALUES)))
    wire = [
        SentEvent(n, 0.0, "event", type_, each)
        for n, each in enumerate(sent)
        if isinstance(each, dict) and isinstance(type_ := each.get("type"), str)
    ]
    assert len(ledger("openresponses", wire)) == len(wire)
