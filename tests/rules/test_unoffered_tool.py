"""A call of a tool that the host did not offer: what each value of the trait allows."""

import pytest

from conformance.contract.traits import Traits
from conformance.contract.transcript import End, Part, ReportedError
from conformance.rules.judge import judge_case
from tests.rules.made_runs import case_of, run_of

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
CASE = case_of(SCENARIO)
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
    findings = judge_case(CASE, run_of(CASE, parts, end), traits)
    assert [(finding.rule, finding.level) for finding in findings] == [(r, "must") for r in rules]
