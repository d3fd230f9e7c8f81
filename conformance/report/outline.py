"""The timeline of a scenario as a correct adapter plays it, without running one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.contract.transcript import PlainAnswer, SentEvent
from conformance.expectation.turn_content import expected_contents
from conformance.report import summary, timeline
from conformance.report.timeline import CancelPoint, Row
from conformance.rules.judge import expectations
from conformance.vocabularies import VSCODE
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.server.journal import answer_to_json
from mockserver.wire.frames import Gate
from mockserver.wire.slots import fill_json

if TYPE_CHECKING:
    from conformance.expectation.projection import Expected
    from mockserver.cases.case import Case
    from mockserver.scenario.model import Scenario
    from mockserver.wire.frames import Plan


def outline_rows(case: Case, turn: int, attempt: int) -> tuple[list[Row], int]:
    """The rows of one attempt at a turn, and the number of outcomes that count as right.

    The rows show the first of them. Raises ScenarioError if the scenario contradicts itself.
    """
    expected_by_story = expectations(case, expected_contents(case.scenario, turn), Traits())
    right = [expected for story, expected in expected_by_story if story.attempt == attempt]
    return _rows(case, turn, attempt, right[0]), len(right)


def host_says(scenario: Scenario, turn: int) -> str:
    """The host's messages before a turn, in a few words."""
    if turn == 0:
        named = (("system", scenario.host.system), ("user", scenario.host.user))
        words = [f"{role} {summary.quoted(said, 60)}" for role, said in named if said]
        return ", ".join(words) or "the host asks"
    then = scenario.turns[turn - 1].then
    results = [f"the result of {id_}" for id_ in then.tool_results] if then else []
    user = [f"user {summary.quoted(then.user, 60)}"] if then and then.user else []
    return ", ".join([*results, *user])


def _rows(case: Case, turn: int, attempt: int, expected: Expected) -> list[Row]:
    sample = DIALECTS[case.dialect].sample()
    rendered = render(case, turn, attempt)
    sent = [
        SentEvent(s.n, s.at, s.kind, s.type, fill_json(s.data, sample), s.ignorable)
        for s in rendered.plan.sent
    ]
    cancel_point = _cancel_point(case, turn, rendered.plan)
    answer = rendered.answer
    plain = (
        summary.of_answer(answer.status, PlainAnswer(**answer_to_json(answer))) if answer else ()
    )
    return timeline.of_scenario(
        sent,
        case.dialect,
        expected,
        VSCODE.name,
        Traits(),
        cancel_point,
        plain,
        rendered.plan.close,
    )


def _cancel_point(case: Case, turn: int, plan: Plan) -> CancelPoint | None:
    """Where the host cancels the turn; None if it does not."""
    cancel = case.scenario.turns[turn].cancel
    gates = {gate.name: gate.after for gate in plan.writes if isinstance(gate, Gate)}
    return CancelPoint(cancel.after_parts, gates.get(cancel.at)) if cancel else None
