"""A call of a tool that the host did not offer: what each value of the trait allows."""

from __future__ import annotations

import json

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import VERDICTS, Emitted, End, Part, ReportedError, Transcript
from conformance.rules.judge import judge_case
from mockserver.cases.case import Case
from mockserver.cases.load import load
from tests.rules.test_attempts import request

SCENARIO = {
    "title": "A tool that was not offered",
    "host": {"user": "Tidy up.", "tools": [{"name": "read_file"}]},
    "turns": [
        {
            "says": [
                {"text": "Wait."},
                {"call": {"id": "call_1", "name": "delete_file", "input": {"path": "a"}}},
            ]
        }
    ],
}
CASE = Case(load(json.dumps(SCENARIO).encode(), "x.yaml", "any/x"), "openresponses")
TEXT: Part = {"type": "text", "value": "Wait."}
CALL: Part = {"type": "toolCall", "callId": "call_1", "name": "delete_file", "input": {"path": "a"}}
RENAMED: Part = {**CALL, "name": "read_file"}

COMPLETED = End(9.0, "completed")
FAILED = End(9.0, "failed", error=ReportedError("upstream", "there is no tool delete_file"))
FAILS = Traits(unoffered_tool="error")


@pytest.mark.parametrize(
    ("traits", "parts", "end", "rules"),
    [
        (Traits(), [TEXT, CALL], COMPLETED, []),
        (Traits(), [TEXT], COMPLETED, ["call-none-lost"]),
        (Traits(), [TEXT, RENAMED], COMPLETED, ["call-name"]),
        (Traits(), [TEXT], FAILED, ["end-honest"]),
        (FAILS, [TEXT], FAILED, []),
        (FAILS, [TEXT], COMPLETED, ["end-honest"]),
        (FAILS, [TEXT, CALL], FAILED, ["call-none-invented"]),
        (FAILS, [TEXT, RENAMED], FAILED, ["call-none-invented"]),
    ],
    ids=[
        *("emitted", "dropped", "renamed", "failed though declared as a call"),
        *("failed", "dropped though declared as an error", "emitted and failed", "renamed, failed"),
    ],
)
def test_a_call_of_an_unoffered_tool_is_emitted_or_fails_the_run_as_declared(
    traits: Traits, parts: list[Part], end: End, rules: list[str]
) -> None:
    transcript = Transcript(
        case=str(CASE),
        scenario="any/x",
        dialect=CASE.dialect,
        vocabulary="vscode",
        adapter="mine",
        verdict=VERDICTS[end.outcome],
        requests=(request(CASE, 1),),
        parts=tuple(Emitted(n, 2.0, part) for n, part in enumerate(parts)),
        ends=(end,),
    )
    findings = judge_case(CASE, transcript, traits)
    assert [(finding.rule, finding.level) for finding in findings] == [(r, "must") for r in rules]
