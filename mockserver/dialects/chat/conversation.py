"""Converts the messages of a valid request to neutral form, and lists its callable tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mockserver.dialects.chat.chunks import ENCRYPTED_FIELDS, REASONING_FIELDS, calls
from mockserver.dialects.conversation import (
    Entry,
    Message,
    Reasoning,
    Role,
    ToolCall,
    ToolResult,
    calls_without_result,
    results_without_call,
)
from mockserver.foundation.json_fields import listed, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CAMEL = "toolCallId"


def conversation(messages: list[Any]) -> tuple[Entry, ...]:
    """The messages, tool calls, tool results and reasoning of a request, in order."""
    return tuple(entry for message in messages for entry in _entries(message))


def _entries(message: Mapping[str, Any]) -> Iterator[Entry]:
    role = text(message.get("role"))
    if role in ("tool", "function"):
        name = text(message.get("name")) or None
        yield ToolResult(_call_id(message), message.get("content"), name)
        return
    yield from _reasoning(message)
    if (said := _text(message.get("content"))) or role != "assistant":
        yield Message(cast("Role", role), said)
    for call in calls(message):
        function = mapping(call.get("function")) or mapping(call.get("custom"))
        arguments = text(function.get("arguments")) or text(function.get("input"))
        yield ToolCall(text(call.get("id")), text(function.get("name")), arguments)
    if legacy := mapping(message.get("function_call")):
        # The legacy format has one call per message and no ids: the function's name identifies it.
        name = text(legacy.get("name"))
        yield ToolCall(name, name, text(legacy.get("arguments")))


def _call_id(message: Mapping[str, Any]) -> str:
    """The id of the call that a result answers; in the legacy format, the function's name."""
    found = message.get("tool_call_id") or message.get(_CAMEL) or message.get("name")
    return text(found)


def _reasoning(message: Mapping[str, Any]) -> Iterator[Reasoning]:
    shown = next((value for name in REASONING_FIELDS if (value := text(message.get(name)))), "")
    encrypted = next((value for name in ENCRYPTED_FIELDS if (value := text(message.get(name)))), "")
    if shown or encrypted:
        yield Reasoning(shown, encrypted)


def _text(content: Any) -> str:
    return text(content) or "".join(text(mapping(part).get("text")) for part in listed(content))


def mismatches(messages: list[Any], entries: tuple[Entry, ...]) -> Iterator[str]:
    """Errors for calls without results and results without calls, as OpenAI reports them.

    A result whose id is spelled ``toolCallId`` needs no call: the first clients of Copilot's proxy
    sent such results.
    """
    camel = {text(message.get(_CAMEL)) for message in messages if "tool_call_id" not in message}
    for id_ in results_without_call(entries):
        if id_ not in camel:
            yield (
                "messages: messages with role 'tool' must be a response to a preceding message "
                f"with 'tool_calls'; no call has the id {id_!r}"
            )
    if missing := calls_without_result(entries):
        yield (
            "messages: an assistant message with 'tool_calls' must be followed by tool messages "
            f"responding to each 'tool_call_id'; no result came for {', '.join(missing)}"
        )


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, each with the schema of its input."""
    choice = body.get("tool_choice", body.get("function_call"))
    chosen = mapping(choice)
    named = mapping(chosen.get("function")).get("name") or chosen.get("name")
    tools = [mapping(mapping(tool).get("function")) for tool in body.get("tools") or ()]
    functions = [*tools, *map(mapping, body.get("functions") or ())]
    known = {text(each.get("name")): each.get("parameters") for each in functions}
    return tuple(
        (name, parameters or {"type": "object"})
        for name, parameters in known.items()
        if name and choice != "none" and named in (None, name)
    )
