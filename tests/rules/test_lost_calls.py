"""A call that every right adapter makes must not be lost, however odd its upstream is."""

from functools import lru_cache

import pytest

from conformance.contract.traits import Traits
from conformance.expectation.turn_content import expected_contents
from mockserver.cases.case import Case
from tests.rules.test_agreement import CASES, Subject, judged_both_ways, right_draft


def makes_calls(case: Case) -> bool:
    """Whether each right version of the first turn's last attempt completes with calls."""
    turn = case.scenario.turns[0]
    contents = expected_contents(case.scenario)
    versions = [c for c in contents if c.attempt == len(turn.attempts) and not turn.cancel]
    is_due = all(c.outcome == "completed" and c.calls for c in versions)
    return bool(versions) and is_due and (case.scenario.conduct != "violation" or len(versions) < 2)


def levels_without_calls(case: Case, traits: Traits) -> set[str]:
    """The levels of the findings about an adapter that loses all calls and is otherwise right."""
    subject = Subject(case, traits)
    content, expected = subject.expectations[-1]
    draft = right_draft(subject, expected, content.attempt)
    draft.parts = [part for part in draft.parts if part["type"] != "toolCall"]
    findings, _ = judged_both_ways(subject, draft, content.attempt)
    return {finding.level for finding in findings}


@lru_cache
def making_calls() -> list[Case]:
    return [case for case in CASES if makes_calls(case)]


def test_calls_that_are_lost_break_a_must() -> None:
    traits = Traits(choices="merge", emit_call_at="end")
    levels = {str(case): levels_without_calls(case, traits) for case in making_calls()}
    assert [case for case, broken in levels.items() if "must" not in broken] == []


@pytest.mark.parametrize(
    "name",
    ["chat/finish-comes-twice", "vercel/call-comes-twice", "vercel/gateway-call-comes-twice"],
)
def test_an_upstream_that_breaks_its_specification_after_a_call_excuses_no_loss(name: str) -> None:
    assert [case for case in making_calls() if case.scenario.id == name]
