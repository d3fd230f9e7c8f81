"""Converts the input of a valid request to neutral form, and lists its callable tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from mockserver.conversation import (
    Entry,
    Message,
    Reasoning,
    Role,
    StoredItem,
    ToolCall,
    ToolResult,
    calls_without_result,
    results_without_call,
)
from mockserver.dialects.json_fields import listed, mapping, text

_OUTPUT = "_output"


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
    if type_ == "message":
        yield Message(cast("Role", text(item.get("role"))), _text(item.get("content")))
    elif type_ == "reasoning":
        yield Reasoning(_visible(item), text(item.get("encrypted_content")))
    elif type_ == "item_reference":
        yield StoredItem(text(item.get("id")))
    elif call_id and type_.endswith(_OUTPUT):
        yield ToolResult(call_id, item.get("output"))
    elif call_id:
        arguments = text(item.get("arguments")) or text(item.get("input"))
        yield ToolCall(call_id, text(item.get("name")), arguments)


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


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The function tools that ``tool_choice`` allows, each with the schema of its input."""
    choice = body.get("tool_choice")
    named = choice.get("name") if isinstance(choice, dict) else None
    return tuple(
        (tool["name"], tool.get("parameters") or {"type": "object"})
        for tool in body.get("tools") or ()
        if tool.get("type") == "function" and choice != "none" and named in (None, tool["name"])
    )
