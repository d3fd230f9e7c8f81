"""A legal stream of chunks, written here, and functions to change and frame it.

It holds reasoning, text, two interleaved calls, a second choice and the usage.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.stream import Events, Json

ENVELOPE: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1767225600,
    "model": "mock",
}
USAGE: Json = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}

Change = Callable[[Events], Events]


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


LEGAL: Events = [
    delta(role="assistant", content="", refusal=None),
    delta(reasoning_text="Look it up."),
    delta(reasoning_opaque="b3BhcXVl"),
    delta(content="Let me "),
    delta(content="see."),
    begun(0, "call_1", "search"),
    begun(1, "call_2", "search"),
    grown(0, '{"q":'),
    grown(1, '{"city":'),
    grown(0, '"x"}'),
    grown(1, '"Zürich"}'),
    finish("tool_calls"),
    chunk(usage=USAGE),
]

ERROR: Json = {"error": {"message": "It broke.", "type": "server_error", "code": None}}

# An answer that fails inside a text
FAILED: Events = [delta(role="assistant", content=""), delta(content="Let me "), ERROR]

# An answer that is cut off inside a call
CUT: Events = [*LEGAL[:8], finish("length"), chunk(usage=USAGE)]

# Two choices, one of them a refusal
TWO: Events = [
    delta(role="assistant", content=""),
    delta(1, role="assistant", content=""),
    delta(content="Yes."),
    delta(1, refusal="I cannot say."),
    finish("stop", 1),
    delta(content=" Indeed."),
    finish("stop"),
]


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


def in_call(place: int, **fields: Any) -> Change:
    """Changes fields of the call fragment of a chunk; None removes one."""

    def change(events: Events) -> Events:
        (call,) = events[place]["choices"][0]["delta"]["tool_calls"]
        return in_choice(place, delta={"tool_calls": [merged(call, fields)]})(events)

    return change


def merged(value: Json, fields: Json) -> Json:
    merged = {**value, **fields}
    return {name: one for name, one in merged.items() if one is not None}


def put(place: int, *more: Json) -> Change:
    """Adds chunks before one; -1 adds them before the last."""
    return lambda events: [*events[:place], *more, *events[place:]]


def after(*more: Json) -> Change:
    return lambda events: [*events, *more]


def without(*places: int) -> Change:
    return lambda events: [event for n, event in enumerate(events) if n not in places]


@dataclass(frozen=True, slots=True)
class Broken:
    """A change to a legal stream, and the one rule that it breaks."""

    name: str
    rule: str
    change: Change = lambda events: events
    level: str = "must"
    of: tuple[Json, ...] = tuple(LEGAL)
    written: Callable[[Events], bytes] = written

    @property
    def data(self) -> bytes:
        return self.written(self.change(list(self.of)))
