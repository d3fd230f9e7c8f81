"""How parts of the vocabulary `fullstream`, of the core of the AI SDK, are read."""

from typing import Any

import pytest

from conformance.contract.transcript import End, ReportedError
from conformance.report import summary
from conformance.vocabularies import FULLSTREAM, STREAM
from mockserver.scenario.script import Citation

Part = dict[str, Any]

COMPLETED = End(1.0, "completed")


def call(input_: Any, **more: Any) -> Part:
    known = {"toolCallId": "call_1", "toolName": "search"}
    return {"type": "tool-call", **known, "input": input_, **more}


START: Part = {"type": "start"}
START_STEP: Part = {"type": "start-step", "request": {"body": "{}"}, "warnings": []}


def test_deltas_are_joined_and_a_call_has_its_parsed_input() -> None:
    parts: list[Part] = [
        *(START, START_STEP),
        {"type": "reasoning-delta", "id": "0", "text": "Hm."},
        {"type": "text-delta", "id": "1", "text": "Let me "},
        call({"q": 1}),
        {"type": "text-delta", "id": "1", "text": "see."},
    ]
    reading = FULLSTREAM.read(parts, COMPLETED)
    assert (reading.text, reading.thinking) == ("Let me see.", "Hm.")
    (made,) = reading.calls
    assert (made.id, made.name, made.input, made.after, made.part) == (
        *("call_1", "search", {"q": 1}),
        *(len("Let me "), 4),
    )


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ({"name": "AI_NoSuchToolError", "message": "no tool"}, "no tool"),
        ("no tool", "no tool"),
        (None, "a call of search is invalid"),
    ],
    ids=str,
)
@pytest.mark.parametrize("input_", [{"q": 1}, '{"q":"wea'], ids=["an object", "half of one"])
def test_an_invalid_call_is_a_failure_and_no_call(input_: Any, error: Any, message: str) -> None:
    parts = [
        call(input_, invalid=True, dynamic=True, error=error),
        {"type": "tool-error", "toolCallId": "call_1", "toolName": "search", "error": "no"},
        {"type": "finish", "finishReason": "tool-calls", "totalUsage": {}},
    ]
    reading = FULLSTREAM.read(parts, COMPLETED)
    assert (reading.calls, reading.outcome, reading.errors) == ((), "failed", ())
    assert reading.error == {"kind": "decode", "message": message, "code": ""}


@pytest.mark.parametrize("input_", [[1], "{}", None, 1], ids=str)
def test_a_call_whose_input_is_no_object_is_a_failure_and_no_call(input_: Any) -> None:
    reading = FULLSTREAM.read([call(input_)], COMPLETED)
    assert (reading.calls, reading.outcome) == ((), "failed")


def test_a_custom_tool_is_called_with_a_text() -> None:
    start = {"type": "tool-input-start", "id": "call_1", "toolName": "sql", "inputEncoding": "text"}
    reading = FULLSTREAM.read([start, call("select 1")], COMPLETED)
    assert [made.input for made in reading.calls] == ["select 1"]


def test_a_provider_executed_call_and_its_result_are_not_read() -> None:
    result = {"type": "tool-result", "toolCallId": "call_1", "toolName": "search", "output": 1}
    parts = [call({}, providerExecuted=True), {**result, "providerExecuted": True}]
    reading = FULLSTREAM.read(parts, COMPLETED)
    assert (reading.calls, reading.outcome) == ((), "completed")


def test_the_finish_has_the_reason_and_the_usage_of_all_steps() -> None:
    step = {"type": "finish-step", "finishReason": "tool-calls", "usage": {"inputTokens": 1}}
    used = {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}
    finish = {"type": "finish", "finishReason": "unknown", "totalUsage": used}
    end = FULLSTREAM.ended([step, finish], COMPLETED)
    assert end is not None
    assert (end.finish, end.usage) == ("other", {"input": 3, "output": 4})


@pytest.mark.parametrize(
    ("parts", "outcome"),
    [
        ([{"type": "abort", "reason": "TimeoutError"}], "cancelled"),
        ([{"type": "error", "error": "No."}, {"type": "abort"}], "failed"),
        ([call({}, invalid=True), {"type": "abort"}], "failed"),
    ],
    ids=["alone", "after an error", "after an invalid call"],
)
def test_an_abort_makes_a_completed_run_a_cancelled_one(parts: list[Part], outcome: str) -> None:
    end = FULLSTREAM.ended(parts, COMPLETED)
    assert end is not None
    assert end.outcome == outcome
    assert FULLSTREAM.read(parts, COMPLETED).outcome == outcome


def test_an_error_part_fails_the_run() -> None:
    error = {"name": "AI_APICallError", "message": "Busy", "data": {"error": {"code": "busy"}}}
    end = FULLSTREAM.ended([START, {"type": "error", "error": error}], COMPLETED)
    assert end is not None
    assert (end.outcome, end.error) == ("failed", ReportedError("upstream", "Busy", "busy"))


def test_a_tool_error_does_not_fail_the_run() -> None:
    error = {"type": "tool-error", "toolCallId": "call_1", "toolName": "search", "error": "no"}
    reading = FULLSTREAM.read([call({}), error], COMPLETED)
    assert (len(reading.calls), reading.outcome) == (1, "completed")


CITATION = Citation("https://a.example", "A")
MADE: list[tuple[Part, str, Any]] = [
    (FULLSTREAM.text("Hi"), "text", "Hi"),
    (FULLSTREAM.thinking("Hm."), "thinking", "Hm."),
    (FULLSTREAM.call("c", "go", {"a": 1}), "calls", [{"a": 1}]),
    (FULLSTREAM.data("a/b", "aGk="), "data", ["aGk="]),
    (FULLSTREAM.citation(CITATION), "citations", [CITATION]),
]


@pytest.mark.parametrize(("part", "piece", "expected"), MADE, ids=[each[1] for each in MADE])
def test_a_part_shown_as_right_is_valid_and_reads_as_meant(
    part: Part, piece: str, expected: Any
) -> None:
    assert FULLSTREAM.problem_of(part) is None
    read = getattr(FULLSTREAM.read([part], COMPLETED), piece)
    fields = {"calls": "input", "data": "data", "citations": "citation"}
    assert ([getattr(r, fields[piece]) for r in read] if piece in fields else read) == expected


PROVIDERS = [
    STREAM.text("Hi"),
    STREAM.data("a/b", "aGk="),
    {"type": "stream-start", "warnings": []},
    {"type": "finish", "finishReason": {"unified": "stop"}, "usage": {}},
    {"type": "tool-result", "toolCallId": "c", "toolName": "go", "result": 1},
    {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "c"},
]


@pytest.mark.parametrize("part", PROVIDERS, ids=lambda part: part["type"])
def test_a_part_in_the_form_of_a_provider_is_reported(part: Part) -> None:
    assert FULLSTREAM.problem_of(part) is not None
    assert FULLSTREAM.read([part], COMPLETED).text == ""


@pytest.mark.parametrize(
    ("part", "line"),
    [
        (FULLSTREAM.text("Hi"), "text-delta 'Hi'"),
        (START_STEP, "start-step"),
        ({"type": "finish-step", "finishReason": "stop", "usage": {}}, "finish-step stop"),
        ({"type": "finish", "finishReason": "stop", "totalUsage": {}}, "finish stop"),
        (call({"q": 1}), 'tool-call call_1 search {"q":1}'),
        (call("half", invalid=True), "tool-call call_1 search half (invalid)"),
    ],
    ids=str,
)
def test_a_part_has_a_line_in_a_timeline(part: Part, line: str) -> None:
    assert summary.of_part(part) == line
