"""Provider parts and UI messages are converted to VS Code parts as full streams are.

The content of a part is the same in all; each layer has its own field names (@ai-sdk/provider,
LanguageModelV2StreamPart to V4; ai, UIMessageChunk).
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest

from conformance.dialects.vercel.reference.fields import PROVIDER, UI, Layer
from conformance.dialects.vercel.reference.machine import FullStream
from tests.reference.fullstreams import Json, calls_of, part, played, text_of, thoughts_of

INPUT = {"path": "a.py"}
ARGUMENTS = '{"path":"a.py"}'
MADE = ("call_1", "read_file", INPUT)
CALLED = {"toolCallId": "call_1", "toolName": "read_file"}


def text_delta(value: str, id_: str = "t1") -> Json:
    return part("text-delta", id=id_, delta=value)


def ends(reason: str = "stop", **fields: Any) -> Json:
    return part("finish", finishReason={"unified": reason, "raw": reason}, **fields)


def message_ends(reason: str = "stop") -> list[Json]:
    return [part("finish-step"), part("finish", finishReason=reason)]


def provided(*events: Json, **traits: Any) -> tuple[list[Json], Json]:
    return played(list(events), PROVIDER, **traits)


def shown(*events: Json, **traits: Any) -> tuple[list[Json], Json]:
    return played([part("start"), part("start-step"), *events], UI, **traits)


def ended(layer: Layer, reason: str = "stop") -> list[Json]:
    return [ends(reason)] if layer is PROVIDER else message_ends(reason)


LAYERS = pytest.mark.parametrize("layer", [PROVIDER, UI], ids=["provider", "ui"])

# Text and reasoning


@LAYERS
def test_text_and_reasoning_grow_by_their_delta(layer: Layer) -> None:
    sealed = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}
    events = [
        part("reasoning-start", id="r1"),
        part("reasoning-delta", id="r1", delta="Hm."),
        part("reasoning-end", id="r1", providerMetadata=sealed),
        part("text-start", id="t1"),
        text_delta("Let me "),
        text_delta("look."),
        part("text-end", id="t1"),
    ]
    parts, ending = played([*events, *ended(layer)], layer)
    assert text_of(parts) == "Let me look."
    assert thoughts_of(parts) == [
        {"type": "thinking", "value": "Hm.", "id": "r1"},
        {"type": "thinking", "value": "", "id": "r1", "metadata": {"providerMetadata": sealed}},
    ]
    assert ending == {"type": "done", "outcome": "completed", "finish": "stop"}


STALE_WORDS = (
    part("text-delta", id="t1", text="Hi"),
    part("text-delta", textDelta="Hi"),
    part("text-delta", id="t1", delta=None),
    part("reasoning-delta", id="r1", text="Hm"),
)
STALE = [(layer, event) for layer in (PROVIDER, UI) for event in STALE_WORDS]
STALE += [
    (PROVIDER, part("tool-call", **CALLED, args=INPUT)),
    (UI, part("tool-input-available", **CALLED, args=INPUT)),
]


@pytest.mark.parametrize(("layer", "event"), STALE)
def test_a_field_of_another_layer_is_not_read_and_reported_as_an_error(
    layer: Layer, event: Json
) -> None:
    parts, ending = played([text_delta("a"), event, text_delta("b"), *ended(layer)], layer)
    assert parts == [{"type": "text", "value": "a"}, {"type": "text", "value": "b"}]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
    assert event["type"] in ending["error"]["message"]


@LAYERS
def test_field_names_of_other_layers_beside_the_right_ones_are_ignored(layer: Layer) -> None:
    both = part("text-delta", id="t1", delta="Hi", text="stale", textDelta="stale")
    empty = part("text-delta", id="t1", delta="", text="stale")
    parts, ending = played([both, empty, *ended(layer)], layer)
    assert (text_of(parts), ending["outcome"]) == ("Hi", "completed")


SILENT: dict[str, tuple[Layer, Json]] = {
    "stream-start": (PROVIDER, part("stream-start", warnings=[{"type": "other", "message": "w"}])),
    "response-metadata": (PROVIDER, part("response-metadata", id="r", modelId="m")),
    "tool-result": (PROVIDER, part("tool-result", **CALLED, result="text", preliminary=True)),
    "tool-approval-request": (PROVIDER, part("tool-approval-request", approvalId="a")),
    "raw": (PROVIDER, part("raw", rawValue={"delta": "raw"})),
    "reasoning-file": (PROVIDER, part("reasoning-file", mediaType="a/b", data="aGk=")),
    "a part of full streams": (PROVIDER, part("text", text="text", delta="text")),
    "a part of messages": (PROVIDER, part("data-weather", data={"text": "text"})),
    "tool-output-available": (UI, part("tool-output-available", toolCallId="c", output="text")),
    "tool-output-error": (UI, part("tool-output-error", toolCallId="c", errorText="text")),
    "tool-output-denied": (UI, part("tool-output-denied", toolCallId="c")),
    "message-metadata": (UI, part("message-metadata", messageMetadata={"text": "text"})),
    "finish-step": (UI, part("finish-step")),
    "custom": (UI, part("custom", kind="x.y", delta="text")),
    "steering-message": (UI, part("steering-message", id="s", parts=[{"text": "text"}])),
    "a part of the provider": (UI, part("source", sourceType="url", id="s", url="https://a.org")),
    "unknown": (UI, part("future-chunk", delta="text")),
}


@pytest.mark.parametrize(("layer", "event"), SILENT.values(), ids=SILENT.keys())
def test_a_part_without_content_of_the_layer_emits_nothing(layer: Layer, event: Json) -> None:
    parts, ending = played([text_delta("a"), event, text_delta("b"), *ended(layer)], layer)
    assert parts == [{"type": "text", "value": "a"}, {"type": "text", "value": "b"}]
    assert (ending["outcome"], ending["finish"]) == ("completed", "stop")


# Calls: a provider sends their input as JSON text, a message as an object.

STREAMED = [
    part("tool-input-start", id="call_1", toolName="read_file"),
    part("tool-input-delta", id="call_1", delta='{"path":'),
    part("tool-input-delta", id="call_1", delta='"a.py"}'),
]
SHOWN = [
    part("tool-input-start", **CALLED),
    part("tool-input-delta", toolCallId="call_1", inputTextDelta='{"path":'),
    part("tool-input-delta", toolCallId="call_1", inputTextDelta='"a.py"}'),
]

ONCE: dict[str, tuple[Layer, list[Json]]] = {
    "a provider's": (
        PROVIDER,
        [
            *STREAMED,
            part("tool-input-end", id="call_1"),
            part("tool-call", **CALLED, input=ARGUMENTS),
        ],
    ),
    "a provider's, at once": (PROVIDER, [part("tool-call", **CALLED, input=ARGUMENTS)]),
    "a provider's, twice": (PROVIDER, [part("tool-call", **CALLED, input=ARGUMENTS)] * 2),
    "a message's": (UI, [*SHOWN, part("tool-input-available", **CALLED, input=INPUT)]),
    "a message's, at once": (UI, [part("tool-input-available", **CALLED, input=INPUT)]),
    "a message's, dynamic": (
        UI,
        [*SHOWN, part("tool-input-available", **CALLED, input=INPUT, dynamic=True)],
    ),
}


@pytest.mark.parametrize(("layer", "events"), ONCE.values(), ids=ONCE.keys())
def test_a_call_is_emitted_once_with_an_object(layer: Layer, events: list[Json]) -> None:
    parts, ending = played([*events, *ended(layer, "tool-calls")], layer)
    assert calls_of(parts) == [MADE]
    assert (ending["outcome"], ending["finish"]) == ("completed", "tool-calls")


@pytest.mark.parametrize("arguments", ["", " ", "{}"])
def test_a_provider_may_send_an_empty_input_as_empty_text(arguments: str) -> None:
    parts, _ = provided(part("tool-call", **CALLED, input=arguments), ends("tool-calls"))
    assert calls_of(parts) == [("call_1", "read_file", {})]


NO_CALLS: dict[str, tuple[Layer, list[Json]]] = {
    "no JSON": (PROVIDER, [part("tool-call", **CALLED, input='{"path":"a.py",}')]),
    "no object": (PROVIDER, [part("tool-call", **CALLED, input="[1,2]")]),
    "no input, after its pieces": (PROVIDER, [*STREAMED, part("tool-call", **CALLED)]),
    "never ended": (PROVIDER, STREAMED),
    "a message's, invalid": (
        UI,
        [part("tool-input-error", **CALLED, input='{"path":', errorText="no JSON")],
    ),
    "a message's, invalid and answered as ai 5 has it": (
        UI,
        [
            part("tool-input-error", **CALLED, input=ARGUMENTS, dynamic=True, errorText="no tool"),
            part("tool-output-error", toolCallId="call_1", errorText="no tool"),
        ],
    ),
    "a message's, no object": (UI, [part("tool-input-available", **CALLED, input=[1, 2])]),
    "a message's, never available": (UI, SHOWN),
}


@pytest.mark.parametrize(("layer", "events"), NO_CALLS.values(), ids=NO_CALLS.keys())
def test_an_incomplete_call_fails_the_run_and_the_other_calls_are_kept(
    layer: Layer, events: list[Json]
) -> None:
    whole = {PROVIDER: ("tool-call", "{}"), UI: ("tool-input-available", {})}[layer]
    good = part(whole[0], toolCallId="call_2", toolName="list_dir", input=whole[1])
    parts, ending = played([*events, good, *ended(layer, "tool-calls")], layer)
    assert calls_of(parts) == [("call_2", "list_dir", {})]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")


@pytest.mark.parametrize("reason", ["length", "content-filter"])
@pytest.mark.parametrize(("layer", "half"), [(PROVIDER, STREAMED), (UI, SHOWN)])
def test_a_call_that_was_cut_off_with_the_answer_is_not_emitted(
    layer: Layer, half: list[Json], reason: str
) -> None:
    parts, ending = played([text_delta("a"), *half, *ended(layer, reason)], layer)
    assert (calls_of(parts), ending["outcome"], ending["finish"]) == ([], "completed", reason)


THEIRS: dict[str, tuple[Layer, list[Json]]] = {
    "a provider's": (
        PROVIDER,
        [
            part("tool-call", **CALLED, input=ARGUMENTS, providerExecuted=True),
            part("tool-result", **CALLED, result={"found": 1}),
        ],
    ),
    "a message's": (
        UI,
        [
            part("tool-input-available", **CALLED, input=INPUT, providerExecuted=True),
            part("tool-output-available", toolCallId="call_1", output=1, providerExecuted=True),
        ],
    ),
    "a message's, invalid": (
        UI,
        [part("tool-input-error", **CALLED, input="", errorText="x", providerExecuted=True)],
    ),
}


@pytest.mark.parametrize(("layer", "events"), THEIRS.values(), ids=THEIRS.keys())
def test_a_provider_executed_call_is_not_emitted(layer: Layer, events: list[Json]) -> None:
    parts, ending = played([*events, text_delta("Found."), *ended(layer)], layer)
    assert parts == [{"type": "text", "value": "Found."}]
    assert (ending["outcome"], ending["finish"]) == ("completed", "stop")


def test_the_same_id_in_another_step_of_a_message_is_another_call() -> None:
    step = [
        part("start-step"),
        part("tool-input-available", **CALLED, input=INPUT),
        part("finish-step"),
    ]
    first, second = calls_of(shown(*step, *step, part("finish", finishReason="tool-calls"))[0])
    assert first == MADE
    assert second[0] != "call_1"


# Endings


@LAYERS
def test_a_stream_without_a_finish_is_truncated(layer: Layer) -> None:
    parts, ending = played([text_delta("a"), part("finish-step")], layer)
    assert (text_of(parts), ending["error"]["kind"]) == ("a", "truncated")


USED: dict[str, tuple[Json, Any]] = {
    "V3 and V4": (
        {"inputTokens": {"total": 11, "noCache": 4}, "outputTokens": {"total": 22, "text": 2}},
        {"input": 11, "output": 22},
    ),
    "V2": ({"inputTokens": 11, "outputTokens": 22, "totalTokens": 33}, {"input": 11, "output": 22}),
    "one side": ({"inputTokens": {"total": 11}, "outputTokens": {}}, {"input": 11}),
    "nothing known": ({"inputTokens": {}, "outputTokens": {}}, None),
}


@pytest.mark.parametrize(("usage", "expected"), USED.values(), ids=USED.keys())
def test_a_provider_reports_usage_with_its_finish(usage: Json, expected: Any) -> None:
    assert provided(text_delta("a"), ends(usage=usage))[1].get("usage") == expected


def test_a_message_reports_no_usage() -> None:
    counted = {"inputTokens": 11, "outputTokens": 22}
    finish = part("finish", finishReason="stop", usage=counted, totalUsage=counted)
    assert "usage" not in shown(text_delta("a"), finish)[1]


REASONS = {
    "V3 and V4": {"unified": "length", "raw": "max_tokens"},
    "V2": "length",
}


@pytest.mark.parametrize("reason", REASONS.values(), ids=REASONS.keys())
def test_the_reason_of_a_provider_is_an_object_or_a_string(reason: Any) -> None:
    assert provided(text_delta("a"), part("finish", finishReason=reason))[1]["finish"] == "length"


def test_a_message_may_end_without_a_reason() -> None:
    assert shown(text_delta("a"), part("finish"))[1] == {"type": "done", "outcome": "completed"}


def test_an_aborted_message_is_a_failure() -> None:
    parts, ending = shown(text_delta("a"), part("abort", reason="the user left"))
    assert (text_of(parts), ending["error"]["kind"]) == ("a", "upstream")
    assert "the user left" in ending["error"]["message"]


# Errors: parts like any other, after which the stream goes on.

ERRORS: dict[str, tuple[Layer, Json, Json]] = {
    "a provider's": (
        PROVIDER,
        part("error", error={"message": "overloaded", "code": "busy"}),
        {"kind": "upstream", "message": "overloaded", "code": "busy"},
    ),
    "a provider's, nested": (
        PROVIDER,
        part("error", error={"type": "error", "error": {"message": "overloaded"}}),
        {"kind": "upstream", "message": "overloaded"},
    ),
    "a provider's string": (
        PROVIDER,
        part("error", error="overloaded"),
        {"kind": "upstream", "message": "overloaded"},
    ),
    "a message's": (
        UI,
        part("error", errorText="overloaded"),
        {"kind": "upstream", "message": "overloaded"},
    ),
}


@pytest.mark.parametrize("reason", ["error", "stop"])
@pytest.mark.parametrize(("layer", "error", "expected"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_fails_the_run_once_and_the_content_after_it_is_read(
    layer: Layer, error: Json, expected: Json, reason: str
) -> None:
    second = part("error", error="second", errorText="second")
    parts, ending = played(
        [text_delta("a"), error, text_delta("b"), second, *ended(layer, reason)], layer
    )
    assert text_of(parts) == "ab"
    assert ending == {"type": "done", "outcome": "failed", "error": expected}


@pytest.mark.parametrize(("layer", "error", "expected"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_counts_as_an_ending(layer: Layer, error: Json, expected: Json) -> None:
    machine = FullStream({}, layer)
    before = machine.grace_seconds
    machine.event(error)
    assert (before, machine.ended, machine.grace_seconds) == (None, False, 1.0)
    machine.close()
    assert machine.end()["error"] == expected


@LAYERS
def test_a_streamed_call_is_not_emitted_after_an_error(layer: Layer) -> None:
    pieces = [*STREAMED, part("tool-input-end", id="call_1")] if layer is PROVIDER else SHOWN
    error = part("error", error="no", errorText="no")
    assert calls_of(played([*pieces, error, *ended(layer)], layer)[0]) == []


# Files, sources and data

PNG = bytes([0x89, 0x50, 0x4E, 0x47, 0xFF, 0xFB])
BASE64 = "iVBOR//7"
URL = f"data:image/png;base64,{BASE64}"

FILES: dict[str, tuple[Layer, Json]] = {
    "V2 and V3": (PROVIDER, part("file", data=BASE64, mediaType="image/png")),
    "V4": (PROVIDER, part("file", data={"type": "data", "data": BASE64}, mediaType="image/png")),
    "V4, a URL": (PROVIDER, part("file", data={"type": "url", "url": URL}, mediaType="image/png")),
    "a message's": (UI, part("file", url=URL, mediaType="image/png")),
}


@pytest.mark.parametrize(("layer", "event"), FILES.values(), ids=FILES.keys())
def test_the_bytes_of_a_file_are_emitted(layer: Layer, event: Json) -> None:
    (file,) = played([event, *ended(layer)], layer)[0]
    assert (file["mimeType"], b64decode(file["data"])) == ("image/png", PNG)


ABOUT = {"url": "https://example.org/a", "title": "A"}
SOURCES: dict[str, tuple[Layer, Json]] = {
    "a provider's": (PROVIDER, part("source", sourceType="url", id="s1", **ABOUT)),
    "a message's": (UI, part("source-url", sourceId="s1", **ABOUT)),
}


@pytest.mark.parametrize(("layer", "event"), SOURCES.values(), ids=SOURCES.keys())
def test_a_source_is_emitted_as_the_trait_says(layer: Layer, event: Json) -> None:
    (link,) = played([event, *ended(layer)], layer)[0]
    assert link == {"type": "text", "value": " [A](https://example.org/a)"}
    (cited,) = played([event, *ended(layer)], layer, annotations="data")[0]
    assert json.loads(b64decode(cited["data"])) == {"type": "citation", "sourceId": "s1", **ABOUT}


def test_data_of_an_application_is_passed_on_in_a_message() -> None:
    (data_part,) = shown(part("data-weather", id="d1", data={"city": "Oslo"}), *message_ends())[0]
    assert data_part["mimeType"] == "application/vnd.vercel.weather+json"
    assert json.loads(b64decode(data_part["data"])) == {"city": "Oslo"}
