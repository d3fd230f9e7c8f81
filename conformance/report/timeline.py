"""The timeline of a run or a scenario: what the upstream sent beside what the adapter emitted.

A part is placed beside the event that it came from, as found in the ledger, not by time: a complete
response may arrive in one read. A finding is placed at its part or event.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from conformance.contract.citations import same_source
from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger, offsets, text_due
from conformance.expectation.cancellation import RESOLVED
from conformance.expectation.expected_parts import expected_parts
from conformance.report import summary
from conformance.vocabularies import VOCABULARIES, ended
from mockserver.conversation import is_from_model
from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Emitted, Part, Request, Transcript
    from conformance.expectation.projection import Expected
    from conformance.vocabularies import Vocabulary
    from mockserver.scenario.script import Citation


_CANCELLED = "✂ cancelled"


@dataclass
class Row:
    """One event and the parts that came from it, in words.

    ``event`` is the number of the event, None in rows about no event, such as the heading of a
    turn, whose ``asked`` says what the host asks. ``silent`` is why no part is expected.
    """

    event: int | None
    left: str
    right: list[str] = field(default_factory=list)
    silent: str = ""
    findings: list[Finding] = field(default_factory=list)
    asked: str = ""


def of_run(transcript: Transcript, traits: Traits, findings: Sequence[Finding] = ()) -> list[Row]:
    """The rows of a run, turn after turn, with each finding at its place."""
    if not transcript.before:
        return _of_turn(transcript, traits, findings)
    rows: list[Row] = []
    for turn in transcript.turns:
        mine = [finding for finding in findings if finding.turn == turn.turn]
        rows += [turn_heading(turn.turn, _new_in_request(turn)), *_of_turn(turn, traits, mine)]
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


def _of_turn(transcript: Transcript, traits: Traits, findings: Sequence[Finding]) -> list[Row]:
    """The rows of one turn, one answer of the upstream after the other.

    Event numbers in findings refer to the last answer, which is the one that is judged.
    """
    rows: list[Row] = []
    at: dict[int, int] = {}
    start = 0
    for request, parts in _answers(transcript):
        rows += [Row(None, f"attempt {request.attempt}")] if request and request.attempt > 1 else []
        start = len(rows)
        entries = ledger(transcript.dialect, request.events if request else (), traits)
        rows += _answer_rows(request, transcript.dialect, entries)
        placer = _Placer(entries, VOCABULARIES[transcript.vocabulary].with_traits(traits), traits)
        for emitted in parts:
            row = at[emitted.n] = start + placer.row(emitted.part)
            rows[row].right.append(summary.of_part(emitted.part))
    _mark_cancellation(transcript, rows, at, start)
    nowhere = Row(None, "")
    for finding in findings:
        place = _place(finding, at, start)
        pinned = nowhere if place is None or place >= len(rows) else rows[place]
        pinned.findings.append(finding)
    rows += [nowhere] if nowhere.findings else []
    rows.append(Row(None, "", [_ending(transcript, traits)]))
    return rows


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


def _answers(transcript: Transcript) -> Iterator[tuple[Request | None, list[Emitted]]]:
    """Each answered request with the parts emitted before the next request."""
    left = list(transcript.parts)
    requests = transcript.answered or (None,)
    for request, following in zip_longest(requests, requests[1:]):
        out = [part for part in left if following is None or part.at < following.at]
        left = left[len(out) :]
        yield request, out


def _answer_rows(request: Request | None, dialect: str, entries: Sequence[Entry]) -> list[Row]:
    if request and request.answer:
        return [Row(None, line) for line in summary.of_answer(request.status, request.answer)]
    return _rows(request.events if request else (), dialect, entries)


def _rows(sent: Sequence[SentEvent], dialect: str, entries: Sequence[Entry]) -> list[Row]:
    rows = [
        Row(event.n, f"{event.n:>3} {summary.of_event(event, dialect)}", silent=entry.silent)
        for event, entry in zip(sent, entries, strict=True)
    ]
    return rows or [Row(None, "(nothing was sent)")]


class _Placer:
    """Finds the row of each part; rows never go back, so that parts keep their order."""

    def __init__(self, entries: Sequence[Entry], vocabulary: Vocabulary, traits: Traits) -> None:
        self._vocabulary = vocabulary
        self._due = {
            "text": text_due(entries, traits),
            "thinking": offsets(entries, "reasoning"),
        }
        self._calls = {id_: row for row, entry in enumerate(entries) for id_ in entry.calls}
        self._citing = [(r, p.source) for r, e in enumerate(entries) for p in e.adds if p.source]
        self._data = {p.value: r for r, e in enumerate(entries) for p in e.adds if p.kind == "data"}
        self._prefix = traits.call_id_prefix
        self._out = {"text": 0, "thinking": 0}
        self._last = max(len(entries) - 1, 0)
        self._row = 0

    def row(self, part: Part) -> int:
        """The row for the next part; the current row if nothing was sent that matches it."""
        found = self._find_row(part)
        self._row = self._row if found is None else max(self._row, found)
        return min(self._row, self._last)

    def _find_row(self, part: Part) -> int | None:
        read = self._vocabulary.read([part], None)
        for kind, said in (("text", read.text), ("thinking", read.thinking)):
            if said:
                self._out[kind] += len(said)
                due = self._out[kind]
                return next((row for row, sent in enumerate(self._due[kind]) if sent >= due), None)
        for cited in read.citations:
            return self._citation_row(cited.citation)
        for data in read.data:
            return self._data.get(data.data)
        for call in read.calls:
            return self._calls.get(call.id.removeprefix(self._prefix))
        return None

    def _citation_row(self, citation: Citation) -> int | None:
        """The row of the first citation of the same source that has no part yet; None if none."""
        for n, (row, sent) in enumerate(self._citing):
            if same_source(citation, sent):
                del self._citing[n]
                return row
        return None


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
