"""A run, or a scenario, as two columns: what the upstream sent and what came out, side by side.

Parts stand beside the event that they came from, as the ledger places them, not by the clock: a
whole response may arrive in one read. A finding stands at its place, in a line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from conformance.contract.citations import same_source
from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger, offsets, text_due
from conformance.expectation.cancellation import RESOLVED
from conformance.expectation.expected_parts import ideal_parts
from conformance.report import summary as gist
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
    from mockserver.scenario.model import Citation


_CANCELLED = "✂ cancelled"


@dataclass
class Row:
    """One event, or none, and the parts that came of it.

    A row that begins a turn is about none; ``asked`` says what the host has to say by then.
    """

    event: int | None
    left: str
    right: list[str] = field(default_factory=list)
    silent: str = ""
    findings: list[Finding] = field(default_factory=list)
    asked: str = ""


def of_run(transcript: Transcript, traits: Traits, findings: Sequence[Finding] = ()) -> list[Row]:
    """The rows of a run, turn after turn, its findings at their places."""
    if not transcript.before:
        return _of_turn(transcript, traits, findings)
    rows: list[Row] = []
    for leg in transcript.turns:
        mine = [finding for finding in findings if finding.turn == leg.turn]
        rows += [begins(leg.turn, _asked(leg)), *_of_turn(leg, traits, mine)]
    return rows


def begins(turn: int, asked: str) -> Row:
    """The row that begins a turn of a conversation."""
    return Row(None, f"— turn {turn} —", [asked], asked=asked)


def _asked(leg: Transcript) -> str:
    """What the request for a turn told the upstream since the model last spoke."""
    asked = [(request.body, request.headers) for request in leg.posts[-1:]]
    told = [e for each in asked for e in DIALECTS[leg.dialect].inbound(*each).conversation]
    spoken = max((n for n, entry in enumerate(told) if is_from_model(entry)), default=-1)
    before = "… " if spoken >= 0 else ""
    new = ", ".join(map(gist.of_entry, told[spoken + 1 :]))
    return before + new if told else "no request that could be read"


def _of_turn(transcript: Transcript, traits: Traits, findings: Sequence[Finding]) -> list[Row]:
    """The rows of one turn, one answer of the upstream after the other.

    Events that findings are about are those of the answer that counts, which is the last one.
    """
    rows: list[Row] = []
    at: dict[int, int] = {}
    start = 0
    for request, parts in _answers(transcript):
        rows += [Row(None, f"attempt {request.attempt}")] if request and request.attempt > 1 else []
        start = len(rows)
        entries = ledger(transcript.dialect, request.events if request else (), traits)
        rows += _answered(request, transcript.dialect, entries)
        placer = _Placer(entries, VOCABULARIES[transcript.vocabulary].under(traits), traits)
        for emitted in parts:
            row = at[emitted.n] = start + placer.row(emitted.part)
            rows[row].right.append(gist.of_part(emitted.part))
    _mark(transcript, rows, at, start)
    nowhere = Row(None, "")
    for finding in findings:
        place = _place(finding, at, start)
        pinned = nowhere if place is None or place >= len(rows) else rows[place]
        pinned.findings.append(finding)
    rows += [nowhere] if nowhere.findings else []
    rows.append(Row(None, "", [_ending(transcript, traits)]))
    return rows


@dataclass(frozen=True, slots=True)
class Until:
    """Where the run of a scenario is cancelled: after so many parts, or behind an event."""

    parts: int | None = None
    event: int | None = None


def of_scenario(
    sent: Sequence[SentEvent],
    dialect: str,
    expected: Expected,
    vocabulary: str,
    traits: Traits,
    until: Until | None = None,
    plain: Sequence[str] = (),
) -> list[Row]:
    """The rows of a scenario: what a correct adapter emits, and when.

    ``plain`` are the lines of a plain answer, where there is one in place of a stream.
    """
    entries = ledger(dialect, sent, traits)
    rows = [Row(None, line) for line in plain] or _rows(sent, dialect, entries)
    parts = ideal_parts(entries, expected, vocabulary, traits)
    if until is not None:
        most = len(entries) if until.event is None else until.event
        parts = [(part, row) for part, row in parts[: until.parts] if row <= most]
        # An adapter need not say that it was cancelled; it must not say that it failed.
        expected = replace(expected, outcomes=RESOLVED, reason="")
    for part, row in parts:
        rows[row].right.append(gist.of_part(part))
    if until is not None and rows:
        rows[until.event or max((row for _, row in parts), default=0)].right.append(_CANCELLED)
    outcome = " or ".join(expected.outcomes)
    reason = f" ({expected.reason})" if expected.reason else ""
    rows.append(Row(None, "", [f"⏹ {outcome}{reason}"]))
    return rows


def _mark(transcript: Transcript, rows: Sequence[Row], at: Mapping[int, int], start: int) -> None:
    """Show where the run was cancelled: behind the last part before it, or its checkpoint."""
    cancelled = transcript.cancelled
    if cancelled is None:
        return
    # None is noted behind the one at which a run was cancelled.
    reached = transcript.checkpoints if cancelled.by == "checkpoint" else ()
    place = max((start + each.event for each in reached[-1:]), default=0)
    place = min(max(place, at.get(cancelled.parts - 1, 0)), len(rows) - 1)
    before = sum(row == place and n < cancelled.parts for n, row in at.items())
    rows[place].right.insert(before, _CANCELLED)


def _answers(transcript: Transcript) -> Iterator[tuple[Request | None, list[Emitted]]]:
    """Each request that was answered, and the parts that came out before the next one."""
    left = list(transcript.parts)
    requests = transcript.played or (None,)
    for request, following in zip_longest(requests, requests[1:]):
        out = [part for part in left if following is None or part.at < following.at]
        left = left[len(out) :]
        yield request, out


def _answered(request: Request | None, dialect: str, entries: Sequence[Entry]) -> list[Row]:
    if request and request.answer:
        return [Row(None, line) for line in gist.of_answer(request.status, request.answer)]
    return _rows(request.events if request else (), dialect, entries)


def _rows(sent: Sequence[SentEvent], dialect: str, entries: Sequence[Entry]) -> list[Row]:
    rows = [
        Row(event.n, f"{event.n:>3} {gist.of_event(event, dialect)}", silent=entry.silent)
        for event, entry in zip(sent, entries, strict=True)
    ]
    return rows or [Row(None, "(nothing was sent)")]


class _Placer:
    """Finds the row of each part, going forward only: parts keep their order."""

    def __init__(self, entries: Sequence[Entry], words: Vocabulary, traits: Traits) -> None:
        self._words = words
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
        found = self._found(part)
        self._row = self._row if found is None else max(self._row, found)
        return min(self._row, self._last)

    def _found(self, part: Part) -> int | None:
        read = self._words.read([part], None)
        for kind, said in (("text", read.text), ("thinking", read.thinking)):
            if said:
                self._out[kind] += len(said)
                due = self._out[kind]
                return next((row for row, sent in enumerate(self._due[kind]) if sent >= due), None)
        for cited in read.citations:
            return self._cited(cited.citation)
        for data in read.data:
            return self._data.get(data.data)
        for call in read.calls:
            return self._calls.get(call.id.removeprefix(self._prefix))
        return None

    def _cited(self, citation: Citation) -> int | None:
        """The row of the first citation of the source that has no part yet."""
        for n, (row, sent) in enumerate(self._citing):
            if same_source(citation, sent):
                del self._citing[n]
                return row
        return None


def _place(finding: Finding, at: dict[int, int], start: int) -> int | None:
    """The row of its part, or of its event where it has none."""
    row = None if finding.part is None else at.get(finding.part)
    if row is None and finding.event is not None:
        return start + finding.event
    return row


def _ending(transcript: Transcript, traits: Traits) -> str:
    end = ended(transcript, traits)
    if end is None:
        return f"⏹ {transcript.verdict}, no ending"
    told = f": {gist.clip(end.error.message)}" if end.error and end.error.message else ""
    finish = f" ({end.finish})" if end.finish else ""
    verdict = "" if transcript.verdict == end.outcome else f" [{transcript.verdict}]"
    return f"⏹ {end.outcome}{finish}{told}{verdict}"
