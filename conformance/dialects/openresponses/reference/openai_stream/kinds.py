"""The kinds of items, and the table of each: what becomes of their events.

Source: makeStreamResponse Alignment § Stream Events Reference, and `doStream` of the AI SDK's
provider for OpenAI, which has more rows. Where its versions differ, the tables follow version 4,
with five exceptions:

- A citation becomes a source at once (makeStreamResponse Alignment), not at the end of the stream.
  So the pages that a search has read are in its result only, and no page is a source twice.
- A function call is complete when its arguments are, if the upstream says so before the item is
  done (rfc-00022).
- A remote call whose approval was asked for in the same response is its result alone: the request
  came with the call, and a call comes once.
- Every call for the host finishes with `tool-calls`, shells included.
- The JSON of a call's input has its fields in the order of its deltas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, object_, string
from conformance.dialects.openresponses.reference.openai_stream import approvals, calls, hosted
from conformance.dialects.openresponses.reference.openai_stream.block import Table, Tables
from conformance.dialects.openresponses.reference.openai_stream.reasoning import SECTION
from conformance.dialects.openresponses.reference.openai_stream.texts import MESSAGE

DELETE_FILE = "apply_patch_call, delete_file"
COMPUTER_WITHOUT_CALL = "computer_call, without call_id"
TOOL_SEARCH_BY_HOST = "tool_search_call, client"

SILENT: Table = {}

TABLES: Tables = {
    "message": MESSAGE,
    "reasoning": SECTION,
    "function_call": calls.FUNCTION_CALL,
    "custom_tool_call": calls.CUSTOM_TOOL_CALL,
    "apply_patch_call": calls.APPLY_PATCH,
    DELETE_FILE: calls.DELETE_FILE,
    "local_shell_call": calls.LOCAL_SHELL,
    "shell_call": calls.SHELL,
    "shell_call_output": hosted.SHELL_OUTPUT,
    "computer_call": calls.COMPUTER,
    COMPUTER_WITHOUT_CALL: calls.COMPUTER_WITHOUT_CALL,
    "code_interpreter_call": hosted.CODE_INTERPRETER,
    "image_generation_call": hosted.IMAGE_GENERATION,
    "web_search_call": hosted.WEB_SEARCH,
    "file_search_call": hosted.FILE_SEARCH,
    "tool_search_call": hosted.TOOL_SEARCH,
    TOOL_SEARCH_BY_HOST: calls.TOOL_SEARCH,
    "tool_search_output": hosted.TOOL_SEARCH_OUTPUT,
    "program": hosted.PROGRAM,
    "program_output": hosted.PROGRAM_OUTPUT,
    "mcp_call": approvals.MCP,
    "mcp_approval_request": approvals.MCP_APPROVAL,
    "mcp_list_tools": SILENT,
    "compaction": hosted.COMPACTION,
}
"""The table of each kind. Types of items without one are ignored, as the specification asks."""


def kind_of(item: Event) -> str:
    """The type of an item, with what else decides about its parts."""
    type_ = string(item, "type")
    deletes = string(object_(item, "operation"), "type") == "delete_file"
    if type_ == "apply_patch_call" and deletes:
        return DELETE_FILE
    if type_ == "computer_call" and not string(item, "call_id"):
        return COMPUTER_WITHOUT_CALL
    if type_ == "tool_search_call" and item.get("execution") == "client":
        return TOOL_SEARCH_BY_HOST
    return type_


WITH_CALL_ID = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "apply_patch_call",
        DELETE_FILE,
        "local_shell_call",
        "shell_call",
        "shell_call_output",
        "program",
        "program_output",
        "computer_call",
        TOOL_SEARCH_BY_HOST,
    }
)
"""The kinds whose parts have the call id: the host answers under it, or the provider does."""

NEEDED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(WITH_CALL_ID, ("call_id",)),
    "custom_tool_call": ("call_id", "name"),
    "mcp_call": ("name",),
    "mcp_approval_request": ("name",),
}
"""The fields without which an item cannot become parts; the response then fails."""

EVENTS: Mapping[str, str] = {
    calls.CUSTOM_INPUT_DELTA: "custom_tool_call",
    calls.CUSTOM_INPUT_DONE: "custom_tool_call",
    calls.DIFF_DELTA: "apply_patch_call",
    calls.DIFF_DONE: "apply_patch_call",
    hosted.CODE_DELTA: "code_interpreter_call",
    hosted.CODE_DONE: "code_interpreter_call",
    hosted.PARTIAL_IMAGE: "image_generation_call",
}
"""The events of tools, with the type of their items."""

LEFT_OUT: Mapping[str, tuple[str, Callable[[Event], Event]]] = {
    "code_interpreter_call": (hosted.CODE_DONE, lambda item: {"code": item.get("code")}),
    "apply_patch_call": (
        calls.DIFF_DONE,
        lambda item: {"diff": object_(item, "operation").get("diff")},
    ),
}
"""The event that an upstream may leave out, which a finished item has the fields of."""
