"""A scenario as it should go: what is sent, and what a correct adapter emits beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.contract.transcript import Plain, SentEvent
from conformance.expectation.content import stories
from conformance.report import summary as gist
from conformance.report import timeline
from conformance.report.timeline import Row, Until
from conformance.rules.judge import expectations
from conformance.vocabularies import VSCODE
from mockserver.dialects import DIALECTS
from mockserver.render import render
from mockserver.server.journal import answer_to_json
from mockserver.wire.frames import Gate
from mockserver.wire.slots import filled

if TYPE_CHECKING:
    from conformance.expectation.projection import Expected
    from mockserver.render import Case
    from mockserver.scenario.model import Scenario
    from mockserver.wire.frames import Plan


def outlined(what: Case, turn: int, attempt: int) -> tuple[list[Row], int]:
    """The rows of one attempt at a turn, and how many outcomes of it are right.

    Raises ScenarioError where the scenario contradicts itself.
    """
    accounts = expectations(what, stories(what.scenario, turn), Traits())
    right = [expected for story, expected in accounts if story.attempt == attempt]
    return _rows(what, turn, attempt, right[0]), len(right)


def host_says(scenario: Scenario, turn: int) -> str:
    """What the host has to say before a turn, in a few words."""
    if turn == 0:
        named = (("system", scenario.host.system), ("user", scenario.host.user))
        words = [f"{role} {gist.quoted(said, 60)}" for role, said in named if said]
        return ", ".join(words) or "the host asks"
    then = scenario.turns[turn - 1].then
    results = [f"the result of {id_}" for id_ in then.tool_results] if then else []
    user = [f"user {gist.quoted(then.user, 60)}"] if then and then.user else []
    return ", ".join([*results, *user])


def _rows(what: Case, turn: int, attempt: int, expected: Expected) -> list[Row]:
    sample = DIALECTS[what.dialect].sample()
    rendered = render(what, turn, attempt)
    sent = [
        SentEvent(s.n, s.at, s.kind, s.type, filled(s.data, sample), s.ignorable)
        for s in rendered.plan.sent
    ]
    until = _until(what, turn, rendered.plan)
    answer = rendered.answer
    plain = gist.of_answer(answer.status, Plain(**answer_to_json(answer))) if answer else ()
    return timeline.of_scenario(sent, what.dialect, expected, VSCODE.name, Traits(), until, plain)


def _until(what: Case, turn: int, plan: Plan) -> Until | None:
    """Where the host cancels, if it does."""
    cancel = what.scenario.turns[turn].cancel
    gates = {gate.name: gate.after for gate in plan.writes if isinstance(gate, Gate)}
    return Until(cancel.after_parts, gates.get(cancel.at)) if cancel else None
