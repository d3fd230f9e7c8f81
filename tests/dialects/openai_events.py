"""An example of each event type and each item type of OpenAI's Responses API, as a script."""

from typing import Any

from mockserver.cases.variations import VARIATIONS
from mockserver.dialects.openresponses import OPENRESPONSES
from mockserver.scenario.script import Send, Sends, SendStep
from mockserver.wire.event import Event
from mockserver.wire.slots import Values, fill_json

Json = dict[str, Any]
SAMPLE = OPENRESPONSES.sample()


def send(type_: str, **fields: Any) -> Send:
    return Send(type_ if type_ == "error" else f"response.{type_}", fields)


def added(type_: str, **item: Any) -> Send:
    return send("output_item.added", item={"type": type_, **item})


def events(
    *steps: SendStep, variations: tuple[str, ...] = (), values: Values = SAMPLE
) -> list[Json]:
    """The events of a script under variations, as they are sent."""
    rendered = OPENRESPONSES.steps(Sends(steps, ()), 0)
    for name in variations:
        rendered = tuple(VARIATIONS[name].in_dialect("openresponses").change_steps(rendered))
    return [fill_json(each.data, values) for each in rendered if isinstance(each, Event)]


END = send("output_item.done")
WHOLE = {"status": "completed"}

CITED = {"type": "container_file_citation", "container_id": "cntr_0", "file_id": "cfile_1"}
SPAN = {"filename": "a.csv", "start_index": 0, "end_index": 2}

# The steps for the items of each type, with every event type that belongs to them.
SCRIPTS: dict[str, tuple[Send, ...]] = {
    "message": (
        added("message", phase="commentary"),
        send("content_part.added"),
        send("output_text.delta", delta="Hi"),
        send("output_text.annotation.added", annotation={**CITED, **SPAN}),
        send("output_text.done"),
        send("content_part.done"),
        send("content_part.added", part={"type": "refusal"}),
        send("refusal.delta", delta="No"),
        send("refusal.done"),
        send("content_part.done"),
    ),
    "reasoning": (
        added("reasoning", encrypted_content="b3BhcXVl"),
        send("reasoning_summary_part.added"),
        send("reasoning_summary_text.delta", delta="Hm"),
        send("reasoning_summary_text.done"),
        send("reasoning_summary_part.done"),
        send("content_part.added", part={"type": "reasoning_text"}),
        send("reasoning_text.delta", delta="Hm"),
        send("reasoning_text.done"),
        send("content_part.done"),
    ),
    "function_call": (
        added("function_call", call_id="call_f", name="f"),
        send("function_call_arguments.delta", delta="{}"),
        send("function_call_arguments.done"),
    ),
    "function_call_output": (added("function_call_output", call_id="call_f", output="1"),),
    "compaction": (
        added("compaction", encrypted_content="b3BhcXVl"),
        send("compaction.compacting"),
    ),
    "code_interpreter_call": (
        added("code_interpreter_call"),
        send("code_interpreter_call.in_progress"),
        send("code_interpreter_call_code.delta", delta="print("),
        send("code_interpreter_call_code.delta", delta="1)"),
        send("code_interpreter_call_code.done"),
        send("code_interpreter_call.interpreting"),
        send("code_interpreter_call.completed"),
    ),
    "file_search_call": (
        added("file_search_call"),
        send("file_search_call.in_progress"),
        send("file_search_call.searching"),
        send("file_search_call.completed"),
    ),
    "web_search_call": (
        added("web_search_call"),
        send("web_search_call.in_progress"),
        send("web_search_call.searching"),
        send("web_search_call.completed"),
    ),
    "image_generation_call": (
        added("image_generation_call"),
        send("image_generation_call.in_progress"),
        send("image_generation_call.generating"),
        send("image_generation_call.partial_image", partial_image_b64="QUJD"),
        send("image_generation_call.completed"),
    ),
    "mcp_list_tools": (
        added("mcp_list_tools", server_label="zip"),
        send("mcp_list_tools.in_progress"),
        send("mcp_list_tools.completed"),
        send("mcp_list_tools.failed"),
    ),
    "mcp_approval_request": (added("mcp_approval_request", name="f", arguments="{}"),),
    "mcp_approval_response": (added("mcp_approval_response", approval_request_id="mcpr_1"),),
    "mcp_call": (
        added("mcp_call", name="f"),
        send("mcp_call.in_progress"),
        send("mcp_call_arguments.delta", delta="{}"),
        send("mcp_call_arguments.done"),
        send("mcp_call.completed"),
        send("mcp_call.failed"),
    ),
    "custom_tool_call": (
        added("custom_tool_call", name="sql"),
        send("custom_tool_call_input.delta", delta="select"),
        send("custom_tool_call_input.done"),
    ),
    "custom_tool_call_output": (added("custom_tool_call_output", output="1"),),
    "apply_patch_call": (
        added("apply_patch_call", operation={"type": "create_file", "path": "a.py"}),
        send("apply_patch_call_operation_diff.delta", delta="+a\n"),
        send("apply_patch_call_operation_diff.done"),
    ),
    "apply_patch_call_output": (added("apply_patch_call_output"),),
    "local_shell_call": (added("local_shell_call"),),
    "local_shell_call_output": (added("local_shell_call_output"),),
    "shell_call": (
        added("shell_call"),
        send("shell_call_command.added"),
        send("shell_call_command.delta", delta="ls"),
        send("shell_call_command.done"),
    ),
    "shell_call_output": (
        added("shell_call_output"),
        send("shell_call_output_content.delta", delta={"stdout": "a.py\n"}),
        send("shell_call_output_content.done"),
    ),
    "computer_call": (added("computer_call", actions=[{"type": "wait"}]),),
    "computer_call_output": (added("computer_call_output"),),
    "program": (added("program", code="1"),),
    "program_output": (added("program_output", result="1"),),
    "tool_search_call": (added("tool_search_call"),),
    "tool_search_output": (added("tool_search_output"),),
    "additional_tools": (added("additional_tools"),),
}

AUDIO = (
    send("audio.transcript.delta", delta="Hi"),
    send("audio.delta", delta="UklGRg=="),
    send("audio.transcript.done"),
    send("audio.done"),
)
FLAT_ERROR = Send("error", {"code": "c", "message": "m", "param": None}, absent=(("error",),))
BEGIN = (send("created"), send("queued"), send("in_progress"))


def everything() -> tuple[SendStep, ...]:
    """A script with every event type but the ends, and an item of every type."""
    items = [step for steps in SCRIPTS.values() for step in (*steps, END)]
    return (*BEGIN, *items, *AUDIO, FLAT_ERROR)


def all_events(variations: tuple[str, ...] = ()) -> list[Json]:
    """An event of every type, with an item of every type."""
    ends = [send(type_) for type_ in ("completed", "failed", "incomplete")]
    last = [events(*everything(), end, variations=variations)[-1] for end in ends]
    return [*events(*everything(), variations=variations), *last]
