"""The messages of a provider's prompt and of ``streamText`` in neutral form, and requests of it.

Both have the same parts (@ai-sdk/provider, LanguageModelV4Prompt; ai, ModelMessage); the content of
a message of ``streamText`` may also be a string. Messages that violate the schema are converted as
far as possible, since rules can explain some mistakes better than a schema error does.

Source of the error bodies: @ai-sdk/gateway, createGatewayErrorFromResponse.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from mockserver.dialects import conversation
from mockserver.dialects.requests import Inbound, error_body, joined_text, problems_of, select_tools
from mockserver.foundation.json_fields import integer, listed, mapping, text
from mockserver.foundation.json_text import dump

ENCRYPTED_FIELDS = ("reasoningEncryptedContent", "signature", "redactedData")
"""The names that providers use for the encrypted form of reasoning."""

_TEXTS, _VALUES = ("text", "error-text"), ("json", "error-json")


def read_conversation(messages: Sequence[Any]) -> tuple[conversation.Entry, ...]:
    """The entries of a conversation, in order, without the calls that the provider executed."""
    own = _provider_executed(messages)
    entries = (entry for message in messages for entry in _read_message(mapping(message)))
    return tuple(
        e
        for e in entries
        if not (isinstance(e, conversation.ToolCall | conversation.ToolResult) and e.id in own)
    )


def _provider_executed(messages: Sequence[Any]) -> set[str]:
    parts = (p for message in messages for p in listed(mapping(message).get("content")))
    return {text(mapping(p).get("toolCallId")) for p in parts if mapping(p).get("providerExecuted")}


def _read_message(message: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    role, content = text(message.get("role")), message.get("content")
    if role not in ("assistant", "tool"):
        yield conversation.Message(cast("conversation.Role", role), joined_text(content))
    elif role == "assistant" and isinstance(content, str):
        yield conversation.Message("assistant", content)
    else:
        for part in listed(content):
            yield from _read_part(mapping(part))


def _read_part(part: Mapping[str, Any]) -> Iterator[conversation.Entry]:
    match part.get("type"):
        case "text" if said := text(part.get("text")):
            yield conversation.Message("assistant", said)
        case "reasoning":
            yield reasoning(part, "providerOptions")
        case "tool-call":
            name = text(part.get("toolName"))
            yield conversation.ToolCall(text(part.get("toolCallId")), name, dump(part.get("input")))
        case "tool-result":
            name = text(part.get("toolName"))
            yield conversation.ToolResult(text(part.get("toolCallId")), _output(part), name)


def reasoning(part: Mapping[str, Any], metadata: str) -> conversation.Reasoning:
    """Reasoning, with its encrypted form from the provider options in the field ``metadata``."""
    options = [mapping(each) for each in mapping(part.get(metadata)).values()]
    values = (text(each.get(name)) for each in options for name in ENCRYPTED_FIELDS)
    return conversation.Reasoning(text(part.get("text")), next(filter(None, values), ""))


def _output(part: Mapping[str, Any]) -> Any:
    """The value of a tool result's output; without a known type, all fields that may have it."""
    output = mapping(part.get("output"))
    type_, value = output.get("type"), output.get("value")
    if type_ in _TEXTS or type_ == "content":
        return value
    if type_ in _VALUES:
        return value if isinstance(value, str) else dump(value)
    if type_ == "execution-denied":
        return text(output.get("reason"))
    return {name: part[name] for name in ("output", "result", "content") if name in part}


def mismatches(where: str, entries: Sequence[conversation.Entry]) -> Iterator[str]:
    """Errors for calls without results and results without calls.

    ``where`` is the field with the messages. Source: ai, AI_MissingToolResultsError.
    """
    for id_ in conversation.results_without_call(entries):
        yield f"{where}: no tool call before it has the toolCallId {id_!r} of a tool result"
    for id_ in conversation.calls_without_result(entries):
        yield f"{where}: tool result is missing for tool call {id_!r}"


_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "forbidden",
    # Only models are looked up; clients before version 4 do not know not_found.
    404: "model_not_found",
    405: "invalid_request_error",
    413: "invalid_request_error",
    424: "failed_dependency",
    429: "rate_limit_exceeded",
}


def refuse(status: int, message: str, param: str | None) -> dict[str, Any]:
    """The error body of the gateway; its client maps the type to an error class."""
    return error_body(_TYPES.get(status, "internal_server_error"), message, param)


# Requests to ``POST …/full-stream``, which have the options of ``streamText``. The route is
# streamproof's own: ``streamText`` itself runs inside a process, without HTTP.


def read_request(body: Any, _headers: Mapping[str, str]) -> Inbound:
    """Parse a request's body; each problem begins with the path of the offending field."""
    fields = mapping(body)
    entries = read_conversation([*_system(fields), *_messages(fields)])
    where = "messages" if "messages" in fields else "prompt"
    malformed = problems_of("requests/vercel-fullstream", body)
    return Inbound(
        malformed or tuple(mismatches(where, entries)),
        stream=True,
        model=text(fields.get("model")),
        conversation=entries,
        tools=_tools(fields),
        call_required=fields.get("toolChoice") == "required",
        limit=integer(fields.get("maxOutputTokens")),
    )


def _system(body: Mapping[str, Any]) -> list[Any]:
    """The system messages; in ai 7, the field is ``instructions``."""
    system = body.get("instructions", body.get("system"))
    if isinstance(system, str):
        return [{"role": "system", "content": system}]
    return [system] if isinstance(system, dict) else listed(system)


def _messages(body: Mapping[str, Any]) -> list[Any]:
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return listed(body.get("messages", prompt))


def _tools(body: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The functions that the model may call, each with the schema of its input."""
    choice = body.get("toolChoice")
    tools = mapping(body.get("tools")).items()
    functions = [(name, mapping(tool).get("inputSchema")) for name, tool in tools]
    own = [(name, schema_) for name, schema_ in functions if isinstance(schema_, dict)]
    return select_tools(own, text(choice), text(mapping(choice).get("toolName")))
