"""A run of drive/1 as a request for chat completions.

What the adapter emitted goes back as one assistant message, its reasoning under the names that it
came under: an upstream that sealed it cannot read it otherwise, and some refuse a message without.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.dialects.chat.reference.reasoning import OPAQUE, SPELLINGS
from conformance.dialects.client.fields import Event, objects, string
from conformance.dialects.openresponses.reference.response_state import blank

KEPT = ("max_retries", "toolInvocationToken")
"""Options that are the host's own affair."""

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}


@dataclass(frozen=True, slots=True)
class Spoken:
    """What an emitted part says: text, thoughts with their metadata, calls (id, name, input)."""

    text: str = ""
    thoughts: tuple[tuple[str, Event], ...] = ()
    calls: tuple[tuple[str, str, object], ...] = ()


Read = Callable[[Event], Spoken]


def request(run: Event, prefix: str, read: Read) -> dict[str, object]:
    """The upstream request of a run; `prefix` is what the adapter put before call ids."""
    options = run.get("options")
    given = options if isinstance(options, dict) else {}
    body: dict[str, object] = {name: given[name] for name in given if name not in KEPT}
    body |= {"model": run.get("model"), "stream": True}
    body.setdefault("stream_options", {"include_usage": True})
    body["messages"] = [_message(each, prefix, read) for each in objects(run, "messages")]
    tools = [{"type": "function", "function": _function(tool)} for tool in objects(run, "tools")]
    return {**body, "tools": tools} if tools else body


def _function(tool: Event) -> dict[str, object]:
    return {theirs: tool[ours] for ours, theirs in TOOL_FIELDS.items() if ours in tool}


def _message(message: Event, prefix: str, read: Read) -> dict[str, object]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id = string(message, "callId").removeprefix(prefix)
        return {"role": role, "tool_call_id": call_id, "content": content}
    if role != "assistant":
        return {"role": role, "content": content}
    said = [read(part) for part in objects(message, "content")]
    text = "".join(each.text for each in said)
    calls = [_call(*call, prefix) for each in said for call in each.calls]
    told: dict[str, object] = {"role": role, "content": None if calls and not text else text}
    told |= dict(_thought([thought for each in said for thought in each.thoughts]))
    return {**told, "tool_calls": calls} if calls else told


def _call(call_id: str, name: str, input_: object, prefix: str) -> dict[str, object]:
    arguments = input_ if isinstance(input_, str) else json.dumps(input_, ensure_ascii=False)
    function = {"name": name, "arguments": "{}" if blank(arguments) else arguments}
    return {"id": call_id.removeprefix(prefix), "type": "function", "function": function}


def _thought(thoughts: list[tuple[str, Event]]) -> Iterator[tuple[str, str]]:
    """Texts joined under each name that they came under; of what seals them, the last."""
    for spelling in SPELLINGS:
        texts = [text for text, meta in thoughts if string(meta, "spelling") == spelling]
        if any(texts):
            yield spelling, "".join(texts)
    for spelling in OPAQUE:
        sealed = [string(meta, spelling) for _, meta in thoughts if string(meta, spelling)]
        if sealed:
            yield spelling, sealed[-1]
