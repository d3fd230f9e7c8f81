"""The timeline of a run: what the upstream sent beside what the adapter emitted.

A part is beside the event for which it came (``conformance.report.placement``). What was due at an
event and did not come is said there. A finding is placed at its part or event.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from conformance.contract.transcript import Emitted, Request, Transcript, Verdict
from conformance.dialects.short_text import clip
from conformance.findings.finding import Finding
from conformance.report import summary
from conformance.report.placement import BEFORE
from conformance.report.rows import AnswerRows, Due, Row, closing, due_in
from conformance.rules.requests import TURN_RULES
from conformance.rules.turns import PlayedTurn
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.conversation import is_from_model
from mockserver.foundation.json_fields import text

CANCELLED = "✂ cancelled"
ELSEWHERE = " at event "
"""What is between a part and the event beside it, if that is not the event of the finding."""

_ABOUT_REQUESTS = frozenset(rule.id for rule in TURN_RULES)
_PART_NUMBERS = ("again", "final")
"""The values of kinds that are numbers of parts."""
_MAX_ENTRIES = 6
_MAX_ID = 16

_STOPS: dict[Verdict, str] = {"crashed": "the adapter crashed", "failed": "the run failed"}
"""The runs that end before their stream does, by verdict, in words."""

_VERDICTS: dict[Verdict, str] = {
    "timed-out": " when its time was over",
    "broke-protocol": ", but the adapter broke the driver protocol",
    "crashed": ", but the adapter crashed",
    "hung": ", but the adapter hung",
}
"""What matters of a verdict that differs from the reported outcome.

A run that completes and reports a failure in a part does so as its traits say, so nothing does.
"""


def of_run(turns: Sequence[PlayedTurn], findings: Sequence[Finding] = ()) -> list[Row]:
    """The rows of a run, turn after turn, with each finding at its place.

    If the case is known, the rows say what was due and did not come; after a turn with a finding of
    level ``must`` the conversation is not the scenario's, so nothing is due.
    """
    rows: list[Row] = []
    failed: int | None = None
    for turn in turns:
        number = turn.transcript.turn
        mine = [finding for finding in in_order(findings) if finding.turn == number]
        if len(turns) > 1:
            asked = _new_in_request(turn.transcript)
            rows.append(Row(None, f"— turn {number} —", [asked], asked=asked))
        if failed is not None:
            rows.append(_not_judged(f"turn {failed} failed"))
        rows += _of_turn(turn, mine, due_in(turn) if failed is None else Due())
        if failed is None and any(finding.level == "must" for finding in mine):
            failed = number
    return rows


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


def _not_judged(why: str) -> Row:
    """A row that says why nothing below it is judged."""
    return Row(None, "", [f"(not judged: {why})"])


def _of_turn(turn: PlayedTurn, findings: Sequence[Finding], due: Due) -> list[Row]:
    """The rows of one turn, one answer of the upstream after the other.

    Event numbers in findings refer to the last answer, which is the one that is judged.
    """
    rows: list[Row] = []
    at: dict[int, int] = {}
    start = 0
    transcript, end = turn.transcript, turn.end
    named, with_id = _named_parts(findings), deltas_with_other_ids(transcript.parts)
    about_request = [finding for finding in findings if _is_about_request(finding)]
    late = [part for part in transcript.parts if end is not None and part.at > end.at]
    answers = list(_answers(transcript, [part for part in transcript.parts if part not in late]))
    closed: list[Row] = []
    for n, (request, parts) in enumerate(answers, 1):
        rows += closed
        rows += [Row(None, f"attempt {request.attempt}")] if request and request.attempt > 1 else []
        is_last = n == len(answers)
        shown = [*parts, *late] if is_last else parts
        answer = AnswerRows.of(turn, request, shown, due if is_last else Due())
        if is_last and about_request:
            rows.append(replace(_request_row(transcript), findings=about_request))
            if any(finding.level == "must" for finding in about_request):
                rows.append(_not_judged("the request is wrong"))
        rows += [Row(None, "(before the first event)")] if BEFORE in answer.places.values() else []
        start = len(rows)
        rows += answer.rows
        for emitted in parts:
            row = at[emitted.n] = start + answer.places.get(emitted.n, 0)
            rows[row].right.append(part_in_words(emitted, named, with_id))
        if is_last and not any(earlier for _, earlier in answers[:-1]):
            answer.mark_missing(due, turn.traits, {emitted.n for emitted in late})
            answer.mark_blamed(findings)
        if is_last:
            answer.mark_subjects(transcript.dialect, findings)
        closed = _closing(turn.case, transcript, request)
    _mark_cancellation(transcript, rows, at, start)
    last = Row(None, "", [ending(turn)])
    after = Row(None, "(after the end)")
    after.right += [part_in_words(emitted, named, with_id) for emitted in late]
    for finding in findings:
        if finding in about_request:
            continue
        is_late = any(emitted.n == finding.part for emitted in late)
        place = None if is_late else _row_of_finding(finding, at, start, rows)
        pinned = after if is_late else last if place is None else rows[place]
        pinned.findings.append(finding)
        pinned.places[finding] = _place_in_words(finding, place, at, start, rows)
    rows = _with_stop(rows, transcript, at, start)
    return [*rows, *closed, last, *([after] if late else [])]


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
    rows[place].right.insert(before, CANCELLED)


def _is_about_request(finding: Finding) -> bool:
    """Whether a finding is about the request, and not about what was made of its answer."""
    nowhere = finding.event is None and finding.part is None
    return nowhere and finding.rule in _ABOUT_REQUESTS


def _request_row(transcript: Transcript) -> Row:
    """A row with what the last request says, the tools that it offers, and its limit."""
    row = Row(None, "(the request)", is_request=True)
    for request in transcript.posts[-1:]:
        inbound = DIALECTS[transcript.dialect].requests.read(request.body, request.headers)
        entries = [summary.of_entry(entry) for entry in inbound.conversation]
        more = [f"… {len(entries) - _MAX_ENTRIES:,} more"] if len(entries) > _MAX_ENTRIES else []
        row.right += [*more, *entries[-_MAX_ENTRIES:]]
        if inbound.tools is not None:
            names = [name or "''" for name, _ in inbound.tools]
            row.right.append(f"offers {', '.join(names)}" if names else "offers no tool")
        if inbound.limit is not None:
            row.right.append(f"allows {inbound.limit} output tokens")
    return row


def _named_parts(findings: Sequence[Finding]) -> frozenset[int]:
    """The numbers of the parts that findings name."""
    values = [finding.kind.values() for finding in findings]
    numbers = [finding.part for finding in findings]
    numbers += [each.get(name) for each in values for name in _PART_NUMBERS]
    return frozenset(n for n in numbers if isinstance(n, int))


def part_in_words(emitted: Emitted, named: Collection[int], with_id: Collection[int] = ()) -> str:
    """A part in words, with its number if a finding names it.

    ``with_id`` are the numbers of the deltas that have the id of their block.
    """
    number = f"#{emitted.n} " if emitted.n in named else ""
    words = summary.of_part(emitted.part)
    if emitted.n in with_id:
        kind, _, value = words.partition(" ")
        words = f"{kind} {clip(text(emitted.part.get('id')), _MAX_ID) or repr('')} {value}"
    return f"{number}{words}"


def deltas_with_other_ids(parts: Sequence[Emitted]) -> frozenset[int]:
    """The numbers of the deltas whose id is not that of the one block that is open.

    An adapter that begins no blocks of a kind has no ids to show.
    """
    begun = {text(emitted.part.get("type")) for emitted in parts}
    open_: list[tuple[str, str]] = []
    other = set()
    for emitted in parts:
        kind, _, what = text(emitted.part.get("type")).rpartition("-")
        block = kind, text(emitted.part.get("id"))
        if kind not in ("text", "reasoning") or f"{kind}-start" not in begun:
            continue
        if what == "start":
            open_.append(block)
        elif what == "end" and block in open_:
            open_.remove(block)
        elif what == "delta" and [block] != [each for each in open_ if each[0] == kind]:
            other.add(emitted.n)
    return frozenset(other)


def _with_stop(
    rows: Sequence[Row], transcript: Transcript, at: Mapping[int, int], start: int
) -> list[Row]:
    """The rows, with one after the last part of a run that stopped before its stream did.

    Without any part it is before the first event at which one was due. What was due at events that
    were sent after the run had ended is said to be due after that.
    """
    words = _STOPS.get(transcript.verdict) if len(at) == len(transcript.parts) else None
    place = max((*at.values(), start - 1)) + 1
    missing = [row for row in rows[place:] if row.missing]
    if not words or not (missing or (transcript.verdict == "crashed" and place < len(rows))):
        return list(rows)
    if not at:
        place = next((n for n, row in enumerate(rows) if n >= place and row.missing), len(rows))
    # Posted parts and their ending have the time of the request.
    asked = [request.at for request in transcript.answered]
    if asked and transcript.end and transcript.end.at != asked[-1]:
        times = {event.n: event.at for event in transcript.sent}
        for row in missing:
            if row.event is not None and times[row.event] > transcript.end.at:
                row.missing = [f"{line} (the run had ended)" for line in row.missing]
    came = "nothing came after this" if transcript.parts else "nothing came"
    return [*rows[:place], Row(None, "", [f"({came}: {words})"]), *rows[place:]]


def ending(turn: PlayedTurn) -> str:
    """How a run ended, in words."""
    transcript, end = turn.transcript, turn.reported_end
    if end is None:
        return f"⏹ {transcript.verdict}, no ending"
    error = f": {summary.of_error(end.error)}" if end.error and end.error.message else ""
    if end.outcome == "error":
        return f"⏹ {transcript.verdict}{error}"
    finish = f" ({end.finish})" if end.finish else ""
    differs = transcript.verdict != end.outcome
    verdict = _VERDICTS.get(transcript.verdict, "") if differs else ""
    return f"⏹ {end.outcome}{finish}{verdict}{error}"


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a run in the order in which they are shown: by level, then by turn."""
    return sorted(findings, key=lambda each: (each.level != "must", each.turn))


def _row_of_finding(
    finding: Finding, at: Mapping[int, int], start: int, rows: Sequence[Row]
) -> int | None:
    """The row of a finding: that of its part, else of its event; None if it has neither.

    At an event of which something did not come, the finding is about that. ``at`` has the rows of
    parts, and ``start`` is the first row of the answer whose events findings name.
    """
    part = None if finding.part is None else at.get(finding.part)
    event = None if finding.event is None else start + finding.event
    if event is None or event >= len(rows):
        return part
    return event if part is None or rows[event].missing else part


def _place_in_words(
    finding: Finding, row: int | None, at: Mapping[int, int], start: int, rows: Sequence[Row]
) -> str:
    """Where a finding stands: the event of its row, and its part; empty if it is nowhere.

    A part beside another event has the number of that one. Events of earlier attempts have the
    numbers of other events, so they are not named.
    """
    event, at_part = (
        None if n is None or n < start else rows[n].event
        for n in (row, at.get(-1 if finding.part is None else finding.part))
    )
    elsewhere = "" if at_part in (None, event) else f"{ELSEWHERE}{at_part}"
    part = None if finding.part is None else f"{finding.part}{elsewhere}"
    return numbered(finding.turn, event, part)


def numbered(turn: int, event: int | None, part: int | str | None) -> str:
    """A place in words, without the numbers that are None, and without the first turn."""
    numbers = {"turn": turn or None, "event": event, "part": part}
    return ", ".join(f"{name} {n}" for name, n in numbers.items() if n is not None)
