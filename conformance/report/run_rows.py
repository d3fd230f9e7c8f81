"""The rows of a timeline about the whole run, and the rows at which findings stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report import summary
from conformance.report.rows import Row
from conformance.rules.error_told import ERROR_TOLD
from conformance.rules.honest_ending import END_HONEST
from conformance.rules.requests import TURN_RULES
from conformance.rules.single_ending import END_ONCE
from conformance.rules.usage import USAGE_LAST
from conformance.vocabularies import reported_end
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Emitted, End, Transcript, Verdict
    from conformance.findings.finding import Finding
    from conformance.report.rows import Row

_ABOUT_REQUESTS = frozenset(rule.id for rule in TURN_RULES)
_ABOUT_ENDINGS = frozenset({END_HONEST.id, END_ONCE.id, ERROR_TOLD.id})
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


def is_about_request(finding: Finding) -> bool:
    """Whether a finding is about the request, and not about what was made of its answer."""
    nowhere = finding.event is None and finding.part is None
    return nowhere and finding.rule in _ABOUT_REQUESTS


def request_row(transcript: Transcript) -> Row:
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


def not_judged(why: str) -> Row:
    """A row that says why nothing below it is judged."""
    return Row(None, "", [f"(not judged: {why})"])


def has_wrong_request(findings: Sequence[Finding]) -> bool:
    """Whether a turn's request is wrong, so that its output is not judged."""
    return any(finding.level == "must" and is_about_request(finding) for finding in findings)


def named_parts(findings: Sequence[Finding]) -> frozenset[int]:
    """The numbers of the parts that findings name."""
    return frozenset(n for finding in findings for n in _named_by(finding))


def _named_by(finding: Finding) -> Iterator[int]:
    if finding.part is not None:
        yield finding.part
    values = finding.kind.values()
    yield from (values[name] for name in _PART_NUMBERS if isinstance(values.get(name), int))


def part_in_words(emitted: Emitted, named: Collection[int], with_id: Collection[int] = ()) -> str:
    """A part in words, with its number if a finding names it.

    ``with_id`` are the numbers of the deltas that have the id of their block.
    """
    number = f"#{emitted.n} " if emitted.n in named else ""
    words = summary.of_part(emitted.part)
    if emitted.n in with_id:
        kind, _, value = words.partition(" ")
        words = f"{kind} {summary.clip(text(emitted.part.get('id')), _MAX_ID) or repr('')} {value}"
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


def is_about_usage(finding: Finding) -> bool:
    """Whether a finding, or one that it explains, is about the usage that a run reports."""
    return any(each.rule == USAGE_LAST.id for each in (finding, *finding.explains))


def is_about_ending(finding: Finding) -> bool:
    """Whether a finding is about how a run ended, or how it reported a failure."""
    return finding.rule in _ABOUT_ENDINGS


def is_about_failure(finding: Finding) -> bool:
    """Whether a finding is about how a run reported a failure of the upstream."""
    return finding.rule == ERROR_TOLD.id


def with_stop(
    rows: Sequence[Row], transcript: Transcript, at: Mapping[int, int], start: int
) -> list[Row]:
    """The rows, with one after the last part of a run that stopped before its stream did.

    Without any part it is before the first event at which one was due. What was due at events that
    were sent after the run had ended is said to be due after that.
    """
    stop = _stop_row(transcript) if len(at) == len(transcript.parts) else None
    place = max((*at.values(), start - 1)) + 1
    missing = [row for row in rows[place:] if row.missing]
    if stop is None or not (missing or (transcript.verdict == "crashed" and place < len(rows))):
        return list(rows)
    if not at:
        place = next((n for n, row in enumerate(rows) if n >= place and row.missing), len(rows))
    if transcript.end and _is_timed(transcript):
        times = {event.n: event.at for event in transcript.sent}
        for row in missing:
            if row.event is not None and times[row.event] > transcript.end.at:
                row.missing = [f"{line} (the run had ended)" for line in row.missing]
    return [*rows[:place], stop, *rows[place:]]


def _is_timed(transcript: Transcript) -> bool:
    """Whether it is known when the run ended; of posted parts and their ending it is not."""
    asked = [request.at for request in transcript.answered]
    return bool(asked and transcript.end and transcript.end.at != asked[-1])


def _stop_row(transcript: Transcript) -> Row | None:
    """The row after the last part of a run that stopped before its stream; None for other runs."""
    words = _STOPS.get(transcript.verdict)
    came = "nothing came after this" if transcript.parts else "nothing came"
    return Row(None, "", [f"({came}: {words})"]) if words else None


def ending(transcript: Transcript, traits: Traits) -> str:
    """How a run ended, in words."""
    end = reported_end(transcript, traits)
    if end is None:
        return f"⏹ {transcript.verdict}, no ending"
    error = f": {summary.of_error(end.error)}" if end.error and end.error.message else ""
    if end.outcome == "error":
        return f"⏹ {transcript.verdict}{error}"
    finish = f" ({end.finish})" if end.finish else ""
    return f"⏹ {end.outcome}{finish}{_verdict(transcript, end)}{error}"


def _verdict(transcript: Transcript, end: End) -> str:
    return "" if transcript.verdict == end.outcome else _VERDICTS.get(transcript.verdict, "")


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a run in the order in which they are shown: by level, then by turn."""
    return sorted(findings, key=lambda each: (each.level != "must", each.turn))


ELSEWHERE = " at event "
"""What is between a part and the event beside it, if that is not the event of the finding."""


def row_of_finding(
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


def place_in_words(
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
