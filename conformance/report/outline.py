"""The timeline of a scenario as a correct adapter plays it, without running one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.contract.traits import Traits
from conformance.contract.transcript import PlainAnswer, SentEvent
from conformance.dialects.ledger import ledger
from conformance.dialects.recording import sample_events
from conformance.dialects.short_text import quoted
from conformance.expectation.early_endings import RESOLVED
from conformance.expectation.expected_parts import expected_parts
from conformance.expectation.projection import Expected, expectations
from conformance.report import summary
from conformance.report.rows import Row, closing, hidden_by, rows_of
from conformance.report.timeline import CANCELLED
from conformance.vocabularies import VSCODE, Vocabulary
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import CloseHow
from mockserver.server.journal import answer_to_json
from mockserver.wire.frames import Gate


@dataclass(frozen=True, slots=True)
class CancelPoint:
    """Where a run is cancelled: after ``parts`` parts, or after the event with this number."""

    parts: int | None = None
    event: int | None = None


def outline_rows(case: Case, turn: int, attempt: int) -> tuple[list[Row], int]:
    """The rows of one attempt at a turn, and the number of outcomes that count as right.

    The rows show the first of them. Raises ScenarioError if the scenario contradicts itself.
    """
    expected_by_story = expectations(case, Traits(), turn)
    right = [expected for story, expected in expected_by_story if story.attempt == attempt]
    rendered = render(case, turn, attempt)
    plan, answer = rendered.plan, rendered.answer
    sent = sample_events(plan, case.dialect)
    cancel = case.scenario.turns[turn].cancel
    gates = {gate.name: gate.after for gate in plan.writes if isinstance(gate, Gate)}
    point = CancelPoint(cancel.after_parts, gates.get(cancel.at)) if cancel else None
    plain = (
        summary.of_answer(answer.status, PlainAnswer(**answer_to_json(answer))) if answer else ()
    )
    rows = rows_of_scenario(
        sent, case.dialect, right[0], VSCODE, Traits(), point, plain, plan.close
    )
    return rows, len(right)


def host_says(scenario: Scenario, turn: int) -> str:
    """The host's messages before a turn, in a few words."""
    if turn == 0:
        named = (("system", scenario.host.system), ("user", scenario.host.user))
        words = [f"{role} {quoted(said, 60)}" for role, said in named if said]
        return ", ".join(words) or "the host asks"
    then = scenario.turns[turn - 1].then
    results = [f"the result of {id_}" for id_ in then.tool_results] if then else []
    user = [f"user {quoted(then.user, 60)}"] if then and then.user else []
    return ", ".join([*results, *user])


def rows_of_scenario(
    sent: Sequence[SentEvent],
    dialect: str,
    expected: Expected,
    vocabulary: Vocabulary,
    traits: Traits,
    cancel_point: CancelPoint | None = None,
    plain: Sequence[str] = (),
    close: CloseHow = "clean",
) -> list[Row]:
    """The rows of a scenario, with the parts that a correct adapter emits.

    ``plain`` are the lines of a non-streaming answer, if there is one instead of a stream, and
    ``close`` is how a stream is closed.
    """
    entries = ledger(dialect, sent, traits)
    rows = [Row(None, line) for line in plain] or rows_of(sent, dialect, entries)
    parts = expected_parts(entries, expected, vocabulary, traits)
    if cancel_point is not None:
        last_row = len(entries) if cancel_point.event is None else cancel_point.event
        parts = [(part, row) for part, row in parts[: cancel_point.parts] if row <= last_row]
        # An adapter may end as cancelled or completed, but not as failed.
        expected = replace(expected, outcomes=RESOLVED, reason="")
    for part, row in parts:
        rows[row].right.append(summary.of_part(part))
    for row_of_event, entry in zip(rows, entries, strict=False):
        if entry.adds and not row_of_event.right:
            row_of_event.silent = hidden_by(entry, traits)
    if cancel_point is not None and rows:
        place = cancel_point.event or max((row for _, row in parts), default=0)
        rows[place].right.append(CANCELLED)
    outcome = " or ".join(expected.outcomes)
    reason = f" ({expected.reason})" if expected.reason else ""
    rows += closing(close, sent, dialect) if sent and not plain else []
    rows.append(Row(None, "", [f"⏹ {outcome}{reason}"]))
    return rows
