"""The timeline of a run or a scenario: what the upstream sent beside what the adapter emitted.

A part is beside the event for which it came (``conformance.report.placement``). What was due at an
event and did not come is said there. A finding is placed at its part or event.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import ledger
from conformance.expectation.cancellation import RESOLVED
from conformance.expectation.expected_parts import expected_parts
from conformance.report import summary
from conformance.report.due import Due, due_in, missing_by_row, part_with_content
from conformance.report.placement import BEFORE, Answer, placed
from conformance.vocabularies import VOCABULARIES, ended
from mockserver.conversation import is_from_model
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Emitted, Request, Transcript
    from conformance.dialects.ledger import Entry
    from conformance.expectation.projection import Expected
    from conformance.report.placement import Placed
    from conformance.vocabularies import Vocabulary
    from mockserver.render import Case


_CANCELLED = "✂ cancelled"


@dataclass
class Row:
    """One event and the parts that came from it, in words.

    ``event`` is the number of the event, None in rows about no event, such as the heading of a
    turn, whose ``asked`` says what the host asks. ``silent`` is why no part is beside the event.
    ``missing`` says what was due at the event and did not come.
    """

    event: int | None
    left: str
    right: list[str] = field(default_factory=list)
    silent: str = ""
    missing: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    asked: str = ""


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
    for turn in transcript.turns:
        mine = [finding for finding in findings if finding.turn == turn.turn]
        due = due_in(case, turn, traits) if case else Due()
        heading = [turn_heading(turn.turn, _new_in_request(turn))] if transcript.before else []
        rows += [*heading, *_of_turn(turn, traits, mine, due)]
        case = None if any(finding.level == "must" for finding in mine) else case
    return rows


def turn_heading(turn: int, asked: str) -> Row:
    """The row that begins a turn of a conversation, with the host's request in words."""
    return Row(None, f"— turn {turn} —", [asked], asked=asked)


def _new_in_request(turn: Transcript) -> str:
    """The messages in a turn's last request that follow the model's last message, in words."""
    asked = [(request.body, request.headers) for request in turn.posts[-1:]]
    entries = [e for each in asked for e in DIALECTS[turn.dialect].inbound(*each).conversation]
    spoken = max((n for n, entry in enumerate(entries) if is_from_model(entry)), default=-1)
    before = "… " if spoken >= 0 else ""
    new = ", ".join(map(summary.of_entry, entries[spoken + 1 :]))
    return before + new if entries else "no request that could be read"


def _of_turn(
    transcript: Transcript, traits: Traits, findings: Sequence[Finding], due: Due
) -> list[Row]:
    """The rows of one turn, one answer of the upstream after the other.

    Event numbers in findings refer to the last answer, which is the one that is judged.
    """
    rows: list[Row] = []
    at: dict[int, int] = {}
    start = 0
    in_time, late = _in_time(transcript, traits)
    answers = list(_answers(transcript, in_time))
    for n, (request, parts) in enumerate(answers, 1):
        rows += [Row(None, f"attempt {request.attempt}")] if request and request.attempt > 1 else []
        is_last = n == len(answers)
        shown = [*parts, *late] if is_last else parts
        answer = _Answer.of(transcript, request, shown, traits, due if is_last else Due())
        rows += [Row(None, "(before the first event)")] if BEFORE in answer.places.values() else []
        start = len(rows)
        rows += answer.rows
        for emitted in parts:
            row = at[emitted.n] = start + answer.places.get(emitted.n, 0)
            rows[row].right.append(summary.of_part(emitted.part))
        if is_last and not any(earlier for _, earlier in answers[:-1]):
            answer.mark_missing(due, traits, {emitted.n for emitted in late})
    _mark_cancellation(transcript, rows, at, start)
    ending = Row(None, "", [_ending(transcript, traits)])
    after = Row(None, "(after the end)")
    after.right += [summary.of_part(emitted.part) for emitted in late]
    for finding in findings:
        place = _place(finding, at, start)
        is_late = any(emitted.n == finding.part for emitted in late)
        pinned = ending if place is None or place >= len(rows) else rows[place]
        (after if is_late else pinned).findings.append(finding)
    return [*rows, ending, *([after] if late else [])]


def _in_time(transcript: Transcript, traits: Traits) -> tuple[list[Emitted], list[Emitted]]:
    """The parts that came before the run had ended, and those that came after."""
    end = ended(transcript, traits)
    late = [part for part in transcript.parts if end is not None and part.at > end.at]
    return [part for part in transcript.parts if part not in late], late


@dataclass(frozen=True, slots=True)
class _Answer:
    """The rows of one answer, and the places of its parts in them by number.

    ``found`` is None if the answer is no stream; all of its parts are then in the first row.
    """

    rows: list[Row]
    vocabulary: Vocabulary
    entries: Sequence[Entry] = ()
    found: Placed | None = None

    @classmethod
    def of(
        cls,
        transcript: Transcript,
        request: Request | None,
        parts: Sequence[Emitted],
        traits: Traits,
        due: Due,
    ) -> _Answer:
        """Place the parts that were emitted during an answer."""
        vocabulary = VOCABULARIES[transcript.vocabulary].with_traits(traits)
        if request and request.answer:
            plain = summary.of_answer(request.status, request.answer)
            return cls([Row(None, line) for line in plain], vocabulary)
        dialect, sent = transcript.dialect, request.events if request else ()
        entries = ledger(dialect, sent, traits)
        rows = _rows(sent, dialect, entries)
        if request is None or not sent:
            return cls(rows, vocabulary)
        is_last = DIALECTS[dialect].is_last
        last = next((n for n, event in enumerate(sent) if is_last(event.type)), len(sent) - 1)
        answer = Answer(request.at, sent, entries, last)
        # Checkpoints name the events of the last answer.
        checkpoints = transcript.checkpoints if request is transcript.answered[-1] else ()
        found = placed(parts, answer, vocabulary, traits, due, checkpoints)
        return cls(rows, vocabulary, entries, found)

    @property
    def places(self) -> Mapping[int, int]:
        """The row of each part; -1 if it came before the first event."""
        return self.found.rows if self.found else {}

    def mark_missing(self, due: Due, traits: Traits, late: Collection[int]) -> None:
        """Say at each event what was due and did not come, or where its content is.

        ``late`` are the numbers of the parts that came after the run had ended.
        """
        if self.found is None:
            return
        missing = missing_by_row(due, self.found, self.vocabulary, traits)
        for n, (row, entry) in enumerate(zip(self.rows, self.entries, strict=True)):
            row.missing += [f"did not come: {summary.of_part(part)}" for part in missing[n]]
            if entry.adds and not row.right and not row.missing:
                part = part_with_content(n, entry, self.found)
                row.silent = _where(n, self.found, part, late)


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
) -> list[Row]:
    """The rows of a scenario, with the parts that a correct adapter emits.

    ``plain`` are the lines of a non-streaming answer, if there is one instead of a stream.
    """
    entries = ledger(dialect, sent, traits)
    rows = [Row(None, line) for line in plain] or _rows(sent, dialect, entries)
    parts = expected_parts(entries, expected, vocabulary, traits)
    if cancel_point is not None:
        last_row = len(entries) if cancel_point.event is None else cancel_point.event
        parts = [(part, row) for part, row in parts[: cancel_point.parts] if row <= last_row]
        # An adapter may end as cancelled or completed, but not as failed.
        expected = replace(expected, outcomes=RESOLVED, reason="")
    for part, row in parts:
        rows[row].right.append(summary.of_part(part))
    if cancel_point is not None and rows:
        rows[cancel_point.event or max((row for _, row in parts), default=0)].right.append(
            _CANCELLED
        )
    outcome = " or ".join(expected.outcomes)
    reason = f" ({expected.reason})" if expected.reason else ""
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


def _where(row: int, found: Placed, part: int | None, late: Collection[int]) -> str:
    """Where the part with an event's content is, in words, if it is not beside the event."""
    if part is None:
        return "nothing came"
    if part in late:
        return "came after the end"
    at = found.rows[part]
    return f"shown at event {at}" if at > row else "came before it"


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


def _rows(sent: Sequence[SentEvent], dialect: str, entries: Sequence[Entry]) -> list[Row]:
    rows = [
        Row(event.n, f"{event.n:>3} {summary.of_event(event, dialect)}", silent=entry.silent)
        for event, entry in zip(sent, entries, strict=True)
    ]
    return rows or [Row(None, "(nothing was sent)")]


def _place(finding: Finding, at: dict[int, int], start: int) -> int | None:
    """The row of a finding: that of its part, else of its event; None if it has neither."""
    row = None if finding.part is None else at.get(finding.part)
    if row is None and finding.event is not None:
        return start + finding.event
    return row


def _ending(transcript: Transcript, traits: Traits) -> str:
    end = ended(transcript, traits)
    if end is None:
        return f"⏹ {transcript.verdict}, no ending"
    error = f": {summary.clip(end.error.message)}" if end.error and end.error.message else ""
    finish = f" ({end.finish})" if end.finish else ""
    verdict = "" if transcript.verdict == end.outcome else f" [{transcript.verdict}]"
    return f"⏹ {end.outcome}{finish}{error}{verdict}"
