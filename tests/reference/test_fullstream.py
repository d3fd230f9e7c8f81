"""Full streams are converted to VS Code parts: text, reasoning, endings, usage and errors."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.dialects.vercel.reference.machine import FullStream
from tests.reference.fullstreams import (
    START,
    STEP,
    STEP_4,
    Json,
    call,
    finish,
    part,
    played,
    step_over,
    streamed,
    text,
    text_of,
    thoughts_of,
)

# Text: stream-mapping § Stream Chunk Schema Mismatch; the field names of ai 4 to 7.

TEXTS: dict[str, Json] = {
    "v5 to v7": part("text-delta", id="t1", text="Hi"),
    "v4": part("text-delta", textDelta="Hi"),
    "the provider's layer": part("text-delta", id="t1", delta="Hi"),
    "the SDK's reference page": part("text", text="Hi"),
    "v6 beside a stale field": part("text-delta", id="t1", text="Hi", textDelta="stale"),
    "the seed's, both alike": part("text-delta", text="Hi", textDelta="Hi"),
}


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS.keys())
def test_text_is_read_in_every_generation_and_emitted_once(said: Json) -> None:
    parts, ending = played([said, finish()])
    assert parts == [{"type": "text", "value": "Hi"}]
    assert ending == {"type": "done", "outcome": "completed", "finish": "stop"}


def test_text_is_emitted_as_it_comes_and_blank_text_is_text() -> None:
    machine = FullStream()
    said = [machine.event(text(value)) for value in ("a", "", " \n", "b")]
    assert [text_of(parts) for parts in said] == ["a", "", " \n", "b"]


def test_a_character_cut_between_deltas_is_completed_in_its_own_block() -> None:
    cut = [text("\ud83d", "a"), text("und ", "b"), text("\ude00", "a"), text("Ende", "b")]
    assert text_of(played([*cut, finish()])[0]) == "und 😀Ende"


def test_a_lone_surrogate_at_the_end_of_a_block_is_not_joined_with_the_next_block() -> None:
    reused = [text("a\ud83d"), part("text-end", id="t1"), part("text-start", id="t1"), text("b")]
    assert text_of(played([*reused, finish()])[0]) == "ab"


UNFRAMED: dict[str, list[Json]] = {
    "no start": [text("ab"), part("text-end", id="t1")],
    "no end": [part("text-start", id="t1"), text("ab")],
    "an end of another block": [part("text-start", id="t1"), text("ab"), part("text-end", id="x")],
    "an empty block": [part("text-start", id="t1"), part("text-end", id="t1"), text("ab", "t2")],
    "an id for each delta": [text("a", "0"), text("b", "1")],
    "no ids": [part("text-delta", text="a"), part("text-delta", text="b")],
}


@pytest.mark.parametrize("events", UNFRAMED.values(), ids=UNFRAMED.keys())
def test_text_is_kept_although_its_block_is_framed_wrongly(events: list[Json]) -> None:
    parts, ending = played([START, STEP, *events, finish()])
    assert (text_of(parts), ending["outcome"]) == ("ab", "completed")


# Parts that frame the answer add nothing to it: stream-mapping § The Whitespace Bug.

SILENT: dict[str, Json] = {
    "start": START,
    "start-step": {**STEP, "request": {}, "warnings": []},
    "step-start": STEP_4,
    "text-start": part("text-start", id="t1"),
    "text-end": part("text-end", id="t1"),
    "reasoning-start": part("reasoning-start", id="r1"),
    "reasoning-end": part("reasoning-end", id="r1"),
    "reasoning-part-finish": part("reasoning-part-finish"),
    "tool-result": part("tool-result", toolCallId="c", toolName="n", input={}, output="text"),
    "tool-result of v4": part("tool-result", toolCallId="c", toolName="n", args={}, result="t"),
    "a preliminary tool-result": part("tool-result", toolCallId="c", output="t", preliminary=True),
    "tool-error": part("tool-error", toolCallId="c", toolName="n", input={}, error="text"),
    "tool-approval-request": part("tool-approval-request", approvalId="a", toolCallId="c"),
    "tool-approval-response": part("tool-approval-response", approvalId="a", approved=False),
    "tool-output-denied": part("tool-output-denied", toolCallId="c"),
    "raw": part("raw", rawValue={"text": "raw", "error": "raw"}),
    "finish-step": step_over(usage={}, response={"id": "r"}),
    "step-finish": part("step-finish", finishReason="stop", isContinued=False),
    "of v7: custom": part("custom", kind="x.y", text="text"),
    "of v7: ping": part("ping"),
    "of v7: steering-message": part("steering-message", id="s", parts=[{"text": "text"}]),
    "of v7: reasoning-file": part("reasoning-file", file={"base64": "aGk=", "mediaType": "a/b"}),
    "of the UI: message-metadata": part("message-metadata", messageMetadata={"text": "text"}),
    "unknown": part("future-part", text="text", delta="text"),
    "a type that is not a string": {"type": ["text-delta"], "text": "text"},
    "no type": {"text": "text"},
}


@pytest.mark.parametrize("event", SILENT.values(), ids=SILENT.keys())
def test_a_part_without_content_emits_nothing(event: Json) -> None:
    parts, ending = played([text("a"), event, text("b"), event, finish()])
    assert parts == [{"type": "text", "value": "a"}, {"type": "text", "value": "b"}]
    assert (ending["outcome"], ending["finish"]) == ("completed", "stop")


# Reasoning: stream-mapping § Reasoning Handler Type Signature Mismatch, § Version Compatibility.

THOUGHTS: dict[str, Json] = {
    "v5 to v7": part("reasoning-delta", id="r1", text="Hm"),
    "the seed's": part("reasoning-delta", id="r1", delta="Hm"),
    "v4": part("reasoning", textDelta="Hm"),
    "the SDK's reference page": part("reasoning", text="Hm"),
    "v6 beside a stale field": part("reasoning-delta", id="r1", text="Hm", delta="stale"),
}


@pytest.mark.parametrize("block", THOUGHTS.values(), ids=THOUGHTS.keys())
def test_reasoning_is_read_in_every_generation_and_emitted_as_the_trait_says(block: Json) -> None:
    routed = {
        route: played([block, text("So."), finish()], reasoning=route)[0]
        for route in ("thinking", "text", "hidden")
    }
    assert [each["value"] for each in thoughts_of(routed["thinking"])] == ["Hm"]
    assert text_of(routed["thinking"]) == "So."
    assert routed["text"] == [
        {"type": "text", "value": "Hm"},
        {"type": "text", "value": "So."},
    ]
    assert routed["hidden"] == [{"type": "text", "value": "So."}]


META = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "gAAA"}}


def test_provider_metadata_of_reasoning_is_kept_beside_it() -> None:
    parts, _ = played(
        [
            part("reasoning-start", id="r1", providerMetadata={"openai": {"itemId": "rs_1"}}),
            part("reasoning-delta", id="r1", text="Hm"),
            part("reasoning-end", id="r1", providerMetadata=META),
            finish(),
        ]
    )
    begun = {"providerMetadata": {"openai": {"itemId": "rs_1"}}}
    assert parts == [
        {"type": "thinking", "value": "Hm", "id": "r1", "metadata": begun},
        {"type": "thinking", "value": "", "id": "r1", "metadata": {"providerMetadata": META}},
    ]


SIGNED = {"anthropic": {"signature": "sig"}}

ENCRYPTED: dict[str, tuple[list[Json], Json]] = {
    "a signature in a delta without text": (
        [part("reasoning-delta", id="r1", text="", providerMetadata=SIGNED)],
        {"providerMetadata": SIGNED},
    ),
    "a block without text": (
        [
            part("reasoning-start", id="r1", providerMetadata=SIGNED),
            part("reasoning-end", id="r1"),
        ],
        {"providerMetadata": SIGNED},
    ),
    "v4: a signature": (
        [part("reasoning-signature", signature="sig")],
        {"providerMetadata": SIGNED},
    ),
    "v4: redacted": (
        [part("redacted-reasoning", data="ZGF0YQ==")],
        {"providerMetadata": {"anthropic": {"redactedData": "ZGF0YQ=="}}},
    ),
}


@pytest.mark.parametrize(("events", "metadata"), ENCRYPTED.values(), ids=ENCRYPTED.keys())
def test_metadata_without_reasoning_text_is_a_part_without_text(
    events: list[Json], metadata: Json
) -> None:
    (sealed,) = played([*events, finish()])[0]
    assert (sealed["type"], sealed["value"], sealed["metadata"]) == ("thinking", "", metadata)


@pytest.mark.parametrize("route", ["text", "hidden"])
def test_metadata_is_not_emitted_as_text(route: str) -> None:
    events = [event for events, _ in ENCRYPTED.values() for event in events]
    assert played([*events, finish()], reasoning=route)[0] == []


def test_a_reasoning_block_without_text_emits_nothing() -> None:
    block = [part("reasoning-start", id="r1"), part("reasoning-delta", id="r1", text="")]
    assert played([*block, part("reasoning-end", id="r1"), finish()])[0] == []


def test_the_same_ids_in_another_step_are_other_reasoning_blocks() -> None:
    step = [
        STEP,
        part("reasoning-start", id="reasoning-0"),
        part("reasoning-delta", id="reasoning-0", text="Hm"),
        part("reasoning-end", id="reasoning-0"),
        text("So.", "txt-0"),
        step_over(),
    ]
    parts, ending = played([START, *step, *step, finish()])
    assert [each["type"] for each in parts] == ["thinking", "text"] * 2
    assert len({each["id"] for each in thoughts_of(parts)}) == 2
    assert ending["outcome"] == "completed"


# Endings: stream-mapping § Core Lifecycle Events.

FINISHES = {
    "stop": "stop",
    "length": "length",
    "content-filter": "content-filter",
    "other": "other",
    "unknown": "other",
    "a_word_of_its_own": "other",
}


@pytest.mark.parametrize(("reason", "finished"), FINISHES.items(), ids=FINISHES.keys())
def test_the_finish_is_that_of_the_upstream(reason: str, finished: str) -> None:
    parts, ending = played([text("a"), step_over(reason), finish(reason)])
    assert (text_of(parts), ending["outcome"], ending["finish"]) == ("a", "completed", finished)


@pytest.mark.parametrize("reason", ["stop", "tool-calls"])
def test_the_finish_is_tool_calls_only_if_the_host_has_calls_to_make(reason: str) -> None:
    made = [call(input={}), step_over(reason), finish(reason)]
    theirs = [call(input={}, providerExecuted=True), step_over(reason), finish(reason)]
    assert played(made)[1]["finish"] == "tool-calls"
    assert played(theirs)[1]["finish"] == "stop"


def test_a_finish_without_a_reason_has_the_reason_of_its_last_step() -> None:
    events = [text("a"), step_over("length"), part("finish")]
    assert played(events)[1]["finish"] == "length"


def test_a_missing_reason_is_not_reported() -> None:
    ending = played([text("a"), part("finish-step"), part("finish")])[1]
    assert ending == {"type": "done", "outcome": "completed"}


def test_the_content_of_two_steps_is_emitted_and_the_last_finish_is_reported() -> None:
    steps = [STEP, text("a"), step_over("tool-calls"), STEP, text("b"), step_over("length")]
    parts, ending = played([START, *steps, finish("length")])
    assert (text_of(parts), ending["finish"]) == ("ab", "length")


def test_parts_after_the_finish_are_ignored() -> None:
    machine = FullStream()
    machine.event(finish())
    assert machine.ended
    assert machine.event(text("b")) == machine.event(part("data-x", data=1)) == []
    machine.fail("transport", "reset")
    assert machine.end()["outcome"] == "completed"


TRUNCATED: dict[str, list[Json]] = {
    "nothing": [],
    "start alone": [START],
    "text": [START, STEP, text("a")],
    "a step that is over": [START, STEP, text("a"), step_over()],
}


@pytest.mark.parametrize("events", TRUNCATED.values(), ids=TRUNCATED.keys())
def test_a_stream_without_a_finish_is_truncated(events: list[Json]) -> None:
    parts, ending = played(events)
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "truncated")
    assert text_of(parts) == "".join(each.get("text", "") for each in events)


def test_the_first_failure_is_reported() -> None:
    machine = FullStream()
    machine.fail("transport", "reset", "ECONNRESET")
    machine.fail("decode", "no JSON")
    assert machine.end()["error"] == {
        "kind": "transport",
        "message": "reset",
        "code": "ECONNRESET",
    }


@pytest.mark.parametrize("traits", [{"reasoning": "loud"}, {"errors": "x"}, {"annotations": ""}])
def test_an_unknown_value_of_a_trait_is_refused(traits: Json) -> None:
    with pytest.raises(ValueError, match="is none of"):
        FullStream(traits)


# Usage: stream-mapping § Data Available from Vercel AI SDK; those of the generations.

V6 = {"inputTokens": 11, "outputTokens": 22, "totalTokens": 33}
V4 = {"promptTokens": 11, "completionTokens": 22, "totalTokens": 33}
V3_PROVIDER = {"inputTokens": {"total": 11, "noCache": 11}, "outputTokens": {"total": 22}}
NONE_OF_IT = {"inputTokens": None, "outputTokens": None, "totalTokens": None}
ZERO = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
BOTH = {"input": 11, "output": 22}

USED: dict[str, tuple[list[Json], Any]] = {
    "v5 to v7": ([step_over(usage=V6), finish(totalUsage=V6)], BOTH),
    "v4": ([part("step-finish", finishReason="stop", usage=V4), finish(usage=V4)], BOTH),
    "the seed's": ([step_over(usage=V6), finish(usage=V6)], BOTH),
    "the provider's layer": ([finish(usage=V3_PROVIDER)], BOTH),
    "a stale one beside it": ([finish(totalUsage=V6, usage={"promptTokens": 1})], BOTH),
    "the total alone": ([finish(totalUsage=V6)], BOTH),
    "a step alone": ([step_over(usage=V6), finish()], BOTH),
    "two steps and their total": (
        [step_over(usage=V6), STEP, step_over(usage=V6), finish(totalUsage=V6)],
        BOTH,
    ),
    "two steps without a total": (
        [step_over(usage=V6), STEP, step_over(usage=V6), finish()],
        {"input": 22, "output": 44},
    ),
    "one side": ([finish(totalUsage={"inputTokens": 11, "outputTokens": None})], {"input": 11}),
    "zeros after a step": ([step_over(usage=V6), finish(totalUsage=ZERO)], BOTH),
    "nothing known": ([step_over(usage=NONE_OF_IT), finish(totalUsage=NONE_OF_IT)], None),
    "zeros": ([step_over(usage=ZERO), finish(totalUsage=ZERO)], None),
    "none": ([finish()], None),
}


@pytest.mark.parametrize(("events", "usage"), USED.values(), ids=USED.keys())
def test_usage_is_reported_once_as_the_upstream_counted_it(events: list[Json], usage: Any) -> None:
    assert played(events)[1].get("usage") == usage


# Errors are parts: stream-mapping § Stream Error Chunk Schema Mismatch.

ERRORS: dict[str, tuple[Json, Json]] = {
    "a string": (part("error", error="overloaded"), {"message": "overloaded"}),
    "an Error": (
        part("error", error={"name": "AI_APICallError", "message": "overloaded"}),
        {"message": "overloaded"},
    ),
    "a code beside it": (
        part("error", error={"message": "overloaded", "code": "busy"}),
        {"message": "overloaded", "code": "busy"},
    ),
    "a number for a code": (
        part("error", error={"message": "overloaded", "code": 529}),
        {"message": "overloaded", "code": "529"},
    ),
    "the provider's body": (
        part("error", error={"type": "error", "error": {"message": "overloaded", "code": "busy"}}),
        {"message": "overloaded", "code": "busy"},
    ),
    "an APICallError as JSON": (
        part("error", error={"statusCode": 529, "data": {"error": {"message": "overloaded"}}}),
        {"message": "overloaded"},
    ),
    "an Error around the provider's body": (
        part("error", error={"message": "overloaded", "data": {"error": {"code": "busy"}}}),
        {"message": "overloaded", "code": "busy"},
    ),
    "a RetryError": (
        part("error", error={"name": "AI_RetryError", "lastError": {"message": "overloaded"}}),
        {"message": "overloaded"},
    ),
    "the UI's field": (part("error", errorText="overloaded"), {"message": "overloaded"}),
    "a stale field beside it": (
        part("error", error="overloaded", errorText="stale"),
        {"message": "overloaded"},
    ),
    "flat": ({"type": "error", "error": {"detail": "overloaded"}}, {"message": "overloaded"}),
    "a name alone": (part("error", error={"name": "AbortError"}), {"message": "AbortError"}),
    "a number": (part("error", error=529), {"message": "529"}),
    "null": (part("error", error=None), {}),
    "an empty object": (part("error", error={}), {}),
    "nothing": (part("error"), {}),
}


@pytest.mark.parametrize(("event", "expected"), ERRORS.values(), ids=ERRORS.keys())
def test_an_error_in_any_shape_is_one_failure_with_its_own_message(
    event: Json, expected: Json
) -> None:
    parts, ending = played([START, event])
    assert (parts, ending["outcome"], ending["error"]["kind"]) == ([], "failed", "upstream")
    assert ending["error"].items() >= expected.items()
    assert ending["error"]["message"]
    assert "object" not in ending["error"]["message"]


def test_an_error_ends_the_answer_whatever_follows() -> None:
    machine = FullStream()
    said = [machine.event(each) for each in (text("a"), part("error", error="no"), text("b"))]
    assert [text_of(parts) for parts in said] == ["a", "", ""]
    assert machine.ended
    machine.event(finish("stop"))
    assert machine.end() == {
        "type": "done",
        "outcome": "failed",
        "error": {"kind": "upstream", "message": "no"},
    }


def test_an_error_is_reported_once_as_text_if_the_trait_says_so() -> None:
    parts, ending = played([text("a"), part("error", error="overloaded")], errors="text")
    assert text_of(parts).startswith("a")
    assert text_of(parts).count("overloaded") == 1
    assert (ending["outcome"], ending["finish"]) == ("completed", "error")


@pytest.mark.parametrize("reason", ["error", "interrupted"])
def test_a_finish_with_error_is_a_failure_without_an_error_part(reason: str) -> None:
    ending = played([text("a"), step_over(reason), finish(reason)])[1]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "upstream")


ABORTS: dict[str, tuple[Json, str]] = {
    "v5": (part("abort"), "aborted"),
    "v6": (part("abort", reason="the user left"), "the user left"),
    "an Error for a reason": (part("abort", reason={"message": "time is up"}), "time is up"),
}


@pytest.mark.parametrize(("event", "words"), ABORTS.values(), ids=ABORTS.keys())
def test_an_abort_that_the_host_did_not_request_is_a_failure(event: Json, words: str) -> None:
    parts, ending = played([START, STEP, text("a"), *streamed('{"a":1}'), event])
    assert parts == [{"type": "text", "value": "a"}]
    assert ending["outcome"] == "failed"
    assert words in ending["error"]["message"]
