"""Legal streams of the AI SDK, written here by layer and generation, and functions to change them.

Each holds reasoning, text, a call with a streamed input, a source and a file; a full stream and a
message also hold a second step. Source: the notes about the streams of released versions; the
examples are those of ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from tests.stream import Events, Json

Change = Callable[[Events], Events]

Q = '{"q":"x"}'
PNG = "iVBORw0KGgo="
RESPONSE: Json = {"id": "resp_1", "timestamp": "2026-01-28T00:00:00.000Z", "modelId": "mock/model"}


def part(type_: str, **fields: Any) -> Json:
    return {"type": type_, **fields}


def block(kind: str, id_: str, field: str, *said: str) -> Events:
    grown = [part(f"{kind}-delta", id=id_, **{field: value}) for value in said]
    return [part(f"{kind}-start", id=id_), *grown, part(f"{kind}-end", id=id_)]


def streamed(id_: str, *pieces: str) -> Events:
    """The streamed input of a call, as providers and full streams name its parts."""
    grown = [part("tool-input-delta", id=id_, delta=piece) for piece in pieces]
    return [
        part("tool-input-start", id=id_, toolName="search"),
        *grown,
        part("tool-input-end", id=id_),
    ]


def called(id_: str, **input_: Any) -> Json:
    return part("tool-call", toolCallId=id_, toolName="search", **input_)


SOURCE: Json = part("source", sourceType="url", id="s1", url="https://example.org", title="A")

# What a provider streams, in the three versions of its specification

V3_USAGE: Json = {
    "inputTokens": {"total": 11, "noCache": 11, "cacheRead": 0},
    "outputTokens": {"total": 22, "text": 22, "reasoning": 0},
}
V3_FINISH = part(
    "finish", usage=V3_USAGE, finishReason={"unified": "tool-calls", "raw": "tool_calls"}
)
V3: Events = [
    part("stream-start", warnings=[]),
    part("response-metadata", **RESPONSE),
    *block("reasoning", "r1", "delta", "think", ""),
    *block("text", "t1", "delta", "Hel", "lo"),
    SOURCE,
    part("file", mediaType="image/png", data=PNG),
    *streamed("call1", '{"q":', '"x"}'),
    called("call1", input=Q),
    V3_FINISH,
]
V2_FINISH = part("finish", usage={"inputTokens": 11, "outputTokens": 22}, finishReason="tool-calls")
V2: Events = [*V3[:-1], V2_FINISH]
V4: Events = [
    *(
        {**event, "data": {"type": "data", "data": PNG}} if event["type"] == "file" else event
        for event in V3
    ),
]

# What a program reads (`fullStream`), by the major version of the SDK

V6_USAGE: Json = {
    "inputTokens": 11,
    "inputTokenDetails": {"noCacheTokens": 11, "cacheReadTokens": 0},
    "outputTokens": 22,
    "outputTokenDetails": {"textTokens": 22, "reasoningTokens": 0},
    "totalTokens": 33,
}
START_STEP = part("start-step", request={}, warnings=[])


def finish_step(reason: str, **more: Any) -> Json:
    return part("finish-step", response=RESPONSE, usage=V6_USAGE, finishReason=reason, **more)


FINISH = part("finish", finishReason="stop", rawFinishReason="stop", totalUsage=V6_USAGE)
RESULT = part("tool-result", toolCallId="call1", toolName="search", input={"q": "x"}, output="y")

AI_6: Events = [
    part("start"),
    START_STEP,
    *block("reasoning", "r1", "text", "think"),
    *block("text", "t1", "text", "Hel", "lo"),
    SOURCE,
    part("file", file={"base64": PNG, "mediaType": "image/png"}),
    *streamed("call1", '{"q":', '"x"}'),
    called("call1", input={"q": "x"}),
    RESULT,
    finish_step("tool-calls", rawFinishReason="tool_calls"),
    START_STEP,
    *block("text", "t1", "text", "Done."),
    finish_step("stop", rawFinishReason="stop"),
    FINISH,
]


def _flat(event: Json) -> Json:
    """Token counts as in ai 5, without the provider's raw finish reason."""
    flat = {"inputTokens": 11, "outputTokens": 22, "totalTokens": 33, "reasoningTokens": 0}
    kept = {name: value for name, value in event.items() if name != "rawFinishReason"}
    return {name: flat if "sage" in name else value for name, value in kept.items()}


AI_5: Events = [_flat(event) for event in AI_6]
AI_7: Events = [
    AI_6[0],
    part("ping"),
    *({**e, **({"performance": {}} if e["type"] == "finish-step" else {})} for e in AI_6[1:]),
]

_COUNTED: Json = {"promptTokens": 11, "completionTokens": 22, "totalTokens": 33}
_STEP: Json = {"messageId": "msg-1", "request": {}, "warnings": []}
AI_4: Events = [
    part("step-start", **_STEP),
    part("reasoning", textDelta="think"),
    part("reasoning-signature", signature="c2ln"),
    part("redacted-reasoning", data="eHh4"),
    part("text-delta", textDelta="Hel"),
    part("text-delta", textDelta="lo"),
    part("source", source={"sourceType": "url", "id": "s1", "url": "https://example.org"}),
    part("file", base64=PNG, mimeType="image/png"),
    part("tool-call-streaming-start", toolCallId="call1", toolName="search"),
    part("tool-call-delta", toolCallId="call1", toolName="search", argsTextDelta='{"q":'),
    part("tool-call-delta", toolCallId="call1", toolName="search", argsTextDelta='"x"}'),
    called("call1", args={"q": "x"}),
    part("tool-result", toolCallId="call1", toolName="search", args={"q": "x"}, result="y"),
    part(
        "step-finish",
        **_STEP,
        response=RESPONSE,
        usage=_COUNTED,
        finishReason="tool-calls",
        isContinued=False,
    ),
    part("finish", finishReason="tool-calls", usage=_COUNTED, response=RESPONSE),
]

# What a browser reads (UI message stream)
UI_6: Events = [
    part("start", messageId="msg_1"),
    part("start-step"),
    *block("reasoning", "r1", "delta", "think"),
    *block("text", "t1", "delta", "Hel", "lo"),
    part("source-url", sourceId="s1", url="https://example.org"),
    part("file", url=f"data:image/png;base64,{PNG}", mediaType="image/png"),
    part("tool-input-start", toolCallId="call1", toolName="search"),
    part("tool-input-delta", toolCallId="call1", inputTextDelta='{"q":'),
    part("tool-input-delta", toolCallId="call1", inputTextDelta='"x"}'),
    part("tool-input-available", toolCallId="call1", toolName="search", input={"q": "x"}),
    part("tool-output-available", toolCallId="call1", output="y"),
    part("data-weather", id="w1", data={"city": "Zürich"}),
    part("finish-step"),
    part("start-step"),
    *block("text", "t1", "delta", "Done."),
    part("finish-step"),
    part("finish", finishReason="stop"),
]

STREAMS: dict[str, tuple[str, Events]] = {
    "V2": (GATEWAY, V2),
    "V3": (GATEWAY, V3),
    "V4": (GATEWAY, V4),
    "ai 4": (FULLSTREAM, AI_4),
    "ai 5": (FULLSTREAM, AI_5),
    "ai 6": (FULLSTREAM, AI_6),
    "ai 7": (FULLSTREAM, AI_7),
    "messages": (UI, UI_6),
}


def written(events: Events, before: str = "", done: bool = True) -> bytes:
    """The parts as server-sent events."""
    blocks = "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)
    return (before + blocks + ("data: [DONE]\n\n" if done else "")).encode()


def place(events: Events, type_: str, nth: int = 0) -> int:
    """The index of the ``nth`` part of a type; negative numbers count from the end."""
    return [n for n, event in enumerate(events) if event["type"] == type_][nth]


def edit(type_: str, nth: int = 0, /, **fields: Any) -> Change:
    """Changes fields of one part; None removes one."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        merged = {**events[at], **fields}
        edited = {name: value for name, value in merged.items() if value is not None}
        return [*events[:at], edited, *events[at + 1 :]]

    return change


def drop(type_: str, nth: int = 0) -> Change:
    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return events[:at] + events[at + 1 :]

    return change


def drop_all(*types: str) -> Change:
    return lambda events: [event for event in events if event["type"] not in types]


def put(type_: str, nth: int, *more: Json) -> Change:
    """Adds parts before one."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return [*events[:at], *more, *events[at:]]

    return change


def again(type_: str, nth: int = 0) -> Change:
    """Repeats a part."""

    def change(events: Events) -> Events:
        at = place(events, type_, nth)
        return [*events[: at + 1], *events[at:]]

    return change


def first(type_: str) -> Change:
    """Moves one part to the beginning."""

    def change(events: Events) -> Events:
        at = place(events, type_)
        return [events[at], *events[:at], *events[at + 1 :]]

    return change


def upto(type_: str, nth: int, *more: Json) -> Change:
    """The stream up to one part, without it, then ``more``."""
    return lambda events: [*events[: place(events, type_, nth)], *more]


def after(*more: Json) -> Change:
    return lambda events: [*events, *more]


def both(*changes: Change) -> Change:
    def change(events: Events) -> Events:
        for one in changes:
            events = one(events)
        return events

    return change


@dataclass(frozen=True, slots=True)
class Broken:
    """A change to a legal stream, and the one rule that it breaks."""

    name: str
    rule: str
    of: str
    change: Change = lambda events: events
    level: str = "must"
    written: Callable[[Events], bytes] = written

    @property
    def dialect(self) -> str:
        return STREAMS[self.of][0]

    @property
    def data(self) -> bytes:
        return self.written(self.change(list(STREAMS[self.of][1])))
