"""Builds the request from a run of drive/1, with earlier answers as parts of `stream`.

The results of tools and the answers to requests for approval go back as the items that their calls
ask for. `history` has the items of the adapter's own parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.dialects.client.fields import Event, object_, objects, string
from conformance.dialects.client.requests import functions, options, renamed
from conformance.dialects.openresponses.reference.openai_stream.history import items_of
from conformance.dialects.openresponses.reference.vscode import TOOL_FIELDS

Item = dict[str, object]

CUSTOM_FIELDS = ("name", "description")


def request(run: Event, _prefix: str = "") -> dict[str, object]:
    """The request body of a run; this adapter adds no prefix to call ids."""
    body = {**options(run), "model": run.get("model"), "stream": True}
    body["input"] = list(_input(run))
    tools = [{"type": "function", **renamed(tool, TOOL_FIELDS)} for tool in functions(run)]
    tools += [_hosted_tool(tool) for tool in objects(run, "tools") if _is_hosted(tool)]
    return {**body, "tools": tools} if tools else body


def _is_hosted(tool: Event) -> bool:
    return string(tool, "type") not in ("", "function")


def _hosted_tool(tool: Event) -> Item:
    """A hosted tool with its own fields; only a custom tool has a name and a description."""
    type_ = string(tool, "type")
    named = CUSTOM_FIELDS if type_ == "custom" else ()
    own = {name: tool[name] for name in named if tool.get(name)}
    return {"type": type_, **own, **object_(tool, "options")}


def _input(run: Event) -> Iterator[Item]:
    """The items of the conversation; the type of a call decides that of its result."""
    types = {string(tool, "name"): string(tool, "type") for tool in objects(run, "tools")}
    call_types: dict[str, str] = {}
    for message in objects(run, "messages"):
        if message.get("role") == "assistant":
            for item in items_of(objects(message, "content"), types):
                call_types[string(item, "call_id")] = string(item, "type")
                yield item
        else:
            yield _MESSAGES.get(string(message, "role"), _said)(message, call_types)


def _said(message: Event, _call_types: Mapping[str, str]) -> Item:
    return {"type": "message", "role": message.get("role"), "content": message.get("content")}


def _result(message: Event, call_types: Mapping[str, str]) -> Item:
    """The result of a call: an item that the host gives, or its text."""
    call_id = string(message, "callId")
    if own := object_(message, "output"):
        return {**own, "call_id": call_id}
    type_ = call_types.get(call_id, "function_call")
    return {"type": f"{type_}_output", "call_id": call_id, "output": message.get("content")}


def _approval(message: Event, _call_types: Mapping[str, str]) -> Item:
    answer = {name: message[name] for name in ("approve", "reason") if name in message}
    asked = message.get("approvalId")
    return {"type": "mcp_approval_response", "approval_request_id": asked, **answer}


_MESSAGES: Mapping[str, Callable[[Event, Mapping[str, str]], Item]] = {
    "tool": _result,
    "approval": _approval,
}
