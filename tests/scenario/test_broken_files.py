"""A broken scenario file is told with its line and column, the value, and what to do."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mockserver.faults import ScenarioError
from mockserver.scenario.load import load

HEAD = "title: Broken\nsource: [x]\ndialects: [openresponses]\n"

# Each: the text, the line and column of the problem, words of its message, words of its hint.
BROKEN: dict[str, tuple[str, str, str, str]] = {
    "an unknown key": ("titel: x\nturns: []\n", "1:1", "unknown key 'titel'", "'title'"),
    "a missing key": ("title: Nothing\n", "1:1", "'turns' is missing", ""),
    "a number for a string": (
        HEAD + "turns:\n  - says:\n      - text: 5\n",
        "6:15",
        "5 is a whole number; a string is expected",
        "quote it",
    ),
    "a word outside of its list": (
        HEAD + "turns:\n  - says:\n      - close: cutt\n",
        "6:16",
        '"cutt" is not one of clean, cut, reset, stall',
        "'cut'",
    ),
    "a duration without a unit": (
        HEAD + 'turns:\n  - says:\n      - pause: "20"\n',
        "6:16",
        "is not such as 20ms or 1.5s",
        "",
    ),
    "two things in one step": (
        HEAD + "turns:\n  - says:\n      - text: a\n        end: b\n",
        "6:9",
        "a step does one thing; this one has text, end",
        "a dash of its own",
    ),
    "a step without a thing": (
        HEAD + "turns:\n  - says:\n      - in: 3\n",
        "6:9",
        "only in",
        "",
    ),
    "a cut where nothing can be cut": (
        HEAD + "turns:\n  - says:\n      - finish: stop\n        in: 3\n",
        "6:9",
        "'finish' has none to cut",
        "",
    ),
    "a delta for no lane": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - delta: {u: x}\n",
        "7:9",
        "no lane 'u' is open here",
        "open lanes: t",
    ),
    "a delta behind its end": (
        HEAD
        + "turns:\n  - says:\n      - start: {text: t}\n      - end: t\n      - delta: {t: x}\n",
        "8:9",
        "the lane 't' has ended before",
        "",
    ),
    "a lane that stays open": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - finish: stop\n",
        "7:9",
        "the lane 't' (started at line 6) is still open",
        "- end: t",
    ),
    "a lane that starts twice": (
        HEAD + "turns:\n  - says:\n      - start: {text: t}\n      - start: {text: t}\n",
        "7:9",
        "the lane 't' was started before",
        "",
    ),
    "a call without an id": (
        HEAD + "turns:\n  - says:\n      - start: {call: c, name: f}\n",
        "6:9",
        "a call starts with an 'id' and a 'name'",
        "",
    ),
    "a call id used twice": (
        HEAD
        + "turns:\n  - says:\n      - call: {id: c1, name: f}\n      - call: {id: c1, name: g}\n",
        "7:9",
        "the call id 'c1' is used twice",
        "",
    ),
    "input and arguments": (
        HEAD + "turns:\n  - says:\n      - call: {id: c1, name: f, input: {}, arguments: x}\n",
        "6:9",
        "not both",
        "",
    ),
    "a checkpoint without text": (
        HEAD + "turns:\n  - says:\n      - checkpoint: here\n      - text: x\n",
        "6:9",
        "does not stand right after a text delta",
        "there must be text to wait for",
    ),
    "a step behind the close": (
        HEAD + "turns:\n  - says:\n      - close: cut\n      - text: x\n",
        "7:9",
        "nothing can follow the step that closes the stream",
        "",
    ),
    "text behind the ending": (
        HEAD + "turns:\n  - says:\n      - finish: stop\n      - text: x\n",
        "7:9",
        "'text' stands after the step that ends the response",
        "",
    ),
    "both forms": (
        HEAD + "turns:\n  - says: [{text: a}]\n    sends: [response.created]\n",
        "5:5",
        "either 'says'",
        "",
    ),
    "neither form": (HEAD + "turns:\n  - expect: {parts: []}\n", "5:5", "either 'says'", ""),
    "events without an expectation": (
        HEAD + "turns:\n  - sends: [response.created]\n",
        "5:5",
        "a turn with 'sends' says in 'expect' what is right",
        "'parts'",
    ),
    "an expectation without parts": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {outcome: completed}\n",
        "6:13",
        "'parts' is missing",
        "an empty list is none",
    ),
    "several outcomes of a legal stream": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: [{parts: []}, {parts: []}]\n",
        "6:13",
        "only where the upstream is not legal",
        "conduct: deviation",
    ),
    "an error of a completed response": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {parts: [], error: {message: m}}\n",
        "6:32",
        "only with 'outcome: failed'",
        "",
    ),
    "a checkpoint that the script has not": (
        HEAD + "turns:\n  - says: [{text: a}]\n    expect: {parts: [], at: {mid: {calls: [c]}}}\n",
        "6:30",
        "the script has no checkpoint 'mid'",
        "",
    ),
    "a call expected twice": (
        HEAD
        + "turns:\n  - says: [{text: a}]\n    expect:\n      parts:\n"
        + "        - call: {id: c, name: f, input: {}}\n" * 2,
        "8:9",
        "the call 'c' is expected twice",
        "",
    ),
    "an unknown dialect": (
        "title: Broken\ndialects: [openrespones]\nturns: [{says: [{text: a}]}]\n",
        "2:12",
        "no dialect is called 'openrespones'",
        "'openresponses'",
    ),
    "events of nobody's dialect": (
        "title: Broken\nturns:\n  - sends: [response.created]\n    expect: {parts: []}\n",
        "1:1",
        "'sends' needs a dialect",
        "dialects: [openresponses]",
    ),
    "an unknown event": (
        HEAD + "turns:\n  - sends: [response.complete]\n    expect: {parts: []}\n",
        "5:13",
        "openresponses has no event 'response.complete'",
        "'response.completed'",
    ),
    "a misspelt field": (
        HEAD
        + "turns:\n  - sends:\n      - response.output_text.delta: {detla: x}\n"
        + "    expect: {parts: []}\n",
        "6:9",
        "response.output_text.delta has no field 'detla'",
        "'delta'",
    ),
    "a legal stream with an unknown event": (
        HEAD + "turns:\n  - sends:\n      - unknown: {type: ping}\n    expect: {parts: []}\n",
        "6:9",
        "'ping' is not within its specification",
        "acme:event",
    ),
    "an item whose id is its call's": (
        HEAD
        + "turns:\n  - sends:\n      - response.output_item.added: "
        + "{item: {type: function_call, id: c, call_id: c, name: f}}\n    expect: {parts: []}\n",
        "6:9",
        "the item's id and its call_id are both 'c'",
        "they always differ",
    ),
}


@pytest.mark.parametrize(("text", "place", "message", "hint"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_at_its_place(text: str, place: str, message: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as told:
        load(dedent(text).encode(), "broken.yaml", "mine/broken")
    problem = told.value.problems[0]
    assert str(problem.place) == f"broken.yaml:{place}"
    assert message in problem.message
    assert hint in problem.hint
