"""The calls of a full stream: complete, streamed, or both, and calls that are not the host's."""

from __future__ import annotations

from itertools import permutations

import pytest

from conformance.dialects.vercel.reference.machine import FullStream
from tests.reference.fullstreams import (
    START,
    STEP,
    STEP_4,
    Json,
    call,
    calls_of,
    ended,
    finish,
    part,
    played,
    step_over,
    streamed,
    streamed_4,
    text,
)

MADE = ("call_1", "read_file", {"path": "a.py"})
INPUT = {"path": "a.py"}
PIECES = ('{"path":', '"a.py"}')
OVER = [step_over("tool-calls"), finish("tool-calls")]

# stream-mapping § Tool Events, § Tool Call Streaming; the grammar of ai 4 to 7.

ONCE: dict[str, list[Json]] = {
    "whole": [call(input=INPUT)],
    "complete, v4": [call(args=INPUT)],
    "complete, both fields": [call(input=INPUT, args={"path": "stale"})],
    "complete, as the provider's JSON text": [call(input='{"path":"a.py"}')],
    "complete, in the UI's fields": [{**call(input=INPUT), "type": "tool-input-available"}],
    "complete, dynamic": [call(input=INPUT, dynamic=True)],
    "complete, twice": [call(input=INPUT), call(input=INPUT)],
    "streamed and complete": [*ended(*PIECES), call(input=INPUT)],
    "streamed and complete, no end": [*streamed(*PIECES), call(input=INPUT)],
    "streamed and complete, no start": [*ended(*PIECES)[1:], call(input=INPUT)],
    "complete, then streamed": [call(input=INPUT), *ended(*PIECES)],
    "complete before the end of its deltas": [
        *streamed(*PIECES),
        call(input=INPUT),
        part("tool-input-end", id="call_1"),
    ],
    "complete, after fewer deltas": [*streamed('{"pa'), call(input=INPUT)],
    "complete, after other deltas": [*ended('{"path":"b"}'), call(input=INPUT)],
    "streamed and complete, v4": [*streamed_4(*PIECES), call(args=INPUT)],
    "only streamed": ended(*PIECES),
    "only streamed, v4": streamed_4(*PIECES),
    "streamed, complete without an input": [*ended(*PIECES), call()],
    "streamed, with either field": [
        event for pair in zip(streamed_4(*PIECES), streamed(*PIECES), strict=True) for event in pair
    ],
    "in the UI's fields": [
        part("tool-input-start", toolCallId="call_1", toolName="read_file"),
        part("tool-input-delta", toolCallId="call_1", inputTextDelta='{"path":"a.py"}'),
        call(input=INPUT),
    ],
}


@pytest.mark.parametrize("events", ONCE.values(), ids=ONCE.keys())
def test_a_call_is_emitted_once_in_every_form(events: list[Json]) -> None:
    parts, ending = played([START, STEP, *events, *OVER])
    assert calls_of(parts) == [MADE]
    assert len(parts) == 1
    assert (ending["outcome"], ending["finish"]) == ("completed", "tool-calls")


@pytest.mark.parametrize("reason", ["stop", "tool-calls", "other", "unknown", ""])
@pytest.mark.parametrize("pieces", [ended(*PIECES), streamed_4(*PIECES)], ids=["v6", "v4"])
def test_a_streamed_call_is_complete_when_its_step_ends_well(
    pieces: list[Json], reason: str
) -> None:
    machine = FullStream()
    assert [each for event in pieces for each in machine.event(event)] == []
    assert calls_of(machine.event(step_over(reason))) == [MADE]


@pytest.mark.parametrize("over", [finish(), STEP, STEP_4, part("step-finish")])
def test_any_end_of_the_step_releases_the_call(over: Json) -> None:
    machine = FullStream()
    for event in ended(*PIECES):
        machine.event(event)
    assert calls_of(machine.event(over)) == [MADE]


def test_a_call_is_emitted_at_its_tool_call_before_the_text_after_it() -> None:
    parts, _ = played([*ended(*PIECES), call(input=INPUT), text("Wait."), *OVER])
    assert [each["type"] for each in parts] == ["toolCall", "text"]


BARE: dict[str, list[Json]] = {
    "an empty object": [call(input={})],
    "an empty text": [call(input="")],
    "blanks": [call(input=" \n")],
    "nothing": [call()],
    "no pieces": ended(),
    "an empty piece": ended(""),
    "an empty piece, v4": streamed_4(""),
}


@pytest.mark.parametrize("events", BARE.values(), ids=BARE.keys())
def test_a_call_without_arguments_has_an_empty_object(events: list[Json]) -> None:
    assert calls_of(played([*events, *OVER])[0]) == [("call_1", "read_file", {})]


HALF: dict[str, list[Json]] = {
    "half an object": streamed('{"path":'),
    "half an object, ended": ended('{"path":'),
    "half an object, v4": streamed_4('{"path":'),
    "an object that never ended": streamed('{"path":"a.py"}'),
    "no object": ended("[1,2]"),
    "no object, complete": [call(input=[1, 2])],
    "no JSON, complete": [call(input='{"path":"a.py",}')],
    "no name": [part("tool-call", toolCallId="call_1", input={})],
    "no name, in pieces": ended(*PIECES)[1:],
    "invalid": [call(input='{"path":', invalid=True, dynamic=True, error={"message": "no JSON"})],
    "invalid, after its pieces": [
        *ended(*PIECES),
        call(input=INPUT, invalid=True, error="no such tool"),
        part("tool-error", toolCallId="call_1", toolName="read_file", error="no such tool"),
    ],
    "invalid, in the UI's fields": [
        *ended(*PIECES),
        {**call(input=INPUT, errorText="no such tool"), "type": "tool-input-error"},
    ],
}


@pytest.mark.parametrize("reason", ["stop", "tool-calls"])
@pytest.mark.parametrize("events", HALF.values(), ids=HALF.keys())
def test_an_incomplete_call_is_not_emitted_and_its_loss_is_reported(
    events: list[Json], reason: str
) -> None:
    good = call("call_2", "list_dir", input={})
    parts, ending = played([*events, good, step_over(reason), finish(reason)])
    assert calls_of(parts) == [("call_2", "list_dir", {})]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")


# What ai 4 has in place of an invalid call and of a tool-error: vercel/ai, TextStreamPart of 4.3.

INVALID_4 = {"name": "AI_InvalidToolArgumentsError", "message": "no JSON"}
NO_TOOL_4 = {"name": "AI_NoSuchToolError", "message": "no tool", "toolName": "read_file"}


@pytest.mark.parametrize("error", [INVALID_4, NO_TOOL_4])
def test_an_error_in_place_of_a_call_does_not_end_the_answer(error: Json) -> None:
    wrong = [*streamed_4(*PIECES), part("error", error=error)]
    good = [*streamed_4("{}", id_="call_2", name="list_dir"), call("call_2", "list_dir", args={})]
    parts, ending = played([*wrong, *good, part("step-finish", finishReason="stop"), finish()])
    assert calls_of(parts) == [("call_2", "list_dir", {})]
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
    assert error["message"] in ending["error"]["message"]


def test_an_error_of_a_tool_that_ai_4_ran_does_not_fail_the_answer() -> None:
    failed = {"name": "AI_ToolExecutionError", "message": "not found", "toolCallId": "call_1"}
    parts, ending = played([call(args=INPUT), part("error", error=failed), *OVER])
    assert (calls_of(parts), ending["outcome"]) == ([MADE], "completed")


def test_the_message_of_the_sdk_says_why_a_call_is_invalid() -> None:
    ending = played([call(input="", invalid=True, error={"message": "no such tool"}), *OVER])[1]
    assert "no such tool" in ending["error"]["message"]


@pytest.mark.parametrize("over", [STEP, STEP_4, step_over("tool-calls")])
def test_an_invalid_call_that_the_model_may_repeat_is_no_failure(over: Json) -> None:
    wrong = call("call_0", input='{"path":', invalid=True, error="no JSON")
    parts, ending = played([START, STEP, wrong, over, STEP, call(input=INPUT), *OVER])
    assert (calls_of(parts), ending["outcome"]) == ([MADE], "completed")


@pytest.mark.parametrize("reason", ["length", "content-filter"])
@pytest.mark.parametrize("half", [streamed(*PIECES), streamed_4(*PIECES), streamed('{"a')])
def test_an_answer_that_was_cut_off_keeps_its_open_calls(half: list[Json], reason: str) -> None:
    parts, ending = played([text("a"), *half, step_over(reason), finish(reason)])
    assert calls_of(parts) == []
    assert ending["outcome"] == "completed"
    assert ending["finish"] not in ("stop", "tool-calls")


def test_a_call_that_ended_before_the_answer_was_cut_off_is_complete() -> None:
    parts, ending = played([*ended(*PIECES), step_over("length"), finish("length")])
    assert (calls_of(parts), ending["finish"]) == ([MADE], "length")


BROKEN: dict[str, list[Json]] = {
    "an error": [part("error", error="no")],
    "an abort": [part("abort")],
    "the end of the bytes": [],
    "a finish that says error": [step_over("error"), finish("error")],
    "a finish that says interrupted": [step_over("interrupted"), finish("interrupted")],
}


@pytest.mark.parametrize("end", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("pieces", [ended(*PIECES), streamed_4(*PIECES)], ids=["v6", "v4"])
def test_a_streamed_call_is_not_emitted_after_a_failure(
    pieces: list[Json], end: list[Json]
) -> None:
    parts, ending = played([*pieces, *end])
    assert (calls_of(parts), ending["outcome"]) == ([], "failed")


def test_a_call_that_is_announced_and_never_completed_is_not_emitted() -> None:
    parts, ending = played([text("No."), *streamed(), step_over(), finish()])
    assert (calls_of(parts), ending["outcome"], ending["finish"]) == ([], "completed", "stop")


# The provider's own calls: stream-mapping § Tool Events; a host takes no results from a provider.

THEIRS: dict[str, list[Json]] = {
    "the call says so": [*ended(*PIECES), call(input=INPUT, providerExecuted=True)],
    "its announcement says so": [
        part("tool-input-start", id="call_1", toolName="search", providerExecuted=True),
        *ended(*PIECES)[1:],
        call(input=INPUT),
    ],
    "only streamed": [
        part("tool-input-start", id="call_1", toolName="search", providerExecuted=True),
        *ended(*PIECES)[1:],
    ],
    "dynamic": [call(input=INPUT, providerExecuted=True, dynamic=True)],
    "its result says so": [
        *ended(*PIECES),
        part("tool-result", toolCallId="call_1", output="x", providerExecuted=True),
    ],
    "its error says so": [
        *ended(*PIECES),
        part("tool-error", toolCallId="call_1", error="x", providerExecuted=True),
    ],
    "invalid": [call(input="", invalid=True, providerExecuted=True, error="x")],
    "with three results": [
        call(input=INPUT, providerExecuted=True),
        *[part("tool-result", toolCallId="call_1", output=n, preliminary=True) for n in range(3)],
    ],
}


@pytest.mark.parametrize("events", THEIRS.values(), ids=THEIRS.keys())
def test_a_provider_executed_call_is_not_emitted(events: list[Json]) -> None:
    parts, ending = played([*events, text("Found."), *OVER])
    assert parts == [{"type": "text", "value": "Found."}]
    assert (ending["outcome"], ending["finish"]) == ("completed", "stop")


def test_a_failed_tool_does_not_remove_its_call() -> None:
    failed = part("tool-error", toolCallId="call_1", toolName="read_file", error="not found")
    parts, ending = played([call(input=INPUT), failed, *OVER])
    assert (calls_of(parts), ending["outcome"]) == ([MADE], "completed")


# Several calls


def test_interleaved_calls_are_kept_apart_by_their_ids() -> None:
    pieces = [
        part("tool-input-start", id="a", toolName="one"),
        part("tool-input-start", id="b", toolName="two"),
        part("tool-input-delta", id="b", delta='{"n":'),
        part("tool-input-delta", id="a", delta='{"n":'),
        part("tool-input-delta", id="b", delta="2}"),
        part("tool-input-delta", id="a", delta="1}"),
    ]
    for order in permutations(("a", "b")):
        ends = [part("tool-input-end", id=id_) for id_ in order]
        parts, _ = played([*pieces, *ends, *OVER])
        assert calls_of(parts) == [("a", "one", {"n": 1}), ("b", "two", {"n": 2})]


SAME_AGAIN: dict[str, list[Json]] = {
    "whole": [STEP, call("call_0", input=INPUT), step_over("tool-calls")],
    "streamed": [STEP, *ended(*PIECES, id_="call_0"), step_over("tool-calls")],
    "v4": [STEP_4, *streamed_4(*PIECES, id_="call_0"), part("step-finish")],
    "no start of the step": [call("call_0", input=INPUT), step_over("tool-calls")],
    "no end of the step": [STEP, call("call_0", input=INPUT)],
}


@pytest.mark.parametrize("step", SAME_AGAIN.values(), ids=SAME_AGAIN.keys())
def test_the_same_id_in_another_step_is_another_call(step: list[Json]) -> None:
    parts, _ = played([START, *step, *step, finish("tool-calls")])
    first, second = calls_of(parts)
    assert first == ("call_0", "read_file", INPUT)
    # One result must not answer both.
    assert second[0] != "call_0"
    assert second[1:] == first[1:]


def test_two_calls_of_one_step_with_the_same_id_are_distinguished() -> None:
    parts, _ = played([call(input=INPUT), call(input={"path": "b.py"}), *OVER])
    first, second = calls_of(parts)
    assert (first, second[2]) == (MADE, {"path": "b.py"})
    assert second[0] != "call_1"


def test_calls_without_ids_get_ids() -> None:
    parts, _ = played([call("", input=INPUT), call("", input=INPUT), *OVER])
    assert len({each[0] for each in calls_of(parts)}) == 2


def test_ids_have_the_prefix() -> None:
    parts, _ = played([call(input=INPUT), *OVER], call_id_prefix="gw-")
    assert calls_of(parts) == [("gw-call_1", *MADE[1:])]


def test_a_character_cut_between_deltas_is_completed_in_an_input() -> None:
    events = ended('{"path":"\ud83d', '\ude00"}')
    assert calls_of(played([*events, *OVER])[0])[0][2] == {"path": "😀"}
