"""A legal stream of chunks, and functions to make, change and frame chunks.

The stream has reasoning, text, two interleaved calls and the usage.
"""

from __future__ import annotations

import json
from typing import Any

from tests.stream import Change, Events, Json
from tests.stream.tables import events_of

ENVELOPE: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1767225600,
    "model": "mock",
}
USAGE: Json = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}


def chunk(*choices: Json, **fields: Any) -> Json:
    return {**ENVELOPE, "choices": list(choices), **fields}


def choice(delta: Json | None = None, index: int = 0, reason: str | None = None) -> Json:
    return {"index": index, "delta": delta or {}, "logprobs": None, "finish_reason": reason}


def delta(index: int = 0, **delta: Any) -> Json:
    """A chunk with one delta."""
    return chunk(choice(delta, index))


def finish(reason: str, index: int = 0) -> Json:
    return chunk(choice(index=index, reason=reason))


def begun(index: int, id_: str, name: str) -> Json:
    """The first fragment of a call."""
    function = {"name": name, "arguments": ""}
    return delta(tool_calls=[{"index": index, "id": id_, "type": "function", "function": function}])


def grown(index: int, arguments: str) -> Json:
    return delta(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


LEGAL: Events = events_of("chat")


def written(events: Events, before: str = "", done: bool = True) -> bytes:
    """The chunks as server-sent events."""
    blocks = "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    return (before + blocks + ("data: [DONE]\n\n" if done else "")).encode()


def edited(place: int, **fields: Any) -> Change:
    """Changes fields of one chunk; None removes one."""
    return lambda events: [merged(e, fields) if n == place else e for n, e in enumerate(events)]


def in_choice(place: int, **fields: Any) -> Change:
    """Changes fields of the first choice of a chunk; None becomes null."""

    def change(events: Events) -> Events:
        first, *others = events[place]["choices"]
        changed = {**events[place], "choices": [{**first, **fields}, *others]}
        return [changed if n == place else event for n, event in enumerate(events)]

    return change


def merged(value: Json, fields: Json) -> Json:
    merged = {**value, **fields}
    return {name: one for name, one in merged.items() if one is not None}


def put(place: int, *more: Json) -> Change:
    """Adds chunks before one; -1 adds them before the last."""
    return lambda events: [*events[:place], *more, *events[place:]]


def without(*places: int) -> Change:
    return lambda events: [event for n, event in enumerate(events) if n not in places]
