"""Builds the request from a run of drive/1, with earlier answers as parts of `stream`.

The results of tools and the answers to requests for approval go back as the items that their calls
ask for. Messages, reasoning with its encrypted content, calls for the host, requests for approval
and compacted conversations go back as the items from which their parts came. Hosted calls and their
results are the upstream's own, and a call that was only announced was never made; neither is
repeated.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.dialects.client.fields import (
    Event,
    functions,
    object_,
    objects,
    options,
    rename_fields,
    string,
)
from conformance.dialects.openresponses.reference.vscode import TOOL_FIELDS

Item = dict[str, object]

CUSTOM_FIELDS = ("name", "description")


def request(run: Event, _prefix: str = "") -> dict[str, object]:
    """The request body of a run; this adapter adds no prefix to call ids."""
    body = {**options(run), "model": run.get("model"), "stream": True}
    body["input"] = list(_input(run))
    offered = functions(run)
    tools = [{"type": "function", **rename_fields(tool, TOOL_FIELDS)} for tool in offered]
    tools += [_hosted_tool(tool) for tool in objects(run, "tools") if tool not in offered]
    return {**body, "tools": tools} if tools else body


def _hosted_tool(tool: Event) -> Item:
    """A hosted tool with its own fields; only a custom tool has a name and a description."""
    type_ = string(tool, "type")
    own = {name: tool[name] for name in CUSTOM_FIELDS} if type_ == "custom" else {}
    return {"type": type_, **own, **object_(tool, "options")}


def _input(run: Event) -> Iterator[Item]:
    """The items of the conversation."""
    types = {string(tool, "name"): string(tool, "type") for tool in objects(run, "tools")}
    for message in objects(run, "messages"):
        if message.get("role") == "assistant":
            yield from items_of(objects(message, "content"), types)
        else:
            yield _MESSAGES.get(string(message, "role"), _said)(message)


def _said(message: Event) -> Item:
    return {"type": "message", "role": message.get("role"), "content": message.get("content")}


def _result(message: Event) -> Item:
    """The result of a call: an item that the host gives, or the text of a function."""
    call_id = string(message, "callId")
    if own := object_(message, "output"):
        return {**own, "call_id": call_id}
    return {"type": "function_call_output", "call_id": call_id, "output": message.get("content")}


def _approval(message: Event) -> Item:
    answer = {name: message[name] for name in ("approve", "reason") if name in message}
    asked = message.get("approvalId")
    return {"type": "mcp_approval_response", "approval_request_id": asked, **answer}


_MESSAGES: Mapping[str, Callable[[Event], Item]] = {"tool": _result, "approval": _approval}


@dataclass(slots=True)
class _Answer:
    """The items so far, each at the place of its first part; `types` are those of tools by name.

    `blocks` are the texts by the id of their block, until they are joined, and `summaries` those of
    each item of reasoning.
    """

    types: Mapping[str, str]
    items: list[Item] = field(default_factory=list)
    blocks: dict[str, list[str]] = field(default_factory=dict)
    reasoning: dict[str, Item] = field(default_factory=dict)
    summaries: dict[str, list[list[str]]] = field(default_factory=dict)
    calls: dict[str, Event] = field(default_factory=dict)


def items_of(parts: list[Event], types: Mapping[str, str]) -> Iterator[Item]:
    """The items of an answer. `types` has the types of the offered tools by their names."""
    answer = _Answer(types)
    for part in parts:
        if read := _READERS.get(string(part, "type")):
            read(answer, part)
    for item in answer.items:
        if item["type"] != "reasoning" or item.get("encrypted_content"):
            yield _joined(item)


def _joined(item: Item) -> Item:
    """An item with the pieces of its texts joined."""
    if item["type"] == "message" and isinstance(pieces := item["content"], list):
        return {**item, "content": "".join(pieces)}
    if item["type"] == "reasoning" and isinstance(sections := item["summary"], list):
        texts = ("".join(pieces) for pieces in sections if pieces)
        summary = [{"type": "summary_text", "text": text} for text in texts]
        return {**item, "summary": summary}
    return item


def _text_start(answer: _Answer, part: Event) -> None:
    pieces: list[str] = []
    answer.blocks[string(part, "id")] = pieces
    phase = string(_metadata(part), "phase")
    about = {"phase": phase} if phase else {}
    answer.items.append({"type": "message", "role": "assistant", "content": pieces, **about})


def _delta(answer: _Answer, part: Event) -> None:
    answer.blocks[string(part, "id")].append(string(part, "delta"))


def _reasoning_start(answer: _Answer, part: Event) -> None:
    item_id = string(_metadata(part), "itemId")
    if item_id not in answer.reasoning:
        summary = answer.summaries[item_id] = []
        item: Item = {"type": "reasoning", "id": item_id, "summary": summary}
        answer.reasoning[item_id] = item
        answer.items.append(item)
    pieces = answer.blocks[string(part, "id")] = []
    answer.summaries[item_id].append(pieces)


def _reasoning_end(answer: _Answer, part: Event) -> None:
    about = _metadata(part)
    if encrypted := string(about, "reasoningEncryptedContent"):
        answer.reasoning[string(about, "itemId")]["encrypted_content"] = encrypted


def _call(answer: _Answer, part: Event) -> None:
    answer.calls[string(part, "toolCallId")] = part
    if part.get("providerExecuted") is not True:
        name = string(part, "toolName")
        type_ = f"{answer.types.get(name) or 'function'}_call"
        make = _CALLS.get(type_, _function_call)
        answer.items.append({**make(part), "call_id": part.get("toolCallId")})


def _approval_request(answer: _Answer, part: Event) -> None:
    """The request with its call, since a response that is not stored is forgotten upstream."""
    call = answer.calls[string(part, "toolCallId")]
    item = {
        "type": "mcp_approval_request",
        "id": part.get("approvalId"),
        "name": string(call, "toolName").removeprefix("mcp."),
        "server_label": _metadata(call).get("serverLabel"),
        "arguments": call.get("input"),
    }
    answer.items.append(item)


def _custom(answer: _Answer, part: Event) -> None:
    """A compacted conversation, the only content that has no part of its own."""
    encrypted = _metadata(part).get("encryptedContent")
    answer.items.append({"type": "compaction", "encrypted_content": encrypted})


_READERS: Mapping[str, Callable[[_Answer, Event], None]] = {
    "text-start": _text_start,
    "text-delta": _delta,
    "reasoning-start": _reasoning_start,
    "reasoning-delta": _delta,
    "reasoning-end": _reasoning_end,
    "tool-call": _call,
    "tool-approval-request": _approval_request,
    "custom": _custom,
}


def _function_call(part: Event) -> Item:
    return {
        "type": "function_call",
        "name": part.get("toolName"),
        "arguments": string(part, "input"),
    }


def _custom_call(part: Event) -> Item:
    text = json.loads(string(part, "input"))
    return {"type": "custom_tool_call", "name": part.get("toolName"), "input": text}


def _own_call(type_: str, *fields: str) -> Callable[[Event], Item]:
    """Creates the item of a call from these fields of its input, which are in camel case."""

    def make(part: Event) -> Item:
        input_ = json.loads(string(part, "input"))
        known = {_snake(name): _snake_fields(input_[name]) for name in fields}
        item_id = _metadata(part).get("itemId")
        return {"type": type_, "id": item_id, "status": "completed", **known}

    return make


_CALLS: Mapping[str, Callable[[Event], Item]] = {
    "custom_call": _custom_call,
    "apply_patch_call": _own_call("apply_patch_call", "operation"),
    "local_shell_call": _own_call("local_shell_call", "action"),
    "shell_call": _own_call("shell_call", "action"),
    "computer_call": _own_call("computer_call", "actions", "pendingSafetyChecks"),
}


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _snake_fields(value: object) -> object:
    """The names of an action's fields in snake case; what they hold is unchanged."""
    if isinstance(value, dict):
        return {_snake(name): inner for name, inner in value.items()}
    return value


def _metadata(part: Event) -> Event:
    return object_(object_(part, "providerMetadata"), "openai")
