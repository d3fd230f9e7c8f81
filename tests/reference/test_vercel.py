"""The machine of the AI SDK's layers: full streams of any generation, provider parts, UI messages.

Sources: stream-mapping; the grammar of ai 4 to 7; @ai-sdk/provider, LanguageModelV2StreamPart to
V4; ai, UIMessageChunk.
"""

import json
from base64 import b64decode
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.dialects.vercel.reference.fields import FULL_STREAM, PROVIDER, UI, Layer
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


def played(
    events: list[Json], layer: Layer = FULL_STREAM, **traits: Any
) -> tuple[list[Json], Json]:
    """Convert a stream with the reference machine; returns the validated parts and the ending."""
    machine = FullStream(traits, layer)
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

WORDS: dict[str, tuple[Layer, list[Json], list[str]]] = {
    "the SDK's reference page": (FULL_STREAM, [part("text", text="Hi")], ["Hi"]),
    "a stale field": (FULL_STREAM, [part("text-delta", text="Hi", textDelta="stale")], ["Hi"]),
    "a provider's": (PROVIDER, [part("text-delta", id="t1", delta="Hi", text="stale")], ["Hi"]),
    "a message's": (UI, [part("text-delta", id="t1", delta="Hi", textDelta="stale")], ["Hi"]),
    "a character cut in two": (
        FULL_STREAM,
        [text("\ud83d", "a"), text("und ", "b"), text("\ude00", "a"), text("Ende", "b")],
        ["und ", "😀", "Ende"],
    ),
    "half a character at the end of a block": (
        FULL_STREAM,
        [text("a\ud83d"), part("text-end", id="t1"), part("text-start", id="t1"), text("b")],
        ["a", "b"],
    ),
    "an end of another block": (
        FULL_STREAM,
        [part("text-start", id="t1"), text("a"), part("text-end", id="x"), text("b")],
        ["a", "b"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "events", "expected"), WORDS.values(), ids=WORDS)
def test_each_text_is_emitted_once_under_any_name(
    layer: Layer, events: list[Json], expected: list[str]
) -> None:
    parts, ending = played([*events, finish()], layer)
    assert parts == [{"type": "text", "value": value} for value in expected]
    assert ending == STOPPED


STALE = [
    *((layer, part("text-delta", id="t1", text="Hi")) for layer in (PROVIDER, UI)),
    *((layer, part("text-delta", id="t1", delta=None)) for layer in (PROVIDER, UI)),
    *((layer, part("reasoning-delta", id="r1", text="Hm")) for layer in (PROVIDER, UI)),
    *((PROVIDER, call(args={})), (UI, shown(args={}))),
]


@pytest.mark.parametrize(("layer", "event"), STALE)
def test_a_part_without_the_field_of_its_layer_is_an_error(layer: Layer, event: Json) -> None:
    parts, ending = played([text("a"), event, text("b"), finish()], layer)
    assert [each["value"] for each in parts] == ["a", "b"]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
    assert event["type"] in ending["error"]["message"]


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
        [("Hm", "r1", SIGNED), ("m", "r1", None), ("", "r1", META)],
    ),
    "a signature without text": ([reasoning("", providerMetadata=SIGNED)], [("", "r1", SIGNED)]),
    "a block without text": (
        [block("start", providerMetadata=SIGNED), block("end")],
        [("", "r1", SIGNED)],
    ),
    "v4: a signature": ([part("reasoning-signature", signature="sig")], [("", None, SIGNED)]),
    "v4: redacted": (
        [part("redacted-reasoning", data="ZGF0")] * 2,
        [("", id_, {"anthropic": {"redactedData": "ZGF0"}}) for id_ in ("", "-1")],
    ),
    "the same id in another step": (
        [STEP, block("start"), reasoning("a"), block("end"), step_over(), STEP, reasoning("b")],
        [("a", "r1", None), ("b", "r1-1", None)],
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
ONCE: dict[str, tuple[Layer, list[Json]]] = {
    "complete, as text": (FULL_STREAM, [call(input='{"path":"a.py"}', dynamic=True)]),
    "complete, in the UI's fields": (FULL_STREAM, [shown(input=INPUT)]),
    "streamed and complete, no start": (FULL_STREAM, [*ended(*PIECES)[1:], call(input=INPUT)]),
    "complete, then streamed": (FULL_STREAM, [call(input=INPUT), *ended(*PIECES)]),
    "complete before its end": (FULL_STREAM, [*streamed('{"pa'), call(input=INPUT), *ended()[1:]]),
    "complete, after other deltas": (FULL_STREAM, [*ended('{"path":"b"}'), call(input=INPUT)]),
    "streamed, complete without an input": (FULL_STREAM, [*ended(*PIECES), call()]),
    "streamed, with either field": (
        FULL_STREAM,
        [each for p in zip(streamed_4(*PIECES), streamed(*PIECES), strict=True) for each in p],
    ),
    "a provider's": (PROVIDER, [*ended(*PIECES), call(input='{"path":"a.py"}')]),
    "a message's": (UI, [*shown_pieces(*PIECES), shown(input=INPUT)]),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "events"), ONCE.values(), ids=ONCE)
def test_a_call_is_emitted_once_in_every_form(layer: Layer, events: list[Json]) -> None:
    parts, ending = played(
        [START, STEP, *events, step_over("tool-calls"), finish("tool-calls")], layer
    )
    assert (calls_of(parts), len(parts)) == ([MADE], 1)
    assert (ending["outcome"], ending["finish"]) == ("completed", "tool-calls")


@pytest.mark.parametrize("pieces", [ended(*PIECES), streamed_4(*PIECES)], ids=["v6", "v4"])
@pytest.mark.parametrize(
    "over",
    [
        *map(step_over, ("stop", "tool-calls", "other", "unknown", "")),
        *(finish(), STEP, STEP_4, part("step-finish")),
    ],
    ids=lambda over: f"{over['type']} {over.get('finishReason')}",
)
def test_a_streamed_call_is_complete_if_its_step_ends_well(pieces: list[Json], over: Json) -> None:
    machine = FullStream({"call_id_prefix": "gw-"}, FULL_STREAM)
    assert [each for event in pieces for each in machine.event(event)] == []
    assert calls_of(machine.event(over)) == [("gw-call_1", *MADE[1:])]


# What ai 4 has in place of an invalid call: vercel/ai, TextStreamPart of 4.3.
NO_TOOL_4 = {"name": "AI_NoSuchToolError", "message": "why", "toolName": "read_file"}
HALF: dict[str, tuple[Layer, list[Json]]] = {
    "an object that never ended": (FULL_STREAM, streamed(*PIECES)),
    "no name": (FULL_STREAM, [part("tool-call", toolCallId="call_1", input={})]),
    "invalid": (FULL_STREAM, [call(input='{"path":', invalid=True, error={"message": "why"})]),
    "invalid, after its pieces": (
        FULL_STREAM,
        [*ended(*PIECES), call(input=INPUT, invalid=True, error="why")],
    ),
    "no such tool, v4": (FULL_STREAM, [*streamed_4(*PIECES), part("error", error=NO_TOOL_4)]),
    "a provider's without its input": (PROVIDER, [*streamed(*PIECES), call()]),
    "a provider's that never ended": (PROVIDER, streamed(*PIECES)),
    "a message's, never available": (UI, shown_pieces(*PIECES)),
    "a message's, invalid": (
        UI,
        [
            *shown_pieces(*PIECES),
            part("tool-input-error", toolCallId="call_1", input="{", errorText="why"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "events"), HALF.values(), ids=HALF)
def test_an_incomplete_call_is_not_emitted_but_reported(layer: Layer, events: list[Json]) -> None:
    good = call("call_2", "ls", input={})
    good |= {"type": "tool-input-available"} if layer is UI else {}
    for reason in ("stop", "tool-calls"):
        parts, ending = played([*events, good, step_over(reason), finish(reason)], layer)
        assert calls_of(parts) == [("call_2", "ls", {})]
        assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
        assert ("why" in json.dumps(events)) <= ("why" in ending["error"]["message"])
    again = [call(input=INPUT) if layer is not UI else shown(input=INPUT), finish()]
    wrong = [each for each in events if "why" in json.dumps(each)]
    assert layer is PROVIDER or played([*wrong, STEP, *again], layer)[1]["outcome"] == "completed"


THEIRS: Json = {"providerExecuted": True}
EXECUTED: dict[str, tuple[Layer, list[Json]]] = {
    "its announcement says so": (FULL_STREAM, [*ended(*PIECES, **THEIRS), call(input=INPUT)]),
    "invalid": (FULL_STREAM, [call(input="", invalid=True, error="x", **THEIRS)]),
    "a message's, invalid": (
        UI,
        [part("tool-input-error", toolCallId="call_1", input="", errorText="x", **THEIRS)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "events"), EXECUTED.values(), ids=EXECUTED)
def test_a_provider_executed_call_is_not_emitted(layer: Layer, events: list[Json]) -> None:
    parts, ending = played([*events, text("Found."), finish("tool-calls")], layer)
    assert (parts, ending) == ([{"type": "text", "value": "Found."}], STOPPED)


SAME_ID: dict[str, list[Json]] = {
    "v4": [STEP_4, *streamed_4(*PIECES), part("step-finish")] * 2,
    "no start of the step": [call(input=INPUT), step_over("tool-calls")] * 2,
    "no end of the step": [STEP, call(input=INPUT)] * 2,
    "one step": [call(input=INPUT), call(input={"path": "b.py"})],
    "no ids": [call("", input=INPUT), call("", input=INPUT)],
}


@pytest.mark.parametrize("events", SAME_ID.values(), ids=SAME_ID)
def test_two_calls_with_the_same_id_are_distinguished(events: list[Json]) -> None:
    first, second = calls_of(played([START, *events, finish("tool-calls")])[0])
    assert first[0] in ("call_1", "call")
    # One result must not answer both.
    assert second[0] == f"{first[0]}-1"


# Files, sources and data: stream-mapping § Priority 2, 3 and 5.

PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFB])
BASE64, TYPED = "iVBOR//7", {"mediaType": "image/png"}
URL = f"data:image/png;base64,{BASE64}"
FILES: dict[str, Json] = {
    "v5 to v7": part("file", file={"base64": BASE64, "mimeType": "stale/stale", **TYPED}),
    "with getters": part("file", file={"base64Data": BASE64, **TYPED}),
    "a URL that is not base64": part("file", url="data:image/png,%89PNG%FF%FB", **TYPED),
    "an array as JSON has it": part("file", file={"uint8ArrayData": dict(enumerate(PNG)), **TYPED}),
    "a Buffer": part("file", file={"uint8Array": {"data": list(PNG)}, **TYPED}),
}


def data_of(event: Json, layer: Layer = FULL_STREAM, **traits: Any) -> list[tuple[str, bytes]]:
    parts, ending = played([event, finish()], layer, **traits)
    assert ending["outcome"] == "completed"
    return [(each["mimeType"], b64decode(each["data"], validate=True)) for each in parts]


@pytest.mark.parametrize("event", FILES.values(), ids=FILES)
def test_the_bytes_of_a_file_are_emitted_with_its_media_type(event: Json) -> None:
    assert data_of(event) == [("image/png", PNG)]


@pytest.mark.parametrize(("layer", "fields"), [(PROVIDER, {"data": BASE64}), (UI, {"url": URL})])
def test_a_file_of_another_layer_is_emitted(layer: Layer, fields: Json) -> None:
    assert data_of(part("file", **fields, **TYPED), layer) == [("image/png", PNG)]


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://example.org/a.png", **TYPED},
        *({"file": file} for file in ({"base64": "%%%"}, {"uint8Array": [1, 256]}, TYPED, None)),
    ],
)
def test_a_file_without_bytes_is_not_emitted(fields: Json) -> None:
    assert data_of(part("file", **fields)) == []


ABOUT = {"url": "https://example.org/a", "title": "A"}
SOURCES: dict[str, tuple[Layer, Json]] = {
    "both": (FULL_STREAM, part("source", id="s1", sourceId="stale", **ABOUT)),
    "a provider's": (PROVIDER, part("source", sourceType="url", id="s1", **ABOUT)),
    "a message's": (UI, part("source-url", sourceId="s1", **ABOUT)),
}


@pytest.mark.parametrize(("layer", "event"), SOURCES.values(), ids=SOURCES)
def test_a_source_is_emitted_as_the_trait_says(layer: Layer, event: Json) -> None:
    assert text_of(played([text("a"), event, finish()], layer)[0]) == f"a [A]({ABOUT['url']})"
    ((type_, body),) = data_of(event, layer, annotations="data")
    assert type_ == "application/vnd.vscode.citation+json"
    assert json.loads(body) == {"type": "citation", "sourceId": "s1", **ABOUT}
    assert data_of(event, layer, annotations="hidden") == []


@pytest.mark.parametrize(
    ("value", "body"),
    [
        ({"city": "Zürich", "at": [1, None]}, b'{"city":"Z\\u00fcrich","at":[1,null]}'),
        (None, b"null"),
        ("\ud83dé", b'"\\ud83d\\u00e9"'),
    ],
)
def test_data_of_an_application_is_passed_on_as_json(value: Any, body: bytes) -> None:
    for layer in (FULL_STREAM, UI):
        event = part("data-weather", id="d1", data=value)
        assert data_of(event, layer) == [("application/vnd.vercel.weather+json", body)]


# Endings: stream-mapping § Core Lifecycle Events.

ENDINGS: list[tuple[Layer, list[Json], Json]] = [
    *((FULL_STREAM, [finish(why)], {"finish": why}) for why in ("stop", "length", "other")),
    (FULL_STREAM, [finish("content-filter")], {"finish": "content-filter"}),
    (FULL_STREAM, [finish("a_word_of_its_own")], {"finish": "other"}),
    (FULL_STREAM, [finish("tool-calls")], {"finish": "stop"}),
    (FULL_STREAM, [step_over("length"), part("finish")], {"finish": "length"}),
    (FULL_STREAM, [part("finish-step"), part("finish")], {}),
    (FULL_STREAM, [step_over(), STEP, step_over("length"), part("finish")], {"finish": "length"}),
    (PROVIDER, [finish({"unified": "length", "raw": "max_tokens"})], {"finish": "length"}),
    (PROVIDER, [finish({"raw": "length"})], {"finish": "length"}),
    (UI, [part("finish")], {}),
]  # fmt: skip


@pytest.mark.parametrize(("layer", "events", "expected"), ENDINGS)
def test_the_finish_is_from_the_upstream(layer: Layer, events: list[Json], expected: Json) -> None:
    machine = FullStream({}, layer)
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
USED: dict[str, tuple[Layer, list[Json], Any]] = {
    "the provider's names": (FULL_STREAM, [finish(usage=V3_PROVIDER)], BOTH),
    "a stale one": (FULL_STREAM, [finish(totalUsage=V6, usage={"promptTokens": 1})], BOTH),
    "two steps and their total": (
        FULL_STREAM,
        [step_over(usage=V6), STEP, step_over(usage=V6), finish(totalUsage=V6)],
        BOTH,
    ),
    "two steps without a total": (
        FULL_STREAM,
        [step_over(usage=V6), STEP, step_over(usage={"outputTokens": 22}), finish()],
        {"input": 11, "output": 44},
    ),
    "one side": (FULL_STREAM, [finish(totalUsage={"inputTokens": 11})], {"input": 11}),
    "zeros after a step": (FULL_STREAM, [step_over(usage=V6), finish(totalUsage=ZERO)], BOTH),
    "a provider's": (PROVIDER, [finish(usage=V3_PROVIDER)], BOTH),
    "a provider's, V2": (PROVIDER, [finish(usage=V6)], BOTH),
    "a message's": (UI, [finish(usage=V6, totalUsage=V6)], None),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "events", "usage"), USED.values(), ids=USED)
def test_usage_is_reported_once_as_the_upstream_counted_it(
    layer: Layer, events: list[Json], usage: Any
) -> None:
    assert played(events, layer)[1].get("usage") == usage


# Errors are parts: stream-mapping § Stream Error Chunk Schema Mismatch.

BUSY = {"message": "overloaded", "code": "busy"}
OVERLOADED = {"message": "overloaded"}
ERRORS: dict[str, tuple[Json, Json]] = {
    "a string": (part("error", error="overloaded", errorText="overloaded"), OVERLOADED),
    "an Error": (part("error", error={"name": "AI_APICallError", **OVERLOADED}), OVERLOADED),
    "a number": (part("error", error={**OVERLOADED, "code": 529}), {**OVERLOADED, "code": "529"}),
    "an APICallError as JSON": (part("error", error={"data": {"error": BUSY}}), BUSY),
    "a cause": (part("error", error={"message": "", "cause": BUSY}), BUSY),
    "a retry": (part("error", error={**OVERLOADED, "lastError": {"code": "busy"}}), BUSY),
    "a name": (part("error", error={"name": "overloaded"}), OVERLOADED),
    "a list": (part("error", error=["é"]), {"message": '["é"]'}),
    "nothing": (part("error"), {"message": "the upstream failed and gave no reason"}),
}  # fmt: skip


@pytest.mark.parametrize(("error", "expected"), ERRORS.values(), ids=ERRORS)
def test_an_error_has_the_message_and_code_of_what_was_thrown(error: Json, expected: Json) -> None:
    reported = {"kind": "upstream", **expected}
    failed = {"type": "done", "outcome": "failed", "error": reported}
    parts, ending = played([text("a"), error, text("b"), finish()])
    assert (text_of(parts), ending) == ("a", failed)
    parts, ending = played([text("a"), error, text("b"), error, finish("error")], PROVIDER)
    assert (text_of(parts), ending) == ("ab", failed)
    parts, ending = played([text("a"), error], errors="text")
    assert text_of(parts) == f"a\n\n**Error:** {expected['message']}\n\n"
    assert ending == {"type": "done", "outcome": "completed", "finish": "error"}


def test_a_message_goes_on_after_an_error_which_counts_as_an_ending() -> None:
    machine = FullStream({}, UI)
    before = machine.grace_seconds
    machine.event(part("error", errorText="overloaded"))
    assert (before, machine.ended, machine.grace_seconds) == (None, False, 1.0)
    assert text_of(machine.event(text("b"))) == "b"
    machine.close()
    assert machine.end()["error"] == {"kind": "upstream", "message": "overloaded"}
