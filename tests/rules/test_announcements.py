"""The rules about announced calls: which updates they accept, and which they report."""

from typing import Any

from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, Part, Transcript
from conformance.expectation.projection import project
from conformance.expectation.turn_content import expected_contents
from conformance.findings.finding import Rule
from conformance.rules import RULES
from conformance.rules.evidence import Evidence
from conformance.rules.turns import PlayedTurn
from mockserver.cases.load import load
from tests.rows import row

SOURCE = b"""
title: A call
dialects: [chat]
turns:
  - sends: [{finish: {reason: stop}}]
    expect: {parts: []}
"""


BY_ID = {rule.id: rule for rule in RULES}


def delta(index: int = 0, **fields: Any) -> Part:
    return {"type": "delta", "index": index, "delta": fields}


def begin(id_: str = "call_1", index: int = 0) -> Part:
    return delta(
        index, text="", beginToolCalls=[{"name": "a", "id": id_} if id_ else {"name": "a"}]
    )


def update(arguments: str, id_: str = "call_1", index: int = 0) -> Part:
    one = {"name": "a", "arguments": arguments} | ({"id": id_} if id_ else {})
    return delta(index, text="", copilotToolCallStreamUpdates=[one])


def made(arguments: str = '{"x":1}', id_: str = "call_1", index: int = 0) -> Part:
    return delta(
        index, text="", copilotToolCalls=[{"name": "a", "id": id_, "arguments": arguments}]
    )


def broken(rule: Rule[Evidence], parts: list[Part], dialect: str = "chat", **traits: Any) -> int:
    scenario = load(SOURCE, "chat/drawn.yaml", "chat/drawn")
    (content,) = expected_contents(scenario)
    declared = Traits(**traits)
    (expected,) = project(content, declared)
    emitted = tuple(Emitted(n, 0.0, part) for n, part in enumerate(parts))
    end = (End(1.0, "completed"),)
    transcript = Transcript(
        case="chat/drawn@chat",
        scenario="chat/drawn",
        dialect=dialect,
        vocabulary="copilot",
        adapter="drawn",
        verdict="completed",
        parts=emitted,
        ends=end,
    )
    defects = rule.check(Evidence(PlayedTurn(transcript, declared), expected, content))
    return len({defect.about for defect in defects})


CASES: list[tuple[str, list[Part], int]] = [
    ("begin-once", [begin(), update("{"), made()], 0),
    ("begin-once", [made()], 0),
    ("begin-once", [begin(), begin("call_2"), made(), made(id_="call_2")], 0),
    ("begin-once", [begin(), begin(index=1), made(), made(index=1)], 0),
    ("begin-once", [begin(""), begin(""), made()], 0),
    ("begin-once", [begin(), begin(), made()], 1),
    ("begin-once", [update("{"), begin(), made()], 1),
    ("begin-once", [made(), begin()], 1),
    ("updates-cumulative", [update("{"), update('{"x":1'), made()], 0),
    ("updates-cumulative", [update("{"), update("{"), made()], 0),
    ("updates-cumulative", [update('{"x":1}'), made('{"x": 1}')], 0),
    ("updates-cumulative", [update('{"x": '), made('{"x":1}')], 0),
    ("updates-cumulative", [update('{"x":"\\u00e9"}'), made('{"x":"é"}')], 0),
    ("updates-cumulative", [update('{"x":"\ud83d'), update('{"x":"🚀"}')], 0),
    ("updates-cumulative", [update('{"x":"\ud83d'), update('{"x":"é"}')], 1),
    ("updates-cumulative", [made()], 0),
    ("updates-cumulative", [update("{", ""), update('"x"', ""), made()], 0),
    ("updates-cumulative", [update("{"), update("{", "call_2"), made()], 0),
    ("updates-cumulative", [update("{"), update('{"y"', index=1), made(index=0)], 0),
    ("updates-cumulative", [update("{"), update('"x":1}'), made()], 1),
    ("updates-cumulative", [update('{"x":1}'), update("{"), made()], 1),
    ("updates-cumulative", [update('{"x":2'), made()], 1),
    ("call-released", [delta(text="Hi"), begin(), update("{"), made(), made(id_="call_2")], 0),
    ("call-released", [made(), delta(text=""), delta(text="", thinking={"encrypted": "x"})], 0),
    ("call-released", [made(), delta(1, text="Hi"), made(index=1)], 0),
    ("call-released", [made(), {"type": "completion", "index": 0, "reason": "stop"}], 0),
    ("call-released", [made(), delta(text="Hi")], 1),
    ("call-released", [made(), update("{}")], 1),
    ("call-released", [made(), begin("call_2"), made(id_="call_2")], 1),
]


def test_a_rule_of_progress_has_findings_for_its_defects_alone() -> None:
    for rule, parts, times in CASES:
        with row((rule, parts)):
            assert broken(BY_ID[rule], parts) == times


def test_text_may_follow_calls_that_the_upstream_has_completed() -> None:
    parts = [made(), delta(text="Hi")]
    assert broken(BY_ID["call-released"], parts, "openresponses") == 0


def test_a_failure_reported_as_text_may_follow_calls() -> None:
    parts = [made(), delta(text="**Error:** Oh.")]
    assert broken(BY_ID["call-released"], parts, errors="text") == 0
