"""Parses and checks requests to ``POST …/responses``."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from mockserver.dialects import conversation
from mockserver.dialects.dialect import UNPADDED
from mockserver.dialects.openresponses.response import echo
from mockserver.dialects.requests import (
    ANY_OBJECT,
    Inbound,
    error_body,
    joined_text,
    problems_of,
    select_tools,
)
from mockserver.foundation.json_fields import integer, listed, mapping, text

# The error types of OpenResponses (section "Errors"), by HTTP status. The type of 400 is that of
# api.openai.com and of the specification's example, which differs from the specification's table.
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found",
    405: "invalid_request_error",
    413: "invalid_request_error",
    429: "too_many_requests",
}


def read_request(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    options = mapping(fields.get("stream_options"))
    parsed = Inbound(
        problems_of("requests/openresponses", body),
        stream=fields.get("stream") is True,
        model=text(fields.get("model")),
        form=UNPADDED if options.get("include_obfuscation") is False else "",
        limit=integer(fields.get("max_output_tokens")),
    )
    if parsed.problems:
        return parsed
    entries = read_conversation(body)
    return replace(
        parsed,
        problems=tuple(mismatches(body, entries)),
        echo=echo(body),
        conversation=entries,
        tools=callable_tools(body),
        hosted=hosted_tools(body),
        previous=text(body.get("previous_response_id")),
        stores=body.get("store") is not False,
        call_required=body.get("tool_choice") == "required",
        answer_schema=_answer_schema(mapping(mapping(body.get("text")).get("format"))),
    )


def _answer_schema(format_: Mapping[str, Any]) -> Any:
    """The schema of the answer that a ``text.format`` asks for; None for text."""
    return {"json_object": ANY_OBJECT, "json_schema": format_.get("schema")}.get(
        text(format_.get("type"))
    )


def refuse(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error. Source: OpenResponses, "Errors"."""
    return error_body(_ERROR_TYPES.get(status, "server_error"), message, param)


_OUTPUT = "_output"
_CALL = "_call"

# What the calls of tools besides functions say, and the fields of results besides theirs.
_ASKS = ("name", "operation", "action", "actions", "input", "arguments")
_ABOUT = ("status", "pending_safety_checks")
_OF_RESULTS = frozenset({"type", "id", "call_id"})


def read_conversation(body: Mapping[str, Any]) -> tuple[conversation.Entry, ...]:
    """The entries of a conversation in order; the instructions come first, as a system message."""
    input_ = body.get("input")
    plain = [conversation.Message("user", input_)] if isinstance(input_, str) else []
    instructions = text(body.get("instructions"))
    first = [conversation.Message("system", instructions)] if instructions else []
    return (
        *first,
        *plain,
        *(entry for item in listed(input_) for entry in _entries(mapping(item))),
    )


def _entries(item: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    type_, call_id = text(item.get("type")) or "message", text(item.get("call_id"))
    if read := _READ.get(type_):
        yield read(item)
    elif call_id and type_.endswith(_OUTPUT):
        yield _result(item, call_id)
    elif call_id:
        yield _call(item, call_id)


def _message(item: Mapping[str, Any]) -> conversation.Message:
    return conversation.Message(
        cast("conversation.Role", text(item.get("role"))), joined_text(item.get("content"))
    )


def _result(item: Mapping[str, Any], call_id: str) -> conversation.ToolResult:
    type_ = _tool_type(text(item.get("type")).removesuffix(_OUTPUT))
    said = {name: value for name, value in item.items() if name not in _OF_RESULTS}
    return conversation.ToolResult(
        call_id, item.get("output"), type=type_, fields=said if type_ else {}
    )


def _call(item: Mapping[str, Any], call_id: str) -> conversation.ToolCall:
    type_ = _tool_type(text(item.get("type")))
    fields = {name: item[name] for name in (*_ASKS, *_ABOUT) if name in item}
    arguments = text(item.get("arguments")) or text(item.get("input"))
    name = text(item.get("name")) or type_
    return conversation.ToolCall(call_id, name, arguments, type_, fields if type_ else {})


def _tool_type(item_type: str) -> str:
    """The type of tool of an item that is a call of it; empty for a function."""
    type_ = item_type.removesuffix(_CALL).removesuffix("_tool")
    return "" if type_ == "function" else type_


def _local_shell_result(item: Mapping[str, Any]) -> conversation.ToolResult:
    """The result of a local shell, whose call OpenAI's types name in ``id``, other SDKs in both."""
    return _result(item, text(item.get("call_id")) or text(item.get("id")))


def _approval(item: Mapping[str, Any]) -> conversation.ApprovalResponse:
    approve = item.get("approve")
    return conversation.ApprovalResponse(
        text(item.get("approval_request_id")),
        approve if isinstance(approve, bool) else None,
        text(item.get("reason")),
    )


_READ: Mapping[str, Callable[[Mapping[str, Any]], conversation.Entry]] = {
    "message": _message,
    "reasoning": lambda item: conversation.Reasoning(
        _visible(item), text(item.get("encrypted_content"))
    ),
    # What was compacted is for the model alone, as its reasoning is.
    "compaction": lambda item: conversation.Reasoning("", text(item.get("encrypted_content"))),
    "item_reference": lambda item: conversation.StoredItem(text(item.get("id"))),
    "local_shell_call_output": _local_shell_result,
    "mcp_approval_request": lambda item: conversation.ApprovalRequest(text(item.get("id"))),
    "mcp_approval_response": _approval,
}
"""Reads an item by its type."""


def _visible(item: Mapping[str, Any]) -> str:
    parts = [*listed(item.get("summary")), *listed(item.get("content"))]
    return "".join(text(mapping(part).get("text")) for part in parts)


def mismatches(body: Mapping[str, Any], entries: tuple[conversation.Entry, ...]) -> Iterator[str]:
    """Errors for calls without results and results without calls, as OpenAI reports them.

    If the request refers to stored items or a stored conversation, a missing call may be in those,
    so there are no errors.
    """
    kept = any(isinstance(entry, conversation.StoredItem) for entry in entries)
    if kept or any(body.get(name) for name in ("previous_response_id", "conversation", "prompt")):
        return
    for id_ in conversation.results_without_call(entries):
        yield f"input: no tool call found for function call output with call_id {id_!r}"
    for id_ in conversation.calls_without_result(entries):
        yield f"input: no tool output found for function call {id_!r}"
    for id_ in conversation.answered_without_request(entries):
        yield f"input: an MCP approval response answers {id_!r}, which is not in the input"


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The function tools that ``tool_choice`` allows, each with the schema of its input."""
    choice = body.get("tool_choice")
    tools = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    functions = ((tool["name"], tool.get("parameters")) for tool in tools)
    return select_tools(functions, choice, text(mapping(choice).get("name")))


def hosted_tools(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The tools that are no functions, as the request has them."""
    return tuple(tool for tool in body.get("tools") or () if tool.get("type") != "function")
