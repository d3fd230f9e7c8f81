"""Parses and checks requests to ``POST …/chat/completions``."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from mockserver.dialects import conversation
from mockserver.dialects.chat.chunks import ENCRYPTED_FIELDS, REASONING_FIELDS, calls
from mockserver.dialects.dialect import UNPADDED
from mockserver.dialects.requests import (
    ANY_OBJECT,
    Inbound,
    error_body,
    joined_text,
    problems_of,
    select_tools,
)
from mockserver.foundation.json_fields import integer, mapping, text

# The error types of OpenAI, by HTTP status.
_ERROR_TYPES = {401: "invalid_request_error", 403: "permission_error", 429: "requests"}
_SERVER = 500

WITH_USAGE = "usage"
"""The form of a stream for a request with ``stream_options.include_usage``."""

FORMS = (WITH_USAGE, "", f"{WITH_USAGE} {UNPADDED}", UNPADDED)
"""The forms of a stream, each in words."""


def read_request(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    options = mapping(fields.get("stream_options"))
    parsed = Inbound(
        problems_of("requests/chat", body),
        stream=fields.get("stream") is True,
        model=text(fields.get("model")),
        form=_form(options),
        limit=integer(fields.get("max_completion_tokens")) or integer(fields.get("max_tokens")),
        choices=integer(fields.get("n")) or 1,
        asks_for_usage=options.get("include_usage") is True,
    )
    if parsed.problems:
        return parsed
    entries = read_conversation(body["messages"])
    return replace(
        parsed,
        problems=tuple(mismatches(entries)),
        conversation=entries,
        tools=callable_tools(body),
        call_required=body.get("tool_choice") == "required",
        answer_schema=_answer_schema(mapping(body.get("response_format"))),
    )


def _answer_schema(format_: Mapping[str, Any]) -> Any:
    """The schema of the answer that a ``response_format`` asks for; None for text."""
    schema = mapping(format_.get("json_schema")).get("schema", ANY_OBJECT)
    return {"json_object": ANY_OBJECT, "json_schema": schema}.get(text(format_.get("type")))


def _form(options: Mapping[str, Any]) -> str:
    asked = [WITH_USAGE] if options.get("include_usage") is True else []
    declined = [UNPADDED] if options.get("include_obfuscation") is False else []
    return " ".join(asked + declined)


def refuse(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The body of an HTTP error. Source: OpenAI, "Error codes"."""
    other = "server_error" if status >= _SERVER else "invalid_request_error"
    return error_body(_ERROR_TYPES.get(status, other), message, param)


# The conversation and the tools of a valid request

_CAMEL = "toolCallId"


def read_conversation(messages: list[Any]) -> tuple[conversation.Entry, ...]:
    """The messages, tool calls, tool results and reasoning of a request, in order."""
    return tuple(entry for message in messages for entry in _entries(message))


def _entries(message: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    role = text(message.get("role"))
    if role in ("tool", "function"):
        # The first clients of Copilot's proxy sent results under ``toolCallId``, and no calls.
        yield conversation.ToolResult(
            _call_id(message),
            message.get("content"),
            text(message.get("name")) or None,
            needs_call="tool_call_id" in message or _CAMEL not in message,
        )
        return
    yield from _reasoning(message)
    if (said := joined_text(message.get("content"))) or role != "assistant":
        yield conversation.Message(cast("conversation.Role", role), said)
    for call in calls(message):
        function = mapping(call.get("function")) or mapping(call.get("custom"))
        arguments = text(function.get("arguments")) or text(function.get("input"))
        yield conversation.ToolCall(text(call.get("id")), text(function.get("name")), arguments)
    if legacy := mapping(message.get("function_call")):
        # The legacy format has one call per message and no ids: the function's name identifies it.
        name = text(legacy.get("name"))
        yield conversation.ToolCall(name, name, text(legacy.get("arguments")))


def _call_id(message: Mapping[str, Any]) -> str:
    """The id of the call that a result answers; in the legacy format, the function's name."""
    found = message.get("tool_call_id") or message.get(_CAMEL) or message.get("name")
    return text(found)


def _reasoning(message: Mapping[str, Any]) -> Iterator[conversation.Reasoning]:
    shown = next((value for name in REASONING_FIELDS if (value := text(message.get(name)))), "")
    encrypted = next((value for name in ENCRYPTED_FIELDS if (value := text(message.get(name)))), "")
    if shown or encrypted:
        yield conversation.Reasoning(shown, encrypted)


def mismatches(entries: tuple[conversation.Entry, ...]) -> Iterator[str]:
    """Errors for calls without results and results without calls, as OpenAI reports them."""
    for id_ in conversation.results_without_call(entries):
        yield (
            "messages: messages with role 'tool' must be a response to a preceding message with "
            f"'tool_calls'; no call has the id {id_!r}"
        )
    if missing := conversation.calls_without_result(entries):
        yield (
            "messages: an assistant message with 'tool_calls' must be followed by tool messages "
            f"responding to each 'tool_call_id'; no result came for {', '.join(missing)}"
        )


def callable_tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, each with the schema of its input."""
    choice = body.get("tool_choice", body.get("function_call"))
    chosen = mapping(choice)
    required = mapping(chosen.get("function")).get("name") or chosen.get("name")
    tools = [mapping(mapping(tool).get("function")) for tool in body.get("tools") or ()]
    functions = [*tools, *map(mapping, body.get("functions") or ())]
    known = {text(each.get("name")): each.get("parameters") for each in functions}
    return select_tools(known.items(), choice, text(required))
