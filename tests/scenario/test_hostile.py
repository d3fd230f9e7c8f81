"""A scenario file is untrusted: it is played or refused, and fast, whatever it contains."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.cases.variations import VARIATIONS
from mockserver.foundation.faults import ScenarioError
from mockserver.foundation.shipped import folder
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import MAX_BYTES, read

Json = Any


def _documents() -> list[Json]:
    files = sorted(folder("scenarios").rglob("*.yaml"))
    return [read(path.read_bytes(), path.name).value for path in files]


DOCUMENTS = st.deferred(lambda: st.sampled_from(_documents()))
ODD = st.sampled_from(
    [
        *("null", "true", "0", "-1", "3.0", "0.5", "1" + "0" * 400, '""', '"x"'),
        *(r'"t\n"', r'"20ms\n"', "[]", "[1]", "{}", '{"a":1}', '[{"type":[]}]'),
        "[" * 20 + "]" * 20,
    ]
).map(json.loads)
WORDS = st.sampled_from(
    ["says", "sends", "text", "call", "in", "raw", "close", "unknown", "item", "delta", "x y"]
)


def _play(scenario: Scenario) -> None:
    for dialect in scenario.dialects:
        render(Case(scenario, dialect, ()), 0)
        render(Case(scenario, dialect, tuple(VARIATIONS)), 0)


def _inner(document: Json) -> Iterator[Json]:
    if isinstance(document, dict | list):
        yield document
        for value in document.values() if isinstance(document, dict) else document:
            yield from _inner(value)


@given(DOCUMENTS, st.data())
def test_scenarios_with_odd_values_are_played_or_refused(good: Json, data: st.DataObject) -> None:
    document = json.loads(json.dumps(good))
    for _ in range(data.draw(st.integers(1, 3))):
        spot = data.draw(st.sampled_from(list(_inner(document))))
        if isinstance(spot, dict):
            spot[data.draw(st.sampled_from([*spot]) if spot else WORDS)] = data.draw(ODD)
        else:
            spot.insert(data.draw(st.integers(0, len(spot))), data.draw(ODD))
    with suppress(ScenarioError):
        _play(load(json.dumps(document, ensure_ascii=False).encode(), "x.yaml", "openresponses/x"))


@pytest.mark.parametrize("choices", ["true", "1", "x", "null", "{}", "[1]", "[[]]"])
def test_chunks_with_choices_of_any_type_are_played_under_every_variation(choices: str) -> None:
    text = (
        "title: Odd choices\nconduct: violation\nturns:\n"
        f"  - sends: [{{chunk: {{choices: {choices}}}}}]\n    expect: {{parts: []}}\n"
    )
    _play(load(text.encode(), "x.yaml", "chat/x"))


@pytest.mark.parametrize("type_", ["[]", "{}", "1", "true", "x"])
def test_items_of_any_type_are_played(type_: str) -> None:
    text = (
        "title: Odd items\nconduct: violation\nturns:\n"
        f"  - sends: [{{response.output_item.added: {{item: {{type: {type_}, idd: x}}}}}}]\n"
        "    expect: {parts: []}\n"
    )
    _play(load(text.encode(), "x.yaml", "openresponses/x"))


SAYS = "title: Too much\nturns:\n  - says:\n"
SENDS = "title: Too much\ndialects: [openresponses]\nturns:\n  - expect: {parts: []}\n    sends:\n"
OPENED = SAYS + "      - start: {text: t}\n"

# Each would cost a careless reader quadratic time, or more memory than there is. A careful one
# takes a tenth of the limit.
SECONDS = 3
HOSTILE = {
    "values that cannot be sorted": (
        "title: Too much\nsource: [" + ",".join(f"{{a{n}: }}" for n in range(6_000)) + "]\n"
    ),
    "unknown keys": "".join(f"titel{n}: x\n" for n in range(20_000)),
    "steps of the wrong type": SAYS + "      - 5\n" * 20_000,
    "steps": SAYS + "      - comment: x\n" * 7_500,
    "blocks": SAYS + "".join(f"      - start: {{text: t{n}}}\n" for n in range(5_000)),
    "checkpoints": OPENED
    + "".join(f"      - delta: {{t: x}}\n      - checkpoint: c{n}\n" for n in range(2_500)),
    "calls expected twice": SAYS
    + "      - text: a\n    expect:\n      parts:\n"
    + "        - call: {id: c, name: f, input: {}}\n" * 2_000,
    "unknown events": SENDS + "      - response.output_text.delt\n" * 5_000,
    "a long key": "? " + "k" * (MAX_BYTES - 10) + "\n: x\n",
    "cut texts by alias": SAYS
    + f"      - {{text: &t {'x' * 10_000}, in: 10000}}\n"
    + "      - {text: *t, in: 10000}\n" * 400,
    "empty calls": SAYS + "".join(f"      - call: {{id: c{n}, name: f}}\n" for n in range(5_000)),
    "long values by alias": f"title: &a {'x' * 900_000}\nsource: [{'*a,' * 40_000}]\n",
    "many values by alias": f"a: &a [{'x,' * 1000}]\nb: [{'*a,' * 40_000}]\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_an_expensive_file_is_read_or_refused_fast(text: str) -> None:
    assert len(text) <= MAX_BYTES
    began = time.process_time()
    with suppress(ScenarioError):
        assert len(load(text.encode(), "x.yaml", "mine/x").turns[0].script.steps) >= 5_000
    assert time.process_time() - began < SECONDS


REPEATED = "title: Repeats\nconduct: violation\nturns:\n  - expect: {parts: []}\n    sends:\n"

# Each is a small file whose events repeat what came before, until nothing could hold them.
GROWING = {
    "a long text in many events": (
        REPEATED + "      - response.output_item.added: {item: {type: message}}\n"
        "      - response.content_part.added: {part: {type: output_text}}\n"
        f"      - response.output_text.delta: {{delta: {'x' * 900_000}}}\n"
        + "      - response.output_text.done\n"
        * 400,
        "more than 67,108,864 characters",
    ),
    "many items in many events": (
        REPEATED + "      - response.output_item.added: {item: {type: message}}\n"
        "      - response.output_item.done\n" * 2_000 + "      - response.completed\n" * 2_000,
        "more than 2,000,000 values",
    ),
}


@pytest.mark.parametrize(("text", "message"), GROWING.values(), ids=GROWING)
def test_events_that_outgrow_their_file_are_refused_with_its_place(text: str, message: str) -> None:
    scenario = load(text.encode(), "x.yaml", "openresponses/x")
    with pytest.raises(ScenarioError) as raised:
        render(Case(scenario, "openresponses", ()), 0)
    (problem,) = raised.value.problems
    assert str(problem).startswith("x.yaml:1:1: turn 1 in openresponses: the events of a turn")
    assert message in problem.message
