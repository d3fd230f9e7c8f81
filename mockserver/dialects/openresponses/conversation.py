"""Converts the input of a valid request to neutral form, and lists its tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from mockserver.dialects.conversation import (
    ApprovalRequest,
    ApprovalResponse,
    Entry,
    Message,
    Reasoning,
    Role,
    StoredItem,
    ToolCall,
    ToolResult,
    answered_without_request,
    calls_without_result,
    results_without_call,
)
from mockserver.foundation.json_fields import listed, mapping, text

_OUTPUT = "_output"
_CALL = "_call"

# What the calls of tools besides functions say, and the fields of results besides theirs.
_ASKS = ("name", "operation", "action", "actions", "input", "arguments")
_ABOUT = ("status", "pending_safety_checks")
_OF_RESULTS = frozenset({"type", "id", "call_id"})


def conversation(body: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The entries of a conversation in order; the instructions come first, as a system message."""
    input_ = body.get("input")
    plain = [Message("user", input_)] if isinstance(input_, str) else []
    instructions = text(body.get("instructions"))
    first = [Message("system", instructions)] if instructions else []
    return (
        *first,
        *plain,
        *(entry for item in listed(input_) for entry in _entries(mapping(item))),
    )


def _entries(item: Mapping[str, Any]) -> Iterator[Entry]:
    type_, call_id = text(item.get("type")) or "message", text(item.get("call_id"))
    if read := _READ.get(type_):
        yield read(item)
    elif call_id and type_.endswith(_OUTPUT):
        yield _result(item, call_id)
    elif call_id:
        yield _call(item, call_id)


def _message(item: Mapping[str, Any]) -> Message:
    return Message(cast("Role", text(item.get("role"))), _text(item.get("content")))


def _result(item: Mapping[str, Any], call_id: str) -> ToolResult:
    type_ = _tool_type(text(item.get("type")).removesuffix(_OUTPUT))
    said = {name: value for name, value in item.items() if name not in _OF_RESULTS}
    return ToolResult(call_id, item.get("output"), type=type_, fields=said if type_ else {})


def _call(item: Mapping[str, Any], call_id: str) -> ToolCall:
    type_ = _tool_type(text(item.get("type")))
    fields = {name: item[name] for name in (*_ASKS, *_ABOUT) if name in item}
    arguments = text(item.get("arguments")) or text(item.get("input"))
    name = text(item.get("name")) or type_
    return ToolCall(call_id, name, arguments, type_, fields if type_ else {})


def _tool_type(item_type: str) -> str:
    """The type of tool of an item that is a call of it; empty for a function."""
    type_ = item_type.removesuffix(_CALL).removesuffix("_tool")
    return "" if type_ == "function" else type_


def _local_shell_result(item: Mapping[str, Any]) -> ToolResult:
    """The result of a local shell, whose call OpenAI's types name in ``id``, other SDKs in both."""
    return _result(item, text(item.get("call_id")) or text(item.get("id")))


def _approval(item: Mapping[str, Any]) -> ApprovalResponse:
    approve = item.get("approve")
    return ApprovalResponse(
        text(item.get("approval_request_id")),
        approve if isinstance(approve, bool) else None,
        text(item.get("reason")),
    )


_READ: Mapping[str, Callable[[Mapping[str, Any]], Entry]] = {
    "message": _message,
    "reasoning": lambda item: Reasoning(_visible(item), text(item.get("encrypted_content"))),
    # What was compacted is for the model alone, as its reasoning is.
    "compaction": lambda item: Reasoning("", text(item.get("encrypted_content"))),
    "item_reference": lambda item: StoredItem(text(item.get("id"))),
    "local_shell_call_output": _local_shell_result,
    "mcp_approval_request": lambda item: ApprovalRequest(text(item.get("id"))),
    "mcp_approval_response": _approval,
}
"""Reads an item by its type."""


def _text(content: Any) -> str:
    # The schema accepts unknown items, so the content may be of any type.
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def _visible(item: Mapping[str, Any]) -> str:
    parts = [*listed(item.get("summary")), *listed(item.get("content"))]
    return "".join(text(mapping(part).get("text")) for part in parts)


def mismatches(body: Mapping[str, Any], entries: tuple[Entry, ...]) -> Iterator[str]:
    """Errors for calls without results and results without calls, as OpenAI reports them.

    If the request refers to stored items or a stored conversation, a missing call may be in those,
    so there are no errors.
    """
    kept = any(isinstance(entry, StoredItem) for entry in entries)
    if kept or any(body.get(name) for name in ("previous_response_id", "conversation", "prompt")):
        return
    for id_ in results_without_call(entries):
        yield f"input: no tool call found for function call output with call_id {id_!r}"
    for id_ in calls_without_result(entries):
        yield f"input: no tool output found for function call {id_!r}"
    for id_ in answered_without_request(entries):
        yield f"input: an MCP approval response answers {id_!r}, which is not in the input"


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The function tools that ``tool_choice`` allows, each with the schema of its input."""
    choice = body.get("tool_choice")
    named = choice.get("name") if isinstance(choice, dict) else None
    return tuple(
        (tool["name"], tool.get("parameters") or {"type": "object"})
        for tool in body.get("tools") or ()
        if tool.get("type") == "function" and choice != "none" and named in (None, tool["name"])
    )


def hosted_tools(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The tools that are no functions, as the request has them."""
    return tuple(tool for tool in body.get("tools") or () if tool.get("type") != "function")
