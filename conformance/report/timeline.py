"""The timeline of a run or a scenario: what the upstream sent beside what the adapter emitted.

A part is beside the event for which it came (``conformance.report.placement``). What was due at an
event and did not come is said there. A finding is placed at its part or event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from conformance.dialects.ledger import ledger
from conformance.expectation.cancellation import RESOLVED
from conformance.expectation.expected_parts import expected_parts
from conformance.report import summary
from conformance.report.placement import BEFORE
from conformance.report.rows import AnswerRows, Due, Row, closing, due_in, hidden_by, rows_of
from conformance.report.run_rows import (
    deltas_with_other_ids,
    ending,
    has_wrong_request,
    in_order,
    is_about_ending,
    is_about_failure,
    is_about_request,
    is_about_usage,
    named_parts,
    not_judged,
    part_in_words,
    place_in_words,
    request_row,
    row_of_finding,
    with_stop,
)
from conformance.vocabularies import ended
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.conversation import is_from_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Emitted, Request, SentEvent, Transcript
    from conformance.expectation.projection import Expected
    from conformance.findings.finding import Finding
    from mockserver.cases.case import Case
    from mockserver.scenario.script import CloseHow

__all__ = ["CancelPoint", "Row", "of_run", "of_scenario", "turn_heading"]

_CANCELLED = "✂ cancelled"


def of_run(
    transcript: Transcript,
    traits: Traits,
    findings: Sequence[Finding] = (),
    case: Case | None = None,
) -> list[Row]:
    """The rows of a run, turn after turn, with each finding at its place.

    With the case that was played, the rows say what was due and did not come; after a turn with a
    finding of level ``must`` the conversation is not the scenario's, so nothing is due.
    """
    rows: list[Row] = []
    failed: int | None = None
    for n, each in enumerate(transcript.turns):
        turn = replace(each, before=transcript.turns[:n])
        mine = [finding for finding in in_order(findings) if finding.turn == turn.turn]
        due = due_in(case, turn, traits) if case and failed is None else Due()
        heading = [turn_heading(turn.turn, _new_in_request(turn))] if transcript.before else []
        rows += [*heading, *([not_judged(f"turn {failed} failed")] if failed is not None else [])]
        rows += _of_turn(turn, traits, mine, case, due)
        if failed is None and any(finding.level == "must" for finding in mine):
            failed = turn.turn
    return rows


def turn_heading(turn: int, asked: str) -> Row:
    """The row that begins a turn of a conversation, with the host's request in words."""
    return Row(None, f"— turn {turn} —", [asked], asked=asked)


def _new_in_request(turn: Transcript) -> str:
    """The messages in a turn's last request that follow the model's last message, in words."""
    asked = [(request.body, request.headers) for request in turn.posts[-1:]]
    entries = [
        e for each in asked for e in DIALECTS[turn.dialect].requests.read(*each).conversation
    ]
    spoken = max((n for n, entry in enumerate(entries) if is_from_model(entry)), default=-1)
    before = "… " if spoken >= 0 else ""
    new = ", ".join(map(summary.of_entry, entries[spoken + 1 :]))
    return before + new if entries else "no request that could be read"


def _of_turn(
    transcript: Transcript,
    traits: Traits,
    findings: Sequence[Finding],
    case: Case | None,
    due: Due,
) -> list[Row]:
    """The rows of one turn, one answer of the upstream after the other.

    Event numbers in findings refer to the last answer, which is the one that is judged.
    """
    rows: list[Row] = []
    at: dict[int, int] = {}
    start = 0
    named, with_id = named_parts(findings), deltas_with_other_ids(transcript.parts)
    about_request = [finding for finding in findings if is_about_request(finding)]
    in_time, late = _in_time(transcript, traits)
    answers = list(_answers(transcript, in_time))
    closed: list[Row] = []
    for n, (request, parts) in enumerate(answers, 1):
        rows += closed
        rows += [Row(None, f"attempt {request.attempt}")] if request and request.attempt > 1 else []
        is_last = n == len(answers)
        shown = [*parts, *late] if is_last else parts
        answer = AnswerRows.of(transcript, request, shown, traits, due if is_last else Due())
        if is_last and about_request:
            rows.append(replace(request_row(transcript), findings=about_request))
            rows += [not_judged("the request is wrong")] if has_wrong_request(findings) else []
        rows += [Row(None, "(before the first event)")] if BEFORE in answer.places.values() else []
        start = len(rows)
        rows += answer.rows
        for emitted in parts:
            row = at[emitted.n] = start + answer.places.get(emitted.n, 0)
            rows[row].right.append(part_in_words(emitted, named, with_id))
        if is_last and not any(earlier for _, earlier in answers[:-1]):
            answer.mark_missing(due, traits, {emitted.n for emitted in late})
            answer.mark_blamed(findings)
        if is_last:
            _mark_subjects(answer, transcript.dialect, findings)
        closed = _closing(case, transcript, request)
    _mark_cancellation(transcript, rows, at, start)
    last = Row(None, "", [ending(transcript, traits)])
    after = Row(None, "(after the end)")
    after.right += [part_in_words(emitted, named, with_id) for emitted in late]
    for finding in findings:
        if finding in about_request:
            continue
        is_late = any(emitted.n == finding.part for emitted in late)
        place = None if is_late else row_of_finding(finding, at, start, rows)
        pinned = after if is_late else last if place is None else rows[place]
        pinned.findings.append(finding)
        pinned.places[finding] = place_in_words(finding, place, at, start, rows)
    rows = with_stop(rows, transcript, at, start)
    return [*rows, *closed, last, *([after] if late else [])]


def _mark_subjects(answer: AnswerRows, dialect: str, findings: Sequence[Finding]) -> None:
    """Show in the rows of events what findings of certain rules are about."""
    if any(map(is_about_usage, findings)):
        answer.mark_usage(dialect)
    if any(map(is_about_ending, findings)):
        answer.mark_endings(dialect)
    if any(map(is_about_failure, findings)):
        answer.show_errors()


def _in_time(transcript: Transcript, traits: Traits) -> tuple[list[Emitted], list[Emitted]]:
    """The parts that came before the run had ended, and those that came after."""
    end = ended(transcript, traits)
    late = [part for part in transcript.parts if end is not None and part.at > end.at]
    return [part for part in transcript.parts if part not in late], late


@dataclass(frozen=True, slots=True)
class CancelPoint:
    """Where a run is cancelled: after ``parts`` parts, or after the event with this number."""

    parts: int | None = None
    event: int | None = None


def of_scenario(
    sent: Sequence[SentEvent],
    dialect: str,
    expected: Expected,
    vocabulary: str,
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
        rows[cancel_point.event or max((row for _, row in parts), default=0)].right.append(
            _CANCELLED
        )
    outcome = " or ".join(expected.outcomes)
    reason = f" ({expected.reason})" if expected.reason else ""
    rows += closing(close, sent, dialect) if sent and not plain else []
    rows.append(Row(None, "", [f"⏹ {outcome}{reason}"]))
    return rows


def _mark_cancellation(
    transcript: Transcript, rows: Sequence[Row], at: Mapping[int, int], start: int
) -> None:
    """Show where the run was cancelled: after the last part before it, or after its checkpoint."""
    cancelled = transcript.cancelled
    if cancelled is None:
        return
    # No checkpoint is recorded after the one at which a run was cancelled.
    reached = transcript.checkpoints if cancelled.by == "checkpoint" else ()
    place = max((start + each.event for each in reached[-1:]), default=0)
    place = min(max(place, at.get(cancelled.parts - 1, 0)), len(rows) - 1)
    before = sum(row == place and n < cancelled.parts for n, row in at.items())
    rows[place].right.insert(before, _CANCELLED)


def _closing(case: Case | None, turn: Transcript, request: Request | None) -> list[Row]:
    """How the upstream closed its answer, if it is a stream that was sent to its end."""
    if case is None or request is None or request.answer or request.turn is None:
        return []
    if request.turn >= len(case.scenario.turns):
        return []
    attempts = len(case.scenario.turns[request.turn].attempts)
    plan = render(case, request.turn, min(request.attempt, attempts)).plan
    complete = request.events and len(request.events) == len(plan.sent)
    return closing(plan.close, request.events, turn.dialect) if complete else []


def _answers(
    transcript: Transcript, parts: Sequence[Emitted]
) -> Iterator[tuple[Request | None, list[Emitted]]]:
    """Each answered request with those of the parts that were emitted before the next request."""
    left = list(parts)
    requests = transcript.answered or (None,)
    for request, following in zip_longest(requests, requests[1:]):
        out = [part for part in left if following is None or part.at < following.at]
        left = left[len(out) :]
        yield request, out
