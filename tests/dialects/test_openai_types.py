"""OpenAI's own events are filled in like those of the specification, and may be ignored."""

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import ITEM_TYPES
from mockserver.dialects.openresponses.response import echo
from mockserver.foundation.schemas import errors_of, validator
from mockserver.scenario.script import Send, Sends
from mockserver.wire.slots import encode_values
from tests.dialects.openai_events import END, SAMPLE, SCRIPTS, Json, added, all_events, events, send

OWN = "events/openai-responses"


def last(*steps: Send) -> Json:
    return events(*steps)[-1]


def refused(value: Json, definition: str) -> list[str]:
    return [error.message for error in errors_of(validator(OWN, definition=definition), value)]


CODE = (added("code_interpreter_call"), send("code_interpreter_call_code.delta", delta='print("'))
PATCH = (added("apply_patch_call"), send("apply_patch_call_operation_diff.delta", delta="+a"))
SQL = (added("custom_tool_call"), send("custom_tool_call_input.delta", delta="select"))
MCP = (added("mcp_call"), send("mcp_call_arguments.delta", delta="{"))
IMAGE = (added("image_generation_call"),)
PARTIAL = send("image_generation_call.partial_image", partial_image_b64="QUJD")
SHELL = (
    added("shell_call"),
    *(send("shell_call_command.added"), send("shell_call_command.delta", delta="ls")),
    *(send("shell_call_command.added"), send("shell_call_command.delta", delta="pw")),
)
OUTPUT = (
    *(added("shell_call", call_id="call_sh"), added("shell_call_output")),
    send("shell_call_output_content.delta", delta={"stdout": "a"}),
    send("shell_call_output_content.delta", delta={"stdout": "b", "stderr": "c"}),
)
OUTCOME = {"outcome": {"type": "exit", "exit_code": 0}, "stdout": "ab", "stderr": "c"}

FILLED: dict[str, tuple[tuple[Send, ...], str, Json]] = {
    "code": (CODE, "code_interpreter_call_code.done", {"code": 'print("'}),
    "diff": (PATCH, "apply_patch_call_operation_diff.done", {"diff": "+a"}),
    "input": (SQL, "custom_tool_call_input.done", {"input": "select"}),
    "arguments": (MCP, "mcp_call_arguments.done", {"arguments": "{"}),
    "a partial image": (
        (*IMAGE, PARTIAL),
        "image_generation_call.partial_image",
        {"partial_image_index": 1, "partial_image_b64": ""},
    ),
    "the output of a shell": (
        OUTPUT,
        "shell_call_output_content.done",
        {"command_index": 0, "output": [OUTCOME]},
    ),
}


def test_an_event_repeats_what_was_streamed_before() -> None:
    for before, type_, fields in FILLED.values():
        event = last(*before, send(type_))
        ids = {"output_index": event["output_index"], "item_id": event["item_id"]}
        assert event == {
            "type": f"response.{type_}",
            "sequence_number": len(before),
            **ids,
            **fields,
        }


def test_the_commands_of_a_shell_have_an_index_and_no_item_id() -> None:
    done = last(*SHELL, send("shell_call_command.done"))
    assert done == {
        "type": "response.shell_call_command.done",
        "sequence_number": 5,
        "output_index": 0,
        "command_index": 1,
        "command": "pw",
    }
    assert last(*SHELL, END)["item"]["action"]["commands"] == ["ls", "pw"]


ENDED = {
    "code": (CODE, {"code": 'print("', "outputs": [], "container_id": "cntr_0"}),
    "a diff": (PATCH, {"operation": {"type": "update_file", "path": "", "diff": "+a"}}),
    "input": (SQL, {"input": "select", "call_id": "call_00", "id": "ctc_00"}),
    "an image without a result": (IMAGE, {"result": None, "status": "completed"}),
    "outputs": (OUTPUT, {"call_id": "call_sh", "output": [OUTCOME]}),
    "a failed call": (
        (*MCP, send("mcp_call.failed")),
        {"arguments": "{", "status": "failed", "output": None},
    ),
    "a failed list": (
        (added("mcp_list_tools"), send("mcp_list_tools.failed")),
        {"server_label": "", "tools": []},
    ),
    "a file that is deleted": (
        (added("apply_patch_call", operation={"type": "delete_file", "path": "a"}),),
        {"operation": {"type": "delete_file", "path": "a"}},
    ),
}


def test_a_finished_item_has_what_was_streamed_of_it() -> None:
    for before, fields in ENDED.values():
        done = last(*before, END)
        assert done["item"] | fields == done["item"]
        assert last(*before, END, send("completed"))["response"]["output"] == [done["item"]]


def test_every_event_and_item_type_has_an_example() -> None:
    assert SCRIPTS.keys() == ITEM_TYPES | openai_types.ITEMS.keys()
    assert openai_types.EVENTS.keys() <= {event["type"] for event in all_events()}


def test_no_scenario_sends_an_own_event_as_an_unknown_one() -> None:
    unknown = {
        (entry.id, step.type)
        for entry in Catalogue.shipped().entries()
        for turn in (entry.scenario.turns if entry.scenario else ())
        for step in (turn.script.steps if isinstance(turn.script, Sends) else ())
        if isinstance(step, Send) and not step.known
    }
    assert unknown
    assert {(id_, type_) for id_, type_ in unknown if type_ in openai_types.EVENTS} == set()


def test_every_own_event_and_item_satisfies_its_definition() -> None:
    for event in all_events():
        if event["type"] in openai_types.EVENTS:
            assert refused(event, f"event:{event['type']}") == []
        elif event.get("item", {}).get("type") in openai_types.ITEMS:
            assert refused(event["item"], f"item:{event['item']['type']}") == []


def test_an_own_event_is_defined_field_by_field() -> None:
    every = all_events()
    for type_ in openai_types.EVENTS:
        event = next(each for each in every if each["type"] == type_)
        for name in event:
            lacking = {field: value for field, value in event.items() if field != name}
            assert refused(lacking, f"event:{type_}"), name
            if name != "type":
                assert refused({**event, name: None}, f"event:{type_}"), name


def test_any_field_of_an_own_event_may_be_null_or_absent() -> None:
    for type_ in openai_types.EVENTS:
        before = SCRIPTS.get(openai_types.EVENTS[type_].item, ())
        for field in last(*before, Send(type_)):
            assert last(*before, Send(type_, {field: None}))[field] is None
            assert field not in last(*before, Send(type_, absent=((field,),)))


@pytest.mark.parametrize(
    ("request_", "specified", "openai"),
    [({}, False, True), ({"store": True}, True, True), ({"store": False}, False, False)],
    ids=["unset", "true", "false"],
)
def test_a_response_says_whether_it_is_stored_by_default_at_openai(
    request_: Json, specified: bool, openai: bool
) -> None:
    """openai: CreateResponse has a default of true; OpenResponses has none."""
    sent = {**SAMPLE, **encode_values(**echo(request_))}
    for variations, stored in (((), specified), (("openai-response",), openai)):
        (created,) = events(send("created"), variations=variations, values=sent)
        assert created["response"]["store"] is stored


def test_the_deltas_of_tools_are_padded_at_openai() -> None:
    padded = {e["type"] for e in all_events(("obfuscation",)) if "obfuscation" in e}
    own = {type_ for type_ in padded if type_ in openai_types.EVENTS}
    assert {type_.removeprefix("response.") for type_ in own} == {
        "apply_patch_call_operation_diff.delta",
        "code_interpreter_call_code.delta",
        "custom_tool_call_input.delta",
        "mcp_call_arguments.delta",
        "shell_call_command.delta",
    }
