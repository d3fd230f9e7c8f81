"""Several choices, and the blank before a call: what each trait expects."""

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.reading import ReadCall, Reading
from conformance.contract.traits import Traits, parse_traits
from conformance.expectation.projection import Expected, expectations
from conformance.expectation.reading_schema import compile_schema
from mockserver.cases.case import Case
from mockserver.cases.load import load

SPLIT = """
title: Text and a call come in two choices
dialects: [chat]
turns:
  - sends:
      - delta: {content: "Let me see."}
      - finish: {reason: stop}
      - chunk:
          choices:
            - index: 1
              delta: {tool_calls: [{index: 0, id: call_1, function: {name: a, arguments: "{}"}}]}
              finish_reason: null
      - chunk: {choices: [{index: 1, delta: {}, finish_reason: tool_calls}]}
    expect:
      parts:
        - text: "Let me see."
        - choice: 1
          call: {id: call_1, name: a, input: {}}
"""

BETWEEN = """
title: A call begins between two texts and is complete behind both
dialects: [chat]
turns:
  - sends:
      - delta: {content: "Let me "}
      - delta: {tool_calls: [{index: 0, id: call_1, function: {name: a, arguments: ""}}]}
      - delta: {content: "see."}
      - delta: {tool_calls: [{index: 0, function: {arguments: "{}"}}]}
      - finish: {reason: tool_calls}
    expect:
      parts:
        - text: "Let me "
        - text: "see."
        - call: {id: call_1, name: a, input: {}}
"""


CUT_OFF = """
title: The first call of an answer is cut off
turns:
  - says:
      - text: Let me see.
      - start: {call: c, id: call_1, name: a}
      - delta: {c: '{"path":'}
      - incomplete: length
"""


def projected(source: str, traits: Traits) -> Expected:
    scenario = load(source.encode(), "chat/drawn.yaml", "chat/drawn")
    case = Case(scenario, "chat")
    ((_, right),) = expectations(case, traits)
    return right


def accepts(right: Expected, text: str, *after: int) -> bool:
    calls = tuple(ReadCall("call_1", "a", {}, each, 0) for each in after)
    finish = "tool-calls" if after else "stop"
    reading = Reading(text=text, calls=calls, outcome="completed", finish=finish).to_json()
    return Draft202012Validator(compile_schema([right])).is_valid(reading)


def accepts_cut(right: Expected, text: str) -> bool:
    reading = Reading(text=text, outcome="completed", finish="length").to_json()
    return Draft202012Validator(compile_schema([right])).is_valid(reading)


def test_with_alternatives_the_parts_of_the_first_choice_are_expected() -> None:
    right = projected(SPLIT, Traits())
    assert accepts(right, "Let me see.")
    assert not accepts(right, "Let me see.", 11)


def test_with_merged_choices_all_parts_are_expected() -> None:
    right = projected(SPLIT, Traits(choices="merge"))
    assert accepts(right, "Let me see.", 11)
    assert not accepts(right, "Let me see.")


BLANKS = [
    ("Let me see.", 11, True, True),
    ("Let me  see.", 12, False, True),
    ("Let me see. ", 12, False, True),
    ("Let me  see. ", 13, False, False),
    (" Let me see.", 12, False, False),
    ("Let me se e.", 12, False, False),
    ("Let me see.  ", 13, False, False),
]


@pytest.mark.parametrize(("text", "after", "plainly", "declared"), BLANKS)
def test_a_blank_before_the_first_call_is_expected_if_declared(
    text: str, after: int, plainly: bool, declared: bool
) -> None:
    assert accepts(projected(BETWEEN, Traits()), text, after) is plainly
    assert accepts(projected(BETWEEN, Traits(blank_before_call=True)), text, after) is declared


def test_a_blank_is_expected_before_a_call_that_is_cut_off() -> None:
    right = projected(CUT_OFF, Traits(blank_before_call=True))
    assert accepts_cut(right, "Let me see.")
    assert accepts_cut(right, "Let me see. ")
    assert not accepts_cut(right, "Let me  see.")
    assert not accepts_cut(projected(CUT_OFF, Traits()), "Let me see. ")


def test_an_answer_without_calls_has_no_blank() -> None:
    right = projected(SPLIT, Traits(blank_before_call=True))
    assert accepts(right, "Let me see.")
    assert not accepts(right, "Let me see. ")


def test_a_flag_may_be_written_as_a_string() -> None:
    assert parse_traits({"blank_before_call": "true"}) == Traits(blank_before_call=True)
    assert parse_traits({"blank_before_call": False}) == Traits()
