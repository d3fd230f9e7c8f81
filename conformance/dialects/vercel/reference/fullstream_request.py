"""A run of drive/1 as the options of `streamText`.

A result has to name its tool, and the host knows only the call that it answers, which may stand in
any message before it. So names are gathered first (stream-mapping § Tool Result Message Format).
The host says which messages are the system's, so each goes upstream as one, wherever it stands.
Nothing is counted and nothing refused: what is too long, the upstream can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dialects.chat.reference.request import HOST_OPTIONS
from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.openresponses.reference.attachments import CITATION

UNNAMED = "unknown_tool"
TOOL_FIELDS = {"description": "description", "input_schema": "inputSchema"}
TOLD_TO_HOST = (CITATION, "application/vnd.vercel.")
"""Data that the adapter made for its host; the model never had it as a file."""

Json = dict[str, object]
Names = Mapping[str, str]


def request(run: Event, prefix: str = "") -> Json:
    """The upstream request of a run; `prefix` is what the adapter put before call ids."""
    tools = dict(functions(run))
    body = {**options(run), "model": run.get("model"), "messages": messages(run, prefix)}
    return {**body, "tools": tools} if tools else body


def options(run: Event) -> Json:
    """What the host asks for, in the upstream's own terms."""
    asked = object_(run, "options")
    return {name: asked[name] for name in asked if name not in HOST_OPTIONS}


def messages(run: Event, prefix: str) -> list[Json]:
    """The conversation; who has said nothing has no message."""
    names = tool_names(run)
    told = (_message(message, prefix, names) for message in objects(run, "messages"))
    return [each for each in told if each["content"]]


def functions(run: Event) -> list[tuple[str, Json]]:
    """The tools that the host runs, by name."""
    tools = objects(run, "tools")
    functions = (tool for tool in tools if tool.get("type", "function") == "function")
    return [(string(tool, "name"), _tool(tool)) for tool in functions]


def tool_names(run: Event) -> dict[str, str]:
    """The tool of each call in the conversation, by the id that the host knows it by."""
    parts = (p for message in objects(run, "messages") for p in objects(message, "content"))
    return {string(p, "callId"): string(p, "name") for p in parts if p.get("type") == "toolCall"}


def _tool(tool: Event) -> Json:
    return {theirs: tool[ours] for ours, theirs in TOOL_FIELDS.items() if ours in tool}


def _message(message: Event, prefix: str, names: Names) -> Json:
    role = message.get("role")
    if role == "tool":
        return {"role": role, "content": [_result(message, prefix, names)]}
    if role == "assistant":
        return {"role": role, "content": _said(objects(message, "content"), prefix)}
    return {"role": role, "content": message.get("content")}


def _result(message: Event, prefix: str, names: Names) -> Json:
    call_id = string(message, "callId")
    return {
        "type": "tool-result",
        "toolCallId": call_id.removeprefix(prefix),
        "toolName": names.get(call_id) or UNNAMED,
        "output": {"type": "text", "value": message.get("content")},
    }


def _said(parts: list[Event], prefix: str) -> list[Json]:
    """An assistant's parts, in order; texts and thoughts that were told in pieces are one again."""
    said: list[Json] = []
    thoughts: dict[str, Json] = {}
    for part in parts:
        kind = string(part, "type")
        if kind == "thinking":
            _think(said, thoughts, part)
        elif kind == "text" and said and said[-1]["type"] == "text":
            said[-1]["text"] = f"{said[-1]['text']}{string(part, 'value')}"
        elif kind in BACK:
            said += BACK[kind](part, prefix)
    return said


def _text(part: Event, _: str) -> list[Json]:
    return [{"type": "text", "text": string(part, "value")}]


def _call(part: Event, prefix: str) -> list[Json]:
    call_id = string(part, "callId").removeprefix(prefix)
    name, input_ = part.get("name"), part.get("input")
    return [{"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": input_}]


def _file(part: Event, _: str) -> list[Json]:
    media_type = string(part, "mimeType")
    if media_type.startswith(TOLD_TO_HOST):
        return []
    return [{"type": "file", "data": part.get("data"), "mediaType": media_type}]


BACK: Mapping[str, Callable[[Event, str], list[Json]]] = {
    "text": _text,
    "toolCall": _call,
    "data": _file,
}


def _think(said: list[Json], thoughts: dict[str, Json], part: Event) -> None:
    """Adds to the thought of the same id, or without ids to the last one until it was sealed."""
    id_, sealed = string(part, "id"), object_(object_(part, "metadata"), "providerMetadata")
    open_ = thoughts.get(id_)
    if open_ and not id_ and (open_ is not said[-1] or "providerOptions" in open_):
        open_ = None
    if open_ is None:
        open_ = thoughts[id_] = {"type": "reasoning", "text": ""}
        said.append(open_)
    open_["text"] = f"{open_['text']}{string(part, 'value')}"
    if sealed:
        open_["providerOptions"] = sealed
