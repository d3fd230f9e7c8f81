"""Messages that interleave, and a source that is cited twice: each has two right arrangements."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.citations import link
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
WATER, OIL, AIR = (Citation(f"https://example.org/{name}", name) for name in ("w", "o", "a"))
CALL = "call"
_CALL_STEP: Json = {"call": {"id": "call_1", "name": "f", "input": {}}}
_CALL_PART: Json = {"type": "toolCall", "callId": "call_1", "name": "f", "input": {}}


def says(*pieces: str | Citation, kind: str = "text", dialect: str = "openresponses") -> Case:
    """A script of blocks: ``a:Hot`` is a delta of the block a, which it may begin; ``a:`` ends it.

    A source is cited in the block of the delta before it.
    """
    steps: list[Json] = []
    block = ""
    for piece in pieces:
        if piece == CALL:
            steps.append(_CALL_STEP)
        elif isinstance(piece, Citation):
            steps.append({"cite": {"block": block, **piece.fields()}})
        else:
            block, _, value = piece.partition(":")
            if {"start": {kind: block}} not in steps:
                steps.append({"start": {kind: block}})
            steps.append({"delta": {block: value}} if value else {"end": block})
    return case_of({**HEAD, "turns": [{"says": steps}]}, dialect)


def broken(case: Case, *came: str | Citation, kind: str = "text", **traits: Any) -> set[str]:
    """The rules that a run with these parts breaks by more than manners, as in the schema."""
    declared = Traits(**traits)
    end = End(9.0, "failed" if case.variations else "completed")
    parts = [
        VSCODE.citation(each)
        if isinstance(each, Citation)
        else (_CALL_PART if each == CALL else {"type": kind, "value": each})
        for each in came
    ]
    found = {
        each.rule
        for each in judge_case(case, run_of(case, parts, end), declared)
        if each.kind.weight != "manners"
    }
    reading = VSCODE.read(parts, end).to_json()
    schema = compile_schema([each for _, each in expectations(case, declared)])
    assert Draft202012Validator(schema).is_valid(reading) == (not found)
    return found


MESSAGES = ("a:First ", "b:Second ", "a:one.", "a:", CALL, "b:two.", "b:")


@pytest.mark.parametrize("dialect", ["openresponses", "vercel-fullstream"])
@pytest.mark.parametrize(
    ("came", "rule"),
    [
        (("First Second one.", CALL, "two."), ""),
        (("First one.", CALL, "Second two."), ""),
        (("First one.", "Second ", CALL, "two."), ""),
        (("First one.", "\n\nSecond two.", CALL), "part-order"),
        (("First ", CALL, "one.Second two."), "part-order"),
        (("Second First one.", CALL, "two."), "text-exact"),
        (("First one.", CALL, "two."), "text-exact"),
    ],
)
def test_two_messages_come_as_they_arrive_or_one_after_the_other(
    dialect: str, came: tuple[str, ...], rule: str
) -> None:
    assert broken(says(*MESSAGES, dialect=dialect), *came) == ({rule} - {""})


def test_a_call_stays_behind_messages_that_no_other_interrupted() -> None:
    case = says("z:Zero.", "z:", *MESSAGES)
    assert broken(case, "Zero.First one.", CALL, "Second two.") == set()
    assert broken(case, "Zero.", CALL, "First one.Second two.") == {"part-order"}


@pytest.mark.parametrize("said", ["HotCold.ter.", "Hotter.Cold."])
@pytest.mark.parametrize(
    ("sources", "rule"),
    [
        ((WATER, OIL, AIR), ""),
        ((WATER, AIR, OIL), ""),
        ((OIL, WATER, AIR), "citation-routed"),
        ((WATER, OIL), "citation-routed"),
    ],
)
def test_citations_in_data_have_an_order_of_their_own(
    said: str, sources: tuple[Citation, ...], rule: str
) -> None:
    case = says("a:Hot", WATER, "b:Cold.", OIL, "a:ter.", AIR, "a:", "b:")
    assert broken(case, said, *sources, annotations="data") == ({rule} - {""})


@pytest.mark.parametrize(
    ("shown", "rule"), [("thinking", "thinking-routed"), ("text", "text-exact")]
)
@pytest.mark.parametrize(
    ("thought", "right"), [("HotColdterer", True), ("HotterColder", True), ("ColderHotter", False)]
)
def test_thoughts_that_alternate_come_in_either_order(
    shown: str, rule: str, thought: str, right: bool
) -> None:
    case = says("a:Hot", "b:Cold", "a:ter", "b:er", "a:", "b:", kind="reasoning")
    assert broken(case, thought, kind=shown, reasoning=shown) == (set() if right else {rule})


_DELTA = "response.output_text.delta"
SENDS = [
    "response.created",
    {"response.output_item.added": {"output_index": 0, "item": {"type": "message", "id": "msg_a"}}},
    {"response.content_part.added": {"output_index": 0}},
    {"response.output_item.added": {"output_index": 1, "item": {"type": "message", "id": "msg_b"}}},
    {"response.content_part.added": {"output_index": 1}},
    *(
        {_DELTA: {"output_index": n % 2, "delta": delta}}
        for n, delta in enumerate(["First ", "Second ", "one.", "two."])
    ),
    *(
        {f"response.{each}": {"output_index": n}}
        for n in (0, 1)
        for each in ("output_text.done", "content_part.done", "output_item.done")
    ),
    "response.completed",
]
BY_MESSAGE = [{"text": "First one."}, {"message": "Second two."}]
AS_SENT = [{"text": "First "}, {"message": "Second "}, {"message": "one."}, {"message": "two."}]


@pytest.mark.parametrize("expected", [BY_MESSAGE, AS_SENT])
@pytest.mark.parametrize(
    ("fault", "came", "rule"),
    [
        ("", "First Second one.two.", ""),
        ("", "First one.Second two.", ""),
        ("", "First one. Second two.", ""),
        ("", "Second two.First one.", "text-exact"),
        ("", "First one.", "text-exact"),
        ("+stop:8:cut", "First Second one.", ""),
        ("+stop:8:cut", "First one.Second ", ""),
        ("+stop:8:cut", "First one.Second two.", "text-exact"),
    ],
)
def test_events_that_interleave_are_expected_in_either_order(
    expected: list[Json], fault: str, came: str, rule: str
) -> None:
    turn = {"sends": SENDS, "expect": {"parts": expected}}
    case = case_of({**HEAD, "turns": [turn]}, id_="openresponses/x")
    case = make_case(case.scenario, parse(f"{case}{fault}"))
    assert broken(case, came) == ({rule} - {""})


@pytest.mark.parametrize("annotations", ["data", "link"])
@pytest.mark.parametrize(
    ("cited", "came", "right"),
    [
        ((WATER, WATER), (WATER, WATER), True),
        ((WATER, WATER), (WATER,), True),
        ((WATER, WATER), (WATER, WATER, WATER), False),
        ((WATER, WATER), (), False),
        ((WATER, OIL), (WATER,), False),
        ((WATER, OIL, WATER), (WATER, OIL), True),
        ((WATER, OIL, WATER), (OIL, WATER), False),
    ],
)
def test_a_source_that_is_cited_again_may_be_named_again(
    annotations: str, cited: tuple[Citation, ...], came: tuple[Citation, ...], right: bool
) -> None:
    named = [link(each) for each in came] if annotations == "link" else came
    found = broken(
        says("a:Hot.", *cited, "a: Cold.", "a:", CALL), "Hot.", *named, " Cold.", CALL,
        annotations=annotations,
    )  # fmt: skip
    assert found == (set() if right else {"citation-routed"})
