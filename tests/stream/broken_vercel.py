"""Streams of the AI SDK that each break one rule: a change to a legal stream, and that rule.

The names describe what released versions were seen to stream.
"""

from __future__ import annotations

from typing import Any

from tests.stream import Events
from tests.stream.vercel import (
    AI_4,
    RESPONSE,
    SOURCE,
    Broken,
    after,
    again,
    block,
    both,
    drop,
    drop_all,
    edit,
    first,
    part,
    put,
    upto,
    written,
)

ERROR = part("error", error={"message": "It broke."})
STALE = part("text-delta", textDelta="Hello")


def _named(events: Events) -> bytes:
    return written(events).replace(b"data: {", b"event: part\ndata: {")


def _bare(events: Events) -> bytes:
    return written(events).replace(b"data: [DONE]", b"data: {oops\n\ndata: [DONE]")


WIRES = (
    *(
        Broken(f"named {of}", "framing", of, level="should", written=_named)
        for of in ("V3", "ai 6")
    ),
    *(Broken(f"no JSON {of}", "framing", of, written=_bare) for of in ("V3", "ai 6", "messages")),
    Broken("ids", "framing", "V3", level="should", written=lambda e: written(e, "id: 7\n")),
    Broken("no blank line", "framing", "V3", written=lambda e: written(e, done=False)[:-1]),
    Broken("[DONE] twice", "framing", "ai 6", written=lambda e: written(e) + b"data: [DONE]\n\n"),
    Broken(
        "a message without [DONE]",
        "framing",
        "messages",
        level="should",
        written=lambda events: written(events, done=False),
    ),
)


def _holds_an_array(events: Events) -> Events:
    array: Any = []
    return [*events[:-1], array, events[-1]]


TYPES = (
    Broken("no type", "part-types", "V3", edit("text-delta", 1, type=None)),
    Broken("an array", "part-types", "V3", _holds_an_array),
    Broken("a block without id", "part-types", "V3", edit("text-start", id=None)),
    Broken(
        "the name of another layer", "part-types", "V3", edit("text-delta", delta=None, text="a")
    ),
    Broken("input as an object", "part-types", "V3", edit("tool-call", input={"q": "x"})),
    Broken("no usage", "part-types", "V3", edit("finish", usage=None)),
    Broken("half of V2's usage", "part-types", "V3", edit("finish", usage={"inputTokens": {}})),
    Broken("bytes without their kind", "part-types", "V4", edit("file", data={"data": "AA=="})),
    Broken("no delta of an input", "part-types", "V3", edit("tool-input-delta", delta=None)),
    Broken("a delta without its text", "part-types", "ai 6", edit("text-delta", text=None)),
    Broken("a step without its request", "part-types", "ai 6", edit("start-step", request=None)),
    Broken("a call without input", "part-types", "ai 6", edit("tool-call", input=None)),
    Broken("a reason of its own", "part-types", "ai 6", edit("finish", finishReason="end_turn")),
    Broken("a source without its kind", "part-types", "ai 6", edit("source", sourceType=None)),
    Broken("a file without bytes", "part-types", "ai 6", edit("file", file={"mediaType": "a/b"})),
    Broken("a step without a message", "part-types", "ai 4", edit("step-finish", messageId=None)),
    Broken(
        "text in place of delta", "part-types", "messages", edit("text-delta", delta=None, text="a")
    ),
    Broken("no text of an error", "part-types", "messages", put("finish", 0, ERROR)),
    Broken("data without data", "part-types", "messages", edit("data-weather", data=None)),
    Broken("a source without its id", "part-types", "messages", edit("source-url", sourceId=None)),
    Broken(
        "no output's call", "part-types", "messages", edit("tool-output-available", toolCallId=None)
    ),
)

UNKNOWN = part("future-part", id="f1", text="not for you")
EXTENSIONS = (
    Broken("gateway", "extensions", "V3", put("finish", 0, UNKNOWN, UNKNOWN), level="should"),
    Broken("messages", "extensions", "messages", put("finish", 0, UNKNOWN), level="should"),
)

_ENDS_V4 = edit("finish", finishReason={"unified": "interrupted"})
_STEP_START = part("step-start", messageId="msg-1", request={}, warnings=[])
GENERATIONS = (
    Broken("V1's reason in V3", "one-generation", "V4", edit("finish", finishReason="stop")),
    Broken("flat usage in V3", "one-generation", "V3", edit("finish", usage={"inputTokens": 1})),
    Broken("V4's reason beside V3's file", "one-generation", "V3", _ENDS_V4),
    Broken("V4's part beside V2's end", "one-generation", "V2", put("finish", 0, part("ping"))),
    Broken("textDelta in ai 6", "one-generation", "ai 6", put("text-end", 0, STALE)),
    Broken(
        "both spellings",
        "one-generation",
        "ai 6",
        edit("text-delta", textDelta="Hel"),
    ),
    Broken(
        "the provider's delta", "one-generation", "ai 6", edit("reasoning-delta", delta="think")
    ),
    Broken("args beside input", "one-generation", "ai 6", edit("tool-call", args={"q": "x"})),
    Broken(
        "args in place of input", "one-generation", "ai 6", edit("tool-call", input=None, args={})
    ),
    Broken("a result", "one-generation", "ai 6", edit("tool-result", output=None, result="y")),
    Broken("sourceId", "one-generation", "ai 6", edit("source", sourceId="s1")),
    Broken(
        "a flat file",
        "one-generation",
        "ai 6",
        edit("file", file=None, base64="AA==", mimeType="a/b"),
    ),
    Broken("a step of ai 4", "one-generation", "ai 6", put("start-step", 0, _STEP_START)),
    Broken(
        "reasoning-part-finish",
        "one-generation",
        "ai 6",
        put("reasoning-end", 0, part("reasoning-part-finish")),
    ),
    Broken(
        "usage beside totalUsage",
        "one-generation",
        "ai 6",
        edit("finish", usage={"inputTokens": 1}),
    ),
    Broken(
        "unknown in ai 6", "one-generation", "ai 6", edit("finish-step", finishReason="unknown")
    ),
    Broken(
        "interrupted in ai 5", "one-generation", "ai 5", edit("finish", finishReason="interrupted")
    ),
    Broken(
        "ai 6's names in ai 4",
        "one-generation",
        "ai 4",
        put("finish", 0, part("text-start", id="t1")),
    ),
    Broken("ai 5's source in ai 4", "one-generation", "ai 4", put("finish", 0, SOURCE)),
    Broken(
        "stream-mapping's call",
        "one-generation",
        "ai 6",
        put("tool-input-start", 0, *AI_4[8:11]),
    ),
    Broken(
        "unknown with an approval",
        "one-generation",
        "messages",
        both(
            edit("finish", finishReason="unknown"),
            put("finish-step", 0, part("tool-output-denied", toolCallId="call1")),
        ),
    ),
)

ORDER = (
    Broken("no start", "run-lifecycle", "ai 6", drop("start")),
    Broken("two starts", "run-lifecycle", "ai 6", again("start")),
    Broken("no step starts", "run-lifecycle", "ai 6", drop("start-step")),
    Broken("a step in a step", "run-lifecycle", "ai 6", again("start-step")),
    Broken("a step that never finishes", "run-lifecycle", "ai 6", drop("finish-step", 0)),
    Broken("finish in a step", "run-lifecycle", "ai 6", drop("finish-step", -1)),
    Broken(
        "text between steps",
        "run-lifecycle",
        "ai 6",
        put("finish", 0, *block("text", "t2", "text", "a")),
    ),
    Broken("no finish", "run-lifecycle", "ai 6", drop("finish")),
    Broken("cut in a step", "run-lifecycle", "ai 6", upto("text-end", 1)),
    Broken(
        "text after an error, and no more",
        "run-lifecycle",
        "ai 6",
        upto("tool-input-start", 0, ERROR, SOURCE),
    ),
    Broken("finished twice", "run-lifecycle", "ai 6", again("finish")),
    Broken("an error after the finish", "run-lifecycle", "ai 6", after(ERROR)),
    Broken("finish after abort", "run-lifecycle", "ai 6", put("finish", 0, part("abort"))),
    Broken("a step finishes twice", "run-lifecycle", "ai 4", again("step-finish")),
    Broken("a step finishes twice", "run-lifecycle", "ai 6", again("finish-step")),
    Broken("ai 4 without finish", "run-lifecycle", "ai 4", drop("finish")),
    Broken("no finish", "answer-lifecycle", "V3", drop("finish")),
    Broken("finished twice", "answer-lifecycle", "V3", again("finish")),
    Broken(
        "metadata after the finish",
        "answer-lifecycle",
        "V3",
        after(part("response-metadata", **RESPONSE)),
    ),
    Broken("stream-start is late", "answer-lifecycle", "V3", first("text-start"), level="should"),
    Broken("stream-start twice", "answer-lifecycle", "V3", again("stream-start"), level="should"),
    Broken("nothing but metadata", "answer-lifecycle", "V3", lambda events: events[:2]),
    Broken("finished twice", "message-lifecycle", "messages", again("finish")),
    Broken(
        "text after the finish",
        "message-lifecycle",
        "messages",
        after(*block("text", "t9", "delta", "a")),
    ),
    Broken("no start", "message-lifecycle", "messages", drop("start"), level="should"),
    Broken("two starts", "message-lifecycle", "messages", again("start"), level="should"),
    Broken("no finish", "message-lifecycle", "messages", drop("finish"), level="should"),
    Broken(
        "a step in a step", "message-lifecycle", "messages", again("start-step"), level="should"
    ),
)

BLOCKS = (
    *(
        broken
        for of in ("V3", "ai 6", "messages")
        for broken in (
            Broken(f"no start, {of}", "block-lifecycle", of, drop("text-start")),
            Broken(
                f"only an end, {of}",
                "block-lifecycle",
                of,
                drop_all("reasoning-start", "reasoning-delta"),
            ),
            Broken(
                f"a delta after the end, {of}",
                "block-lifecycle",
                of,
                put("reasoning-delta", 0, part("reasoning-end", id="r1")),
            ),
            Broken(f"another id, {of}", "block-lifecycle", of, edit("text-end", id="t7")),
            Broken(f"no end, {of}", "block-lifecycle", of, drop("reasoning-end"), level="should"),
            Broken(f"two starts, {of}", "block-lifecycle", of, again("text-start"), level="should"),
        )
    ),
    Broken("an id of the step before", "block-lifecycle", "ai 6", drop("text-start", 1)),
)

_UNCALLED = both(drop("tool-call"), drop("tool-result"))
CALLS = (
    *(
        broken
        for of, call in (
            ("V3", "tool-call"),
            ("ai 6", "tool-call"),
            ("messages", "tool-input-available"),
        )
        for broken in (
            Broken(f"called twice, {of}", "call-lifecycle", of, again(call)),
            Broken(f"no start, {of}", "call-lifecycle", of, drop("tool-input-start")),
            Broken(f"two starts, {of}", "call-lifecycle", of, again("tool-input-start")),
            Broken(f"another name, {of}", "call-lifecycle", of, edit(call, toolName="find")),
        )
    ),
    Broken("no start, ai 4", "call-lifecycle", "ai 4", drop("tool-call-streaming-start")),
    Broken("called twice, ai 4", "call-lifecycle", "ai 4", again("tool-call")),
    Broken(
        "a delta after the call", "call-lifecycle", "messages", lambda e: [*e[:15], e[13], *e[15:]]
    ),
    Broken(
        "a delta after the end",
        "call-lifecycle",
        "V3",
        put("tool-call", 0, part("tool-input-delta", id="call1", delta="")),
    ),
    Broken("an input without end", "call-lifecycle", "V3", drop("tool-input-end"), level="should"),
    Broken("streamed and not called", "call-lifecycle", "V3", drop("tool-call"), level="should"),
    Broken("streamed and not called, ai 6", "call-lifecycle", "ai 6", _UNCALLED, level="should"),
)

INPUTS = (
    Broken(
        "cut off",
        "arguments-parse",
        "V3",
        both(drop("tool-input-delta", 1), edit("tool-call", input='{"q":')),
        level="should",
    ),
    Broken("a piece is lost", "arguments-sum", "V3", drop("tool-input-delta"), level="should"),
    Broken("a piece twice", "arguments-sum", "ai 4", again("tool-call-delta"), level="should"),
    Broken("another input", "arguments-sum", "ai 6", edit("tool-call", input={}), level="should"),
    Broken(
        "another input",
        "arguments-sum",
        "messages",
        edit("tool-input-available", input={"q": "y"}),
        level="should",
    ),
)

_LATER = part("tool-result", toolCallId="call7", toolName="search", output="y")
RESULTS = (
    Broken("of nobody", "result-follows-call", "ai 6", edit("tool-result", toolCallId="call7")),
    Broken(
        "an error of nobody",
        "result-follows-call",
        "ai 6",
        put("finish-step", 0, part("tool-error", toolCallId="c7", toolName="search", error="x")),
    ),
    Broken(
        "of nobody, ai 4", "result-follows-call", "ai 4", edit("tool-result", toolCallId="call7")
    ),
    Broken(
        "before its call",
        "result-follows-call",
        "ai 6",
        both(drop("tool-result"), put("tool-call", 0, {**_LATER, "toolCallId": "call1"})),
    ),
    Broken(
        "of an earlier answer",
        "result-follows-call",
        "ai 6",
        put("finish-step", 0, {**_LATER, "providerExecuted": True}),
        level="should",
    ),
    Broken(
        "of an earlier answer",
        "result-follows-call",
        "V3",
        put("finish", 0, part("tool-result", toolCallId="c7", toolName="search", result="y")),
        level="should",
    ),
    Broken(
        "of nobody",
        "result-follows-call",
        "messages",
        edit("tool-output-available", toolCallId="c7"),
    ),
    Broken(
        "denied, of nobody",
        "result-follows-call",
        "messages",
        put("finish-step", 0, part("tool-output-denied", toolCallId="c7")),
    ),
)

BROKEN = (*WIRES, *TYPES, *EXTENSIONS, *GENERATIONS, *ORDER, *BLOCKS, *CALLS, *INPUTS, *RESULTS)
