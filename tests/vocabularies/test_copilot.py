"""How the parts of Copilot Chat's parser are read.

A run has completed if its host counts it so: stop, tool_calls, function_call and client-trimmed.
"""

from pathlib import Path
from typing import Any

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End
from conformance.rules.announcements import steps
from conformance.suite.adapter_yaml import read_description
from conformance.vocabularies import COPILOT
from mockserver.foundation.faults import AdapterError

Json = dict[str, Any]

DONE = End(1.0, "completed")


def delta(index: int = 0, **fields: Any) -> Json:
    return {"type": "delta", "index": index, "delta": fields}


def completion(reason: str = "stop", index: int = 0, **fields: Any) -> Json:
    return {"type": "completion", "index": index, "reason": reason, **fields}


def made(arguments: Any = '{"q":1}', **more: Any) -> Json:
    call = {"id": "call_1", "name": "search", "arguments": arguments, **more}
    return delta(text="", copilotToolCalls=[call])


@pytest.mark.parametrize(
    ("reason", "outcome", "finish"),
    [
        ("stop", "completed", "stop"), ("client-trimmed", "completed", "stop"),
        ("tool_calls", "completed", "tool-calls"), ("function_call", "completed", "tool-calls"),
        ("length", "completed", "length"), ("content_filter", "completed", "content-filter"),
        ("error", "failed", "error"), ("DONE", "failed", "error"),
        ("Iteration Done", "failed", "error"), ("eos", "failed", "error"),
    ],
)  # fmt: skip
def test_the_completions_reason_is_the_runs_ending(reason: str, outcome: str, finish: str) -> None:
    reading = COPILOT.read([delta(text="a"), completion(reason)], DONE)
    assert (reading.outcome, reading.finish) == (outcome, finish)


def test_a_run_without_a_completion_has_failed() -> None:
    reading = COPILOT.read([delta(text="a")], DONE)
    assert reading.outcome == "failed"
    assert reading.error
    assert "no completion" in reading.error["message"]


def test_a_cancelled_run_needs_no_completion() -> None:
    for outcome in ("completed", "cancelled"):
        end = End(1.0, outcome)
        assert COPILOT.ended([delta(text="a")], end, cancelled=True) == end


def test_a_failure_reported_by_the_run_is_kept() -> None:
    end = End(1.0, "failed")
    ended = COPILOT.ended([completion()], end)
    assert ended
    assert ended.outcome == "failed"


def test_an_error_is_read_with_its_message_and_code() -> None:
    error = {"message": "Slow down.", "code": 429}
    reading = COPILOT.read([completion("error", error=error)], DONE)
    assert reading.error == {"kind": "upstream", "message": "Slow down.", "code": "429"}


def test_usage_is_that_of_the_last_completion_with_usage() -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
    assert COPILOT.read([completion(usage=usage)], DONE).usage == {"input": 11, "output": 22}
    assert COPILOT.read([completion()], DONE).usage is None


def test_begin_and_update_parts_are_no_calls() -> None:
    parts = [
        delta(text="", beginToolCalls=[{"name": "search", "id": "call_1"}]),
        delta(
            text="",
            copilotToolCallStreamUpdates=[{"id": "call_1", "name": "search", "arguments": "{}"}],
        ),
        completion(),
    ]
    assert COPILOT.read(parts, DONE).calls == ()


@pytest.mark.parametrize(("arguments", "input_"), [('{"q":1}', {"q": 1}), ("", {}), (" \n", {})])
def test_a_call_has_its_arguments_parsed(arguments: str, input_: Json) -> None:
    reading = COPILOT.read([delta(text="Hi"), made(arguments), completion("tool_calls")], DONE)
    (call,) = reading.calls
    assert (call.id, call.name, call.input, call.after) == ("call_1", "search", input_, 2)
    assert reading.outcome == "completed"


@pytest.mark.parametrize("arguments", ['{"q":', "[1]", "null", '{"a":1}{"b":2}'])
def test_a_call_that_its_host_cannot_parse_is_a_failure_and_no_call(arguments: str) -> None:
    reading = COPILOT.read([made(arguments), completion("tool_calls")], DONE)
    assert (reading.calls, reading.outcome) == ((), "failed")


def test_deprecated_function_calls_have_no_id_and_get_numbers() -> None:
    calls = [{"name": "a", "arguments": "{}"}, {"name": "b", "arguments": ""}]
    parts = [delta(_deprecatedCopilotFunctionCalls=calls), completion("function_call")]
    ids = [(call.id, call.name) for call in COPILOT.read(parts, DONE).calls]
    assert ids == [("function_call_0", "a"), ("function_call_1", "b")]


def test_the_first_of_several_choices_is_read_and_merged_choices_are_one_answer() -> None:
    parts = [
        *(delta(text="a"), delta(1, text="b"), delta(text="c")),
        *(completion(), completion("length", 1)),
    ]
    first = COPILOT.read(parts, DONE)
    merged = COPILOT.with_traits(Traits(choices="merge")).read(parts, DONE)
    assert (first.text, first.finish) == ("ac", "stop")
    assert (merged.text, merged.finish) == ("abc", "length")


BAD: list[tuple[Any, set[str]]] = [
    ({"type": "text", "value": "a"}, {"text", "thinking", "calls", "data", "citations"}),
    ({"type": "delta", "delta": {"text": "a"}}, {"text"}),
    (delta(text=None), {"text"}),
    (delta(thinking="Hm."), {"thinking"}),
    (made(id=""), {"text", "calls"}),
    (made({"q": 1}), {"text", "calls"}),
    (delta(), set()),
    ({"type": "completion", "index": 0}, {"end"}),
    ({"type": "completion", "index": 0, "reason": ""}, {"end"}),
    ("a", {"text", "thinking", "calls", "data", "citations"}),
]


@pytest.mark.parametrize(("part", "spoils"), BAD)
def test_an_invalid_part_is_reported_and_has_no_content(part: Any, spoils: set[str]) -> None:
    bad = COPILOT.problem_of(part)
    assert bad
    assert bad.affects == spoils


GOOD = [
    delta(text="a"),
    delta(text="", thinking={"text": ["a", "b"], "id": "x"}),
    delta(text="", thinking={"id": "x", "encrypted": "gAAA"}),
    delta(text="", thinking={"metadata": {"toolId": "call_1"}}),
    delta(text="", beginToolCalls=[{"name": "a"}]),
    delta(text="", copilotErrors=[{"type": "agent", "code": "x", "message": "Oh."}]),
    delta(text="", logprobs=None, phase="commentary"),
    made(),
    completion("tool_calls", usage={"prompt_tokens": 1}, filterReason="hate"),
]


@pytest.mark.parametrize("part", GOOD, ids=str)
def test_a_part_of_the_parser_is_valid(part: Json) -> None:
    assert COPILOT.problem_of(part) is None


def test_the_vocabulary_has_no_part_for_citations(tmp_path: Path) -> None:
    file = tmp_path / "adapter.yaml"
    file.write_text(
        "{name: mine, drive: {exec: [run]}, dialects: [chat], vocabulary: copilot,"
        " traits: {annotations: data}}"
    )
    with pytest.raises(AdapterError, match="annotations: data"):
        read_description(file)


def test_progress_and_calls_keep_their_order() -> None:
    parts = [
        delta(
            text="Hi",
            copilotToolCalls=[{"id": "call_1", "name": "a", "arguments": "{}"}],
            copilotToolCallStreamUpdates=[{"id": "call_1", "name": "a", "arguments": "{}"}],
            beginToolCalls=[{"name": "a", "id": "call_1"}],
        ),
        {"type": "text", "value": "none"},
        delta(1, text=""),
    ]
    found = [
        (step.kind, step.part) for step in steps([Emitted(n, 0.0, p) for n, p in enumerate(parts)])
    ]
    assert found == [("text", 0), ("begin", 0), ("update", 0), ("call", 0)]
