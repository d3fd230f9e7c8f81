"""The machine of the AI SDK's layers: full streams of any generation, provider parts, UI messages.

Sources: stream-mapping; the grammar of ai 4 to 7; @ai-sdk/provider, LanguageModelV2StreamPart to
V4; ai, UIMessageChunk.
"""

import json
from base64 import b64decode
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.dialects.vercel.reference.machine import FullStream
from mockserver.foundation.shipped import schema

Json = dict[str, Any]

_PARTS = Draft202012Validator(schema("parts/vscode"))
_DRIVER = Draft202012Validator(schema("driver"))


# Minimal streams


def part(type_: str, **fields: Any) -> Json:
    return {"type": type_, **fields}


def text(value: str, id_: str = "t1") -> Json:
    """A piece of text, in the fields of all layers."""
    return part("text-delta", id=id_, text=value, delta=value)


def finish(reason: Any = "stop", **fields: Any) -> Json:
    return part("finish", finishReason=reason, **fields)


def step_over(reason: str = "stop", **fields: Any) -> Json:
    return part("finish-step", finishReason=reason, **fields)


def call(id_: str = "call_1", name: str = "read_file", **fields: Any) -> Json:
    return part("tool-call", toolCallId=id_, toolName=name, **fields)


def shown(**fields: Any) -> Json:
    """A complete call in a UI message."""
    return call(**fields) | {"type": "tool-input-available"}


def streamed(
    *pieces: str, id_: str = "call_1", name: str = "read_file", **fields: Any
) -> list[Json]:
    """A call with a streamed input, as in ai 5 and later."""
    deltas = [part("tool-input-delta", id=id_, delta=piece) for piece in pieces]
    return [part("tool-input-start", id=id_, toolName=name, **fields), *deltas]


def ended(*pieces: str, **fields: Any) -> list[Json]:
    end = part("tool-input-end", id=fields.get("id_", "call_1"))
    return [*streamed(*pieces, **fields), end]


def streamed_4(*pieces: str, id_: str = "call_1", name: str = "read_file") -> list[Json]:
    """A call with a streamed input, as in ai 4 with `toolCallStreaming`."""
    known = {"toolCallId": id_, "toolName": name}
    deltas = [part("tool-call-delta", **known, argsTextDelta=piece) for piece in pieces]
    return [part("tool-call-streaming-start", **known), *deltas]


def shown_pieces(*pieces: str) -> list[Json]:
    """A call with a streamed input in a UI message."""
    deltas = [part("tool-input-delta", toolCallId="call_1", inputTextDelta=p) for p in pieces]
    return [part("tool-input-start", toolCallId="call_1", toolName="read_file"), *deltas]


def played(events: list[Json], **traits: Any) -> tuple[list[Json], Json]:
    """Convert a stream with the reference machine; returns the validated parts and the ending."""
    machine = FullStream(traits)
    parts = [each for event in events for each in machine.event(event)] + machine.close()
    for each in parts:
        _PARTS.validate(each)
    ending = machine.end()
    _DRIVER.validate({**ending, "id": "r-1"})
    return parts, ending


def text_of(parts: list[Json]) -> str:
    return "".join(each["value"] for each in parts if each["type"] == "text")


def calls_of(parts: list[Json]) -> list[tuple[str, str, Any]]:
    calls = [each for each in parts if each["type"] == "toolCall"]
    return [(each["callId"], each["name"], each["input"]) for each in calls]


START, STEP, STEP_4 = {"type": "start"}, {"type": "start-step"}, {"type": "step-start"}
STOPPED = {"type": "done", "outcome": "completed", "finish": "stop"}


# Text and reasoning: stream-mapping § Stream Chunk Schema Mismatch.

WORDS: dict[str, tuple[list[Json], list[str]]] = {
    "the SDK's reference page": ([part("text", text="Hi")], ["Hi"]),
    "a stale field": ([part("text-delta", text="Hi", textDelta="stale")], ["Hi"]),
    "a provider's": ([part("text-delta", id="t1", delta="Hi")], ["Hi"]),
    "a character cut in two": (
        [text("\ud83d"), text("\ude00"), text("Ende")],
        ["😀", "Ende"],
    ),
    "an end of another block": (
        [part("text-start", id="t1"), text("a"), part("text-end", id="x"), text("b")],
        ["a", "b"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), WORDS.values(), ids=WORDS)
def test_each_text_is_emitted_once_under_any_name(events: list[Json], expected: list[str]) -> None:
    parts, ending = played([*events, finish()])
    assert parts == [{"type": "text", "value": value} for value in expected]
    assert ending == STOPPED


# Parts that frame the answer add nothing to it: stream-mapping § The Whitespace Bug.


# Reasoning: stream-mapping § Reasoning Handler Type Signature Mismatch, § Version Compatibility.

META = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
SIGNED = {"anthropic": {"signature": "sig"}}


def reasoning(value: str, id_: str = "r1", **fields: Any) -> Json:
    return part("reasoning-delta", id=id_, text=value, delta=value, **fields)


def block(type_: str, id_: str = "r1", **fields: Any) -> Json:
    return part(f"reasoning-{type_}", id=id_, **fields)


THOUGHTS: dict[str, tuple[list[Json], list[Any]]] = {
    "the SDK's reference page": ([part("reasoning", text="Hm")], [("Hm", None, None)]),
    "metadata": (
        [
            *(block("start", providerMetadata=SIGNED), reasoning("Hm"), reasoning("m")),
            block("end", providerMetadata=META),
        ],
        [("Hm", "r1", None), ("m", "r1", None), ("", "r1", META)],
    ),
    "a signature without text": (
        [reasoning("", providerMetadata=SIGNED), block("end")],
        [("", "r1", SIGNED)],
    ),
    "a block without text": (
        [block("start", providerMetadata=SIGNED), block("end")],
        [("", "r1", SIGNED)],
    ),
    "v4: a signature": ([part("reasoning-signature", signature="sig")], [("", None, SIGNED)]),
    "v4: redacted": (
        [part("redacted-reasoning", data="ZGF0")] * 2,
        [("", None, {"anthropic": {"redactedData": "ZGF0"}})] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), THOUGHTS.values(), ids=THOUGHTS)
def test_reasoning_is_emitted_as_the_trait_says(events: list[Json], expected: list[Any]) -> None:
    stream = [*events, text("So."), finish()]
    *parts, so = played(stream)[0]
    assert so == {"type": "text", "value": "So."}
    assert parts == [
        {"type": "thinking", "value": value}
        | ({"id": id_} if id_ else {})
        | ({"metadata": {"providerMetadata": metadata}} if metadata else {})
        for value, id_, metadata in expected
    ]
    words = [value for value, *_ in expected if value]
    assert text_of(played(stream, reasoning="text")[0]) == "".join([*words, "So."])
    assert text_of(played(stream, reasoning="prefixed")[0]).count("[Thinking] ") == len(words)
    assert played(stream, reasoning="hidden")[0] == [so]


# Calls: stream-mapping § Tool Events, § Tool Call Streaming.

INPUT = {"path": "a.py"}
MADE = ("call_1", "read_file", INPUT)
PIECES = ('{"path":', '"a.py"}')
ONCE: dict[str, list[Json]] = {
    "complete, as text": [call(input='{"path":"a.py"}', dynamic=True)],
    "complete, in the UI's fields": [shown(input=INPUT)],
    "streamed and complete, no start": ([*ended(*PIECES)[1:], call(input=INPUT)]),
    "complete, then streamed": [call(input=INPUT), *ended(*PIECES)],
    "complete before its end": [*streamed('{"pa'), call(input=INPUT), *ended()[1:]],
    "complete, after other deltas": [*ended('{"path":"b"}'), call(input=INPUT)],
    "a provider's": [*ended(*PIECES), call(input='{"path":"a.py"}')],
    "a message's": [*shown_pieces(*PIECES), shown(input=INPUT)],
}  # fmt: skip


@pytest.mark.parametrize("events", ONCE.values(), ids=ONCE)
def test_a_call_is_emitted_once_in_every_form(events: list[Json]) -> None:
    parts, ending = played([START, STEP, *events, step_over("tool-calls"), finish("tool-calls")])
    assert (calls_of(parts), len(parts)) == ([MADE], 1)
    assert (ending["outcome"], ending["finish"]) == ("completed", "tool-calls")


@pytest.mark.parametrize("pieces", [ended(*PIECES), streamed_4(*PIECES)], ids=["v6", "v4"])
@pytest.mark.parametrize("reason", ["stop", "tool-calls", "other", "unknown", ""])
def test_a_streamed_call_is_complete_if_the_answer_ends_well(
    pieces: list[Json], reason: str
) -> None:
    machine = FullStream({"call_id_prefix": "gw-"})
    assert [each for event in [*pieces, step_over()] for each in machine.event(event)] == []
    assert calls_of(machine.event(finish(reason))) == [("gw-call_1", *MADE[1:])]


HALF: dict[str, list[Json]] = {
    "an object that never ended": streamed(PIECES[0]),
    "no name": [part("tool-call", toolCallId="call_1", input={})],
    "invalid": [call(input='{"path":', invalid=True, error={"message": "why"})],
    "invalid, after its pieces": [*ended(*PIECES), call(input=INPUT, invalid=True, error="why")],
    "a provider's without its input": [*streamed(*PIECES), call()],
    "a message's, never available": shown_pieces(PIECES[0]),
    "one id for two calls": [call("call_2", "ls", input={"a": 1})],
    "a message's, invalid": [
        *shown_pieces(*PIECES),
        part("tool-input-error", toolCallId="call_1", input="{", errorText="why"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("events", HALF.values(), ids=HALF)
def test_an_incomplete_call_is_not_emitted_but_reported(events: list[Json]) -> None:
    good = call("call_2", "ls", input={})
    for reason in ("stop", "tool-calls"):
        parts, ending = played([*events, good, step_over(reason), finish(reason)])
        assert [made[:2] for made in calls_of(parts)] == [("call_2", "ls")]
        assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
        assert ("why" in json.dumps(events)) <= ("why" in ending["error"]["message"])
    again = [call(input=INPUT), finish()]
    wrong = [each for each in events if "why" in json.dumps(each)]
    assert played([*wrong, STEP, *again])[1]["outcome"] == "completed"


THEIRS: Json = {"providerExecuted": True}
EXECUTED: dict[str, list[Json]] = {
    "streamed": [*ended(*PIECES, **THEIRS), call(input=INPUT, **THEIRS)],
    "invalid": [call(input="", invalid=True, error="x", **THEIRS)],
    "a message's, invalid": [
        part("tool-input-error", toolCallId="call_1", input="", errorText="x", **THEIRS)
    ],
}  # fmt: skip


@pytest.mark.parametrize("events", EXECUTED.values(), ids=EXECUTED)
def test_a_provider_executed_call_is_not_emitted(events: list[Json]) -> None:
    parts, ending = played([*events, text("Found."), finish("tool-calls")])
    assert (parts, ending) == ([{"type": "text", "value": "Found."}], STOPPED)


# Files, sources and data: stream-mapping § Priority 2, 3 and 5.

PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFB])
BASE64, TYPED = "iVBOR//7", {"mediaType": "image/png"}
URL = f"data:image/png;base64,{BASE64}"
FILES: dict[str, Json] = {
    "v5 to v7": part("file", file={"base64": BASE64, "mimeType": "stale/stale", **TYPED}),
    "a provider's": part("file", data=BASE64, **TYPED),
    "a message's": part("file", url=URL, **TYPED),
    "with getters": part("file", file={"base64Data": BASE64, **TYPED}),
    "a URL that is not base64": part("file", url="data:image/png,%89PNG%FF%FB", **TYPED),
    "an array as JSON has it": part("file", file={"uint8ArrayData": dict(enumerate(PNG)), **TYPED}),
}


def data_of(event: Json, **traits: Any) -> list[tuple[str, bytes]]:
    parts, ending = played([event, finish()], **traits)
    assert ending["outcome"] == "completed"
    return [(each["mimeType"], b64decode(each["data"], validate=True)) for each in parts]


@pytest.mark.parametrize("event", FILES.values(), ids=FILES)
def test_the_bytes_of_a_file_are_emitted_with_its_media_type(event: Json) -> None:
    assert data_of(event) == [("image/png", PNG)]


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://example.org/a.png", **TYPED},
        *({"file": file} for file in ({"base64": ""}, TYPED)),
    ],
)
def test_a_file_without_bytes_is_not_emitted(fields: Json) -> None:
    assert data_of(part("file", **fields)) == []


ABOUT = {"url": "https://example.org/a", "title": "A"}
SOURCES: dict[str, Json] = {
    "both": part("source", id="s1", sourceId="stale", **ABOUT),
    "a provider's": part("source", sourceType="url", id="s1", **ABOUT),
    "a message's": part("source-url", sourceId="s1", **ABOUT),
}


@pytest.mark.parametrize("event", SOURCES.values(), ids=SOURCES)
def test_a_source_is_emitted_as_the_trait_says(event: Json) -> None:
    assert text_of(played([text("a"), event, finish()])[0]) == f"a [A]({ABOUT['url']})"
    ((type_, body),) = data_of(event, annotations="data")
    assert type_ == "application/vnd.vscode.citation+json"
    assert json.loads(body) == {"type": "citation", **ABOUT}
    assert data_of(event, annotations="hidden") == []


@pytest.mark.parametrize("value", [{"city": "Zürich", "at": [1, None]}, None, "\ud83dé"])
def test_data_of_an_application_is_passed_on_as_json(value: Any) -> None:
    ((type_, body),) = data_of(part("data-weather", id="d1", data=value))
    assert (type_, json.loads(body)) == ("application/vnd.vercel.weather+json", value)


# Endings: stream-mapping § Core Lifecycle Events.

ENDINGS: list[tuple[list[Json], Json]] = [
    *(([finish(why)], {"finish": why}) for why in ("stop", "length", "other")),
    ([finish("content-filter")], {"finish": "content-filter"}),
    ([finish("a_word_of_its_own")], {"finish": "other"}),
    ([finish("tool-calls")], {"finish": "stop"}),
    ([step_over(), STEP, step_over("length"), finish("length")], {"finish": "length"}),
    ([finish({"unified": "length", "raw": "max_tokens"})], {"finish": "length"}),
    ([part("finish")], {"finish": "other"}),
]  # fmt: skip


@pytest.mark.parametrize(("events", "expected"), ENDINGS)
def test_the_finish_is_from_the_upstream(events: list[Json], expected: Json) -> None:
    machine = FullStream({})
    for each in (text("a"), *events):
        machine.event(each)
    assert machine.ended
    assert machine.event(text("late")) == machine.event(part("data-x", data=1)) == []
    machine.fail("transport", "reset")
    assert machine.end() == {"type": "done", "outcome": "completed", **expected}
    assert machine.close() == []


# Usage: stream-mapping § Data Available from Vercel AI SDK.

V6 = {"inputTokens": 11, "outputTokens": 22, "totalTokens": 33}
V4 = {"promptTokens": 11, "completionTokens": 22, "totalTokens": 33}
V3_PROVIDER = {"inputTokens": {"total": 11, "noCache": 4}, "outputTokens": {"total": 22}}
ZERO = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
BOTH = {"input": 11, "output": 22}
USED: dict[str, tuple[list[Json], Any]] = {
    "the provider's names": ([finish(usage=V3_PROVIDER)], BOTH),
    "a stale one": ([finish(totalUsage=V6, usage={"promptTokens": 1})], BOTH),
    "two steps and their total": (
        [step_over(usage=V6), STEP, step_over(usage=V6), finish(totalUsage=V6)],
        BOTH,
    ),
    "two steps without a total": (
        [step_over(usage=V6), STEP, step_over(usage={"outputTokens": 22}), finish()],
        {"input": 11, "output": 44},
    ),
    "one side": ([finish(totalUsage={"inputTokens": 11})], {"input": 11}),
    "zeros after a step": ([step_over(usage=V6), finish(totalUsage=ZERO)], BOTH),
    "a provider's": ([finish(usage=V3_PROVIDER)], BOTH),
    "a provider's, V2": ([finish(usage=V6)], BOTH),
}  # fmt: skip


@pytest.mark.parametrize(("events", "usage"), USED.values(), ids=USED)
def test_usage_is_reported_once_as_the_upstream_counted_it(events: list[Json], usage: Any) -> None:
    assert played(events)[1].get("usage") == usage


# Errors are parts: stream-mapping § Stream Error Chunk Schema Mismatch.

BUSY = {"message": "overloaded", "code": "busy"}
OVERLOADED = {"message": "overloaded"}
ERRORS: dict[str, tuple[Json, Json]] = {
    "a string": (part("error", error="overloaded", errorText="overloaded"), OVERLOADED),
    "an Error": (part("error", error={"name": "AI_APICallError", **OVERLOADED}), OVERLOADED),
    "a number": (part("error", error={**OVERLOADED, "code": 529}), {**OVERLOADED, "code": "529"}),
    "a nested error": (part("error", error={"error": {"error": BUSY}}), BUSY),
    "nothing": (part("error"), {"message": "the upstream failed and gave no reason"}),
}  # fmt: skip


@pytest.mark.parametrize(("error", "expected"), ERRORS.values(), ids=ERRORS)
def test_an_error_has_the_message_and_code_of_what_was_thrown(error: Json, expected: Json) -> None:
    reported = {"kind": "upstream", **expected}
    failed = {"type": "done", "outcome": "failed", "error": reported}
    parts, ending = played([text("a"), error, text("b"), finish()])
    assert (text_of(parts), ending) == ("a", failed)
    parts, ending = played([text("a"), error], errors="text")
    assert text_of(parts) == f"a\n\n**Error:** {expected['message']}\n\n"
    assert ending == {"type": "done", "outcome": "completed", "finish": "error"}
