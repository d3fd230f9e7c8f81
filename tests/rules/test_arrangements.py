"""Messages that interleave, and a source that is cited twice: each has two right arrangements."""

from collections.abc import Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.citations import MEDIA_TYPE, encode
from conformance.contract.traits import Traits
from conformance.contract.transcript import End
from conformance.expectation.projection import expectations
from conformance.expectation.reading_schema import compile_schema
from conformance.rules.judge import judge_case
from conformance.vocabularies import VSCODE
from mockserver.cases.case import Case, make_case, parse
from mockserver.scenario.script import Citation
from tests.rules.made_runs import case_of, run_of

Json = dict[str, Any]
HEAD = {"title": "Two messages at once", "source": ["the tests"]}

SAYS = [
    {"start": {"text": "a"}},
    {"delta": {"a": "First "}},
    {"start": {"text": "b"}},
    {"delta": {"b": "Second "}},
    {"delta": {"a": "one."}},
    {"end": "a"},
    {"call": {"id": "call_1", "name": "f", "input": {}}},
    {"delta": {"b": "two."}},
    {"end": "b"},
]
_DELTA = "response.output_text.delta"
SENDS = [
    "response.created",
    {"response.output_item.added": {"output_index": 0, "item": {"type": "message", "id": "msg_a"}}},
    {"response.content_part.added": {"output_index": 0}},
    {"response.output_item.added": {"output_index": 1, "item": {"type": "message", "id": "msg_b"}}},
    {"response.content_part.added": {"output_index": 1}},
    {_DELTA: {"output_index": 0, "delta": "First "}},
    {_DELTA: {"output_index": 1, "delta": "Second "}},
    {_DELTA: {"output_index": 0, "delta": "one."}},
    {_DELTA: {"output_index": 1, "delta": "two."}},
    *(
        {f"response.{each}": {"output_index": n}}
        for n in (0, 1)
        for each in ("output_text.done", "content_part.done", "output_item.done")
    ),
    "response.completed",
]
BY_MESSAGE = [{"text": "First one."}, {"message": "Second two."}]
AS_SENT = [{"text": "First "}, {"message": "Second "}, {"message": "one."}, {"message": "two."}]

CALL: Json = {"type": "toolCall", "callId": "call_1", "name": "f", "input": {}}
WATER = Citation("https://example.org/water", "Water")
OIL = Citation("https://example.org/oil", "Oil")


def text(value: str) -> Json:
    return {"type": "text", "value": value}


def cited(source: Citation) -> Json:
    return {"type": "data", "mimeType": MEDIA_TYPE, "data": encode(source)}


def says(dialect: str) -> Case:
    return case_of({**HEAD, "turns": [{"says": SAYS}]}, dialect)


def sends(parts: Sequence[Json]) -> Case:
    turn = {"sends": SENDS, "expect": {"parts": list(parts)}}
    return case_of({**HEAD, "turns": [turn]}, id_="openresponses/x")


def broken(case: Case, fault: str) -> Case:
    return make_case(case.scenario, parse(f"{case}+{fault}"))


def cites(*sources: Citation) -> Case:
    steps = [
        {"start": {"text": "t"}},
        {"delta": {"t": "Hot."}},
        *({"cite": {"block": "t", **each.fields()}} for each in sources),
        {"delta": {"t": " Cold."}},
        {"end": "t"},
        {"call": {"id": "call_1", "name": "f", "input": {}}},
    ]
    return case_of({**HEAD, "turns": [{"says": steps}]})


def rules(case: Case, parts: Sequence[Json], outcome: str = "completed", **traits: Any) -> set[str]:
    """The broken rules, after the compiled schema was asked, which has to agree."""
    declared, end = Traits(**traits), End(9.0, "completed" if outcome == "completed" else "failed")
    run = run_of(case, parts, end)
    found = {each.rule for each in judge_case(case, run, declared) if each.level == "must"}
    reading = VSCODE.read(parts, end).to_json()
    schema = compile_schema([each for _, each in expectations(case, declared)])
    assert Draft202012Validator(schema).is_valid(reading) == (not found)
    return found


@pytest.mark.parametrize("dialect", ["openresponses", "vercel-fullstream"])
@pytest.mark.parametrize(
    ("parts", "broken"),
    [
        ([text("First Second one."), CALL, text("two.")], set()),
        ([text("First one."), CALL, text("Second two.")], set()),
        ([text("First one."), text("Second "), CALL, text("two.")], set()),
        ([text("First one."), text("\n\nSecond two."), CALL], {"part-order"}),
        ([text("First "), CALL, text("one.Second two.")], {"part-order"}),
        ([text("Second First one."), CALL, text("two.")], {"text-exact"}),
        ([text("First one."), CALL, text("two.")], {"text-exact"}),
    ],
)
def test_two_messages_come_as_they_arrive_or_one_after_the_other(
    dialect: str, parts: Sequence[Json], broken: set[str]
) -> None:
    assert rules(says(dialect), parts) == broken


@pytest.mark.parametrize("expected", [BY_MESSAGE, AS_SENT])
@pytest.mark.parametrize(
    ("came", "broken"),
    [
        ("First Second one.two.", set()),
        ("First one.Second two.", set()),
        ("First one. Second two.", set()),
        ("Second two.First one.", {"text-exact"}),
        ("First one.", {"text-exact"}),
    ],
)
def test_events_that_interleave_are_expected_in_either_order(
    expected: Sequence[Json], came: str, broken: set[str]
) -> None:
    assert rules(sends(expected), [text(came)]) == broken


@pytest.mark.parametrize(
    ("came", "wrong"),
    [
        ("First Second one.", set()),
        ("First one.Second ", set()),
        ("First one.Second two.", {"text-exact"}),
    ],
)
@pytest.mark.parametrize("case", [sends(BY_MESSAGE), sends(AS_SENT)])
def test_of_a_stream_that_breaks_off_each_message_has_what_came(
    case: Case, came: str, wrong: set[str]
) -> None:
    assert rules(broken(case, "stop:8:cut"), [text(came)], "failed") == wrong


ONE, OTHER = " [Water](https://example.org/water)", " [Oil](https://example.org/oil)"


@pytest.mark.parametrize(
    ("sources", "parts", "broken"),
    [
        ((WATER, WATER), [cited(WATER), cited(WATER)], set()),
        ((WATER, WATER), [cited(WATER)], set()),
        ((WATER, WATER), [cited(WATER)] * 3, {"citation-routed"}),
        ((WATER, WATER), [], {"citation-routed"}),
        ((WATER, OIL), [cited(WATER)], {"citation-routed"}),
        ((WATER, OIL, WATER), [cited(WATER), cited(OIL)], set()),
        ((WATER, OIL, WATER), [cited(OIL), cited(WATER)], {"citation-routed"}),
    ],
)
def test_a_source_that_is_cited_again_may_be_a_part_again(
    sources: Sequence[Citation], parts: Sequence[Json], broken: set[str]
) -> None:
    came = [text("Hot."), *parts, text(" Cold."), CALL]
    assert rules(cites(*sources), came, annotations="data") == broken


@pytest.mark.parametrize(
    ("sources", "came", "broken"),
    [
        ((WATER, WATER), f"Hot.{ONE}{ONE} Cold.", set()),
        ((WATER, WATER), f"Hot.{ONE} Cold.", set()),
        ((WATER, WATER), "Hot. Cold.", {"citation-routed"}),
        ((WATER, OIL, WATER), f"Hot.{ONE}{OTHER} Cold.", set()),
        ((WATER, OIL, WATER), f"Hot.{OTHER}{ONE} Cold.", {"citation-routed"}),
    ],
)
def test_a_source_that_is_cited_again_may_be_linked_again(
    sources: Sequence[Citation], came: str, broken: set[str]
) -> None:
    assert rules(cites(*sources), [text(came), CALL], annotations="link") == broken
