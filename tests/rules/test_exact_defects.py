"""Mistakes that are named exactly, with what follows from them as their consequences.

Transcripts are made from what a case renders, so that no adapter and no upstream is played.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from conformance.contract.transcript import Emitted, End, ReportedError
from conformance.findings.finding import Finding
from conformance.findings.words import message_of, right_of
from conformance.rules.judge import judge_case
from tests.rules.test_ending_messages import GOOD, IN_PARTS, case_of, ended

COMPLETED = End(9.0, "completed", finish="tool-calls")
TURNS = "chat/calls-interleave-by-index"
SHARED = "chat/calls-share-an-index"
MIXED = '{"path":{"dir":"a.py"}"/src"}'
MERGED = '{"path":"a.py"}{"path":"b.py"}{"dir":"/src"}'


def crashed(case: str, message: str, *parts: dict[str, Any]) -> list[Finding]:
    return judged(case, End(9.0, "error", error=ReportedError(message=message)), *parts)


def judged(case: str, end: End, *parts: dict[str, Any]) -> list[Finding]:
    emitted = tuple(Emitted(n, 1.0, part) for n, part in enumerate(parts))
    return judge_case(case_of(case), ended(case, end, parts=emitted), IN_PARTS)


def call(id_: str, name: str, input_: str) -> dict[str, Any]:
    return {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}


def outline(finding: Finding) -> tuple[str, str, list[str]]:
    return finding.rule, finding.kind.name, sorted({each.rule for each in finding.explains})


PYTHON = "JSONDecodeError: Expecting ',' delimiter: line 1 column 23 (char 22)"
NODE = "SyntaxError: Expected ',' or '}' after property value in JSON at position 22"
QUOTES = f"Tool input is not valid JSON: {MIXED}"
NAMES = "the arguments of 'list_dir' cannot be parsed"


@pytest.mark.parametrize("error", [PYTHON, NODE, QUOTES, NAMES])
def test_an_error_of_parsing_mixed_arguments_is_told_as_mixed_arguments(error: str) -> None:
    (finding,) = crashed(TURNS, error)
    assert outline(finding) == (
        "call-complete",
        "arguments-of-another-call",
        ["call-none-lost", "end-honest"],
    )
    assert message_of(finding).startswith(
        f"arguments of 'call_1' were given to the call 'call_2': {MIXED}; it failed with: "
    )
    assert right_of(finding) == """list_dir({"dir":"/src"}) with id 'call_2'"""
    assert finding.event == 3


OTHER_ERRORS = [
    (TURNS, "JSONDecodeError: Expecting ',' delimiter: line 1 column 10 (char 9)"),
    (TURNS, "KeyError: 'list_dir'"),
    ("any/call-between-texts@chat", PYTHON),
]


@pytest.mark.parametrize(("case", "error"), OTHER_ERRORS)
def test_another_error_is_not_taken_for_mixed_arguments(case: str, error: str) -> None:
    assert crashed(case, error)[0].rule == "end-honest"


def test_arguments_that_were_given_to_a_call_as_text_are_traced_to_their_calls() -> None:
    lost, mixed = call("call_1", "read_file", ""), call("call_2", "list_dir", MIXED)
    (finding,) = judged(TURNS, COMPLETED, lost, mixed)
    assert outline(finding) == (
        "call-complete",
        "arguments-of-another-call",
        ["call-complete", "call-none-lost", "end-honest"],
    )
    assert (finding.part, finding.event) == (1, 7)


def test_calls_that_have_the_arguments_of_each_other_are_told_so() -> None:
    parts = (
        call("call_1", "read_file", '{"dir":"/src"}'),
        call("call_2", "list_dir", '{"path":"a.py"}'),
    )
    found = judged(TURNS, COMPLETED, *parts)
    assert [message_of(each) for each in found] == [
        """arguments of 'call_2' were given to the call 'call_1': {"dir": "/src"}"""
    ]
    assert found[0].explains[0].kind.name == "arguments-of-another-call"


def test_a_call_with_the_arguments_of_all_is_told_as_merged_calls() -> None:
    (finding,) = judged(SHARED, COMPLETED, call("call_1", "read_file", MERGED))
    assert outline(finding) == ("call-complete", "calls-merged", ["call-none-lost", "end-honest"])
    assert message_of(finding) == (
        "the calls 'call_1', 'call_2' and 'call_3' were taken for one with the arguments "
        f"{MERGED[:40]}…"
    )


def test_a_buffer_that_keeps_the_arguments_of_a_call_that_came_out_merges_no_calls() -> None:
    first = call("call_roll_a", "roll_dice", json.dumps({"sides": 20}))
    error = "JSONDecodeError: Extra data: line 1 column 13 (char 12)"
    found = crashed("any/same-call-twice@openresponses", error, first)
    assert [outline(each)[:2] for each in found] == [("call-complete", "arguments-of-another-call")]


def test_other_wrong_arguments_are_not_traced_to_other_calls() -> None:
    parts = (call("call_1", "read_file", '{"path":"A"}'), call("call_2", "list_dir", "{}"))
    found = judged(TURNS, COMPLETED, *parts)
    assert [each.kind.name for each in found] == ["other-input", "other-input"]


def text(value: str) -> dict[str, Any]:
    return {"type": "text-delta", "id": "1", "delta": value}


def thinking(value: str) -> dict[str, Any]:
    return {"type": "reasoning-delta", "id": "0", "delta": value}


EQUAL = "Looking at the next file.\n\n"
CITED = "any/citation-between-sentences@openresponses"
BOILS, MORE = "Water boils at 100 °C.", " On Mount Everest it boils at 71 °C."
LINK = " [Water](https://example.org/water)"
SENT = (
    "once from response.output_text.delta (event {}) and once more from "
    "response.output_text.done (event {})"
)
MOON = "The moon is the nearer one."
TWICE = [
    (GOOD, [EQUAL] * 4, f"{SENT.format(6, 7)}, and so did 1 more text"),
    (GOOD, [EQUAL] * 3, SENT.format(6, 7)),
    (CITED, [BOILS, LINK, MORE, BOILS + MORE], SENT.format(8, 9)),
    # The adapter shows no links, either.
    (CITED, [BOILS, MORE, BOILS + MORE], SENT.format(8, 9)),
]


@pytest.mark.parametrize(("case", "came", "message"), TWICE)
def test_a_text_that_its_finished_item_repeats_is_said_to_come_twice(
    case: str, came: list[str], message: str
) -> None:
    (finding, *_) = judged(case, End(9.0, "completed", finish="stop"), *map(text, came))
    assert outline(finding)[:2] == ("text-exact", "text-twice")
    assert message_of(finding).startswith("the text came twice: '")
    assert message_of(finding).endswith(f"', {message}")


def test_thinking_that_came_again_from_its_finished_item_is_told_so() -> None:
    case = "openresponses/reasoning-text-events"
    parts = (thinking(MOON), thinking(MOON), text("The moon."))
    (finding, *_) = judged(case, End(9.0, "completed", finish="stop"), *parts)
    assert outline(finding)[:2] == ("thinking-routed", "text-twice")


def test_a_text_that_came_again_with_a_second_answer_has_not_come_from_an_item() -> None:
    run = ended(GOOD, End(9.0, "completed", finish="stop"))
    again = replace(run.requests[0], n=1, at=0.5, attempt=2)
    parts = tuple(Emitted(n, 1.0, text(EQUAL)) for n in range(4))
    run = replace(run, requests=(*run.requests, again), parts=parts)
    assert "text-twice" not in {each.kind.name for each in judge_case(case_of(GOOD), run, IN_PARTS)}


def test_an_error_that_a_calls_own_arguments_explain_is_not_told_as_mixed_arguments() -> None:
    error = "Expecting property name enclosed in double quotes: line 1 column 17 (char 16)"
    found = crashed("any/arguments-that-do-not-parse", f"JSONDecodeError: {error}")
    assert {each.rule for each in found} == {"end-honest"}
