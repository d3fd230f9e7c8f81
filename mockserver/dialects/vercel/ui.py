"""Requests to a chat server, ``POST …/chat`` and ``POST …/completion``, and its other answers.

``DefaultChatTransport`` sends the messages of a chat, ``useCompletion`` a prompt.

A message of the assistant has all of its steps, and a tool part has both the call and its result.
If a request ends with such a message, the answer continues it, under the same id: a new id would
begin another message, which repeats the parts of the first. Tools are defined in the server, not in
the request.

Source: ai, UIMessage, convertToModelMessages, getResponseUIMessageId, callCompletionApi,
HttpChatTransport (reconnectToStream).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from mockserver.dialects.conversation import Entry, Message, Role, ToolCall, ToolResult
from mockserver.dialects.requests import Inbound, LookUp, problems_of
from mockserver.dialects.vercel.messages import mismatches, reasoning
from mockserver.foundation.json_fields import integer, listed, mapping, text
from mockserver.foundation.json_text import dump

_DYNAMIC, _TOOL = "dynamic-tool", "tool-"
_RESULTS = {"output-available": "output", "output-error": "errorText"}


def read_request(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    messages = [mapping(message) for message in listed(fields.get("messages"))]
    entries = tuple(entry for message in messages for entry in _read_message(message))
    if "messages" not in fields:
        entries = (Message("user", text(fields.get("prompt"))),)
    malformed = problems_of("requests/vercel-ui", body)
    return Inbound(
        malformed or tuple(mismatches("messages", entries)),
        stream=True,
        model=text(fields.get("model")),
        conversation=entries,
        tools=None,
        limit=integer(fields.get("maxOutputTokens")),
        response_id=_find_continued(messages),
    )


def _find_continued(messages: Sequence[Mapping[str, Any]]) -> str:
    """The id of the assistant's message that the answer continues; empty if it begins another."""
    last = messages[-1] if messages else {}
    return text(last.get("id")) if last.get("role") == "assistant" else ""


def _read_message(message: Mapping[str, Any]) -> Iterator[Entry]:
    parts = [mapping(part) for part in listed(message.get("parts"))]
    if (role := text(message.get("role"))) == "assistant":
        for step in _steps(parts):
            yield from (entry for part in step for entry in _content(part))
            yield from (entry for part in step for entry in _results(part))
    else:
        yield Message(cast("Role", role), "".join(text(part.get("text")) for part in parts))


def _steps(parts: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The parts of a message, grouped by step; results are converted after all calls of a step."""
    step: list[dict[str, Any]] = []
    for part in parts:
        if part.get("type") == "step-start":
            yield step
            step = []
        else:
            step.append(part)
    yield step


def _content(part: Mapping[str, Any]) -> Iterator[Entry]:
    type_, said = text(part.get("type")), text(part.get("text"))
    if type_ == "text" and said:
        yield Message("assistant", said)
    elif type_ == "reasoning":
        yield reasoning(part, "providerMetadata")
    elif _is_call(part):
        yield ToolCall(text(part.get("toolCallId")), _name(part), dump(part.get("input")))


def _results(part: Mapping[str, Any]) -> Iterator[ToolResult]:
    if _is_call(part) and (field := _RESULTS.get(text(part.get("state")))):
        output = part.get(field)
        said = output if isinstance(output, str) else dump(output)
        yield ToolResult(text(part.get("toolCallId")), said, _name(part))


def _is_call(part: Mapping[str, Any]) -> bool:
    """Whether the part is a call of a host's tool with complete input."""
    type_ = text(part.get("type"))
    tool = type_ == _DYNAMIC or type_.startswith(_TOOL)
    return tool and not part.get("providerExecuted") and part.get("state") != "input-streaming"


def _name(part: Mapping[str, Any]) -> str:
    type_ = text(part.get("type"))
    return text(part.get("toolName")) if type_ == _DYNAMIC else type_.removeprefix(_TOOL)


def refuse(_status: int, message: str, _param: str | None) -> str:
    """The body of an HTTP error of a chat server: plain text, which the chat transport throws."""
    return message


def _active_stream(_models: Sequence[str], _headers: Mapping[str, str]) -> None:
    """The stream that a chat may resume: there is none, since streams are not stored."""


LOOKUPS: Mapping[str, LookUp] = {"chat/{id}/stream": _active_stream}
