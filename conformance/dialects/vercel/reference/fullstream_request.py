"""Builds the options of `streamText` from a run of drive/1.

A result must name its tool, but the host gives only the id of its call, which may be in any earlier
message. So the names of all calls are collected first (stream-mapping § Tool Result Message
Format). System messages are sent as such, at any position. Lengths are not checked; the upstream
reports what is too long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.client.requests import functions, options, renamed
from conformance.dialects.openresponses.reference.attachments import CITATION

UNKNOWN_TOOL = "unknown_tool"
TOOL_FIELDS = {"description": "description", "input_schema": "inputSchema"}
HOST_DATA = (CITATION, "application/vnd.vercel.")
"""Media types of data parts that the adapter made for its host, which are not sent back."""

Json = dict[str, object]
Names = Mapping[str, str]


def request(run: Event, prefix: str = "") -> Json:
    """The request body of a run; `prefix`, which the adapter adds to call ids, is removed."""
    body = {**options(run), "model": run.get("model"), "messages": messages(run, prefix)}
    return {**body, "tools": tools} if (tools := dict(named_tools(run))) else body


def messages(run: Event, prefix: str) -> list[Json]:
    """The messages of a run; messages without content are left out."""
    names = tool_names(run)
    converted = (_message(message, prefix, names) for message in objects(run, "messages"))
    return [each for each in converted if each["content"]]


def named_tools(run: Event) -> list[tuple[str, Json]]:
    """The function tools of a run, with their names."""
    return [(string(tool, "name"), renamed(tool, TOOL_FIELDS)) for tool in functions(run)]


def tool_names(run: Event) -> dict[str, str]:
    """The tool of each call in the messages, by the call id that the host uses."""
    parts = (p for message in objects(run, "messages") for p in objects(message, "content"))
    return {string(p, "callId"): string(p, "name") for p in parts if p.get("type") == "toolCall"}


def _message(message: Event, prefix: str, names: Names) -> Json:
    role = message.get("role")
    if role == "tool":
        return {"role": role, "content": [_result(message, prefix, names)]}
    if role == "assistant":
        return {"role": role, "content": _assistant_content(objects(message, "content"), prefix)}
    return {"role": role, "content": message.get("content")}


def _result(message: Event, prefix: str, names: Names) -> Json:
    call_id = string(message, "callId")
    return {
        "type": "tool-result",
        "toolCallId": call_id.removeprefix(prefix),
        "toolName": names.get(call_id) or UNKNOWN_TOOL,
        "output": {"type": "text", "value": message.get("content")},
    }


def _assistant_content(parts: list[Event], prefix: str) -> list[Json]:
    """An assistant's content; consecutive text and pieces of reasoning are joined."""
    said: list[Json] = []
    thoughts: dict[str, Json] = {}
    for part in parts:
        kind = string(part, "type")
        if kind == "thinking":
            _add_reasoning(said, thoughts, part)
        elif kind == "text" and said and said[-1]["type"] == "text":
            said[-1]["text"] = f"{said[-1]['text']}{string(part, 'value')}"
        elif kind in PART_READERS:
            said += PART_READERS[kind](part, prefix)
    return said


def _text(part: Event, _: str) -> list[Json]:
    return [{"type": "text", "text": string(part, "value")}]


def _call(part: Event, prefix: str) -> list[Json]:
    call_id = string(part, "callId").removeprefix(prefix)
    name, input_ = part.get("name"), part.get("input")
    return [{"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": input_}]


def _file(part: Event, _: str) -> list[Json]:
    media_type = string(part, "mimeType")
    if media_type.startswith(HOST_DATA):
        return []
    return [{"type": "file", "data": part.get("data"), "mediaType": media_type}]


PART_READERS: Mapping[str, Callable[[Event, str], list[Json]]] = {
    "text": _text,
    "toolCall": _call,
    "data": _file,
}


def _add_reasoning(said: list[Json], thoughts: dict[str, Json], part: Event) -> None:
    """Add a piece of reasoning to the block with its id.

    Without ids, it belongs to the last block, if that is the last part and has no metadata yet.
    """
    id_, metadata = string(part, "id"), object_(object_(part, "metadata"), "providerMetadata")
    open_ = thoughts.get(id_)
    if open_ and not id_ and (open_ is not said[-1] or "providerOptions" in open_):
        open_ = None
    if open_ is None:
        open_ = thoughts[id_] = {"type": "reasoning", "text": ""}
        said.append(open_)
    open_["text"] = f"{open_['text']}{string(part, 'value')}"
    if metadata:
        open_["providerOptions"] = metadata
