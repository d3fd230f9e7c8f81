"""Concludes from a result and the known failures how its test ends, and with which message."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Self

from conformance.findings.causes import CauseId, cause_of
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.report import summary, timeline
from conformance.report.drawing import WIDTH, draw_around, draw_text
from conformance.report.failure import alike, context, headline, notes_text
from conformance.report.results import Result, Status
from conformance.report.rows import Row
from conformance.report.timeline import in_order
from conformance.rules.turns import turns_of
from conformance.suite.adapter_yaml import program_of
from conformance.suite.known_failures import KnownFailure, classify
from conformance.suite.workbench import Item
from mockserver.foundation.faults import Place
from mockserver.foundation.visible import visible

_MAX_FINDINGS = 10
_MAX_NOTE = 12


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of one case for a cause: a few lines, with its finding and events around it.

    ``size`` is the number of the case's events.
    """

    cause: CauseId
    lines: tuple[str, ...]
    size: int

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """An excerpt from its fields as JSON."""
        rule, kind, same = value["cause"]
        return cls((rule, kind, tuple(same)), tuple(value["lines"]), value["size"])


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a test ends once known failures are taken into account, and the message that it shows.

    ``place`` is the first listed failure that does not fail any more, whose message is in ``why``.
    ``excerpts`` are for the causes of its failures.
    """

    status: Status
    message: str = ""
    # A reason that the findings do not give.
    why: str = ""
    place: Place | None = None
    excerpts: tuple[Excerpt, ...] = ()


def conclude(
    item: Item,
    result: Result,
    listed: Sequence[KnownFailure],
    levels: Sequence[str],
    scenarios: Sequence[str] = (),
    width: int = WIDTH,
) -> Conclusion:
    """Compare a result with the known failures; only findings of the given levels fail.

    ``scenarios`` are the user's own scenario folders, for the command that shows the case again;
    ``width`` is that of the timeline.
    """
    if result.status == "not-applicable":
        return Conclusion("not-applicable", f"not applicable: {result.why}")
    if result.status == "broken":
        return Conclusion("broken", f"the scenario is at fault:\n{result.why}")
    # A finding of a level that does not fail may still be listed.
    found = classify(result.case, result.findings, listed)
    if any(finding.level in levels for finding in found.unlisted):
        shown = in_order(found.unlisted)
        rows: list[Row] = []
        if transcript := result.transcript:
            turns = turns_of(transcript, item.adapter.traits, item.case)
            rows = timeline.of_run(turns, result.findings)
        lines = [
            *_headlines(shown, rows),
            *map(_passing_message, found.passing),
            *context(
                item.case, shown, width, item.adapter.name if program_of(item.adapter) else ""
            ),
            *_evidence_lines(item, result, rows, scenarios, width),
        ]
        again = _show_command(item, result, scenarios)
        failing = [each for each in shown if each.level in levels]
        excerpts = tuple(_excerpts(failing, result, rows, again, width))
        return Conclusion("failed", "\n".join(lines), excerpts=excerpts)
    if found.passing:
        passing = "\n".join(map(_passing_message, found.passing))
        return Conclusion("failed", passing, passing, found.passing[0].place)
    failures = [finding for finding in result.findings if finding.level in levels]
    if failures:
        known = (f"{finding.rule}: {message_of(finding)}" for finding in failures)
        return Conclusion("known", "; ".join(known))
    return Conclusion("passed")


def _headlines(findings: Sequence[Finding], rows: Sequence[Row]) -> list[str]:
    """A line for each finding, with its place in the timeline; those that are alike have one."""
    places = {finding: place for row in rows for finding, place in row.places.items()}
    groups = alike(findings)
    shown = groups[:_MAX_FINDINGS]
    lines = [headline(first, places.get(first), len(more)) for first, *more in shown]
    more = len(findings) - sum(map(len, shown))
    return [*lines, f"… and {more:,} more findings"] if more > 0 else lines


def _evidence_lines(
    item: Item, result: Result, rows: Sequence[Row], scenarios: Sequence[str], width: int
) -> list[str]:
    """The timeline of the run, its notes, and the command that shows it again."""
    if transcript := result.transcript:
        heading = f"{result.adapter} emitted"
        lines = ["", draw_text(rows, "the upstream sent", heading, width, sources=False)]
        messages = [message_of(finding) for finding in result.findings]
        notes = notes_text(transcript.notes, messages, _MAX_NOTE)
        lines += ["", *notes] if notes else []
    else:
        lines = [f"  {summary.of_right(finding)}" for finding in result.findings]
        lines += ["", result.why] if result.why else []
    again = _show_command(item, result, scenarios)
    lines += ["", f"reproduce: {shlex.join(again)}"]
    if program_of(item.adapter):
        without = ["streamproof", "repro", *again[2:], "--out", "FOLDER"]
        lines.append(f"without the binding, to see whose fault it is: {shlex.join(without)}")
    return lines


def _show_command(item: Item, result: Result, scenarios: Sequence[str]) -> list[str]:
    """The command that plays a case again and shows it."""
    again = ["streamproof", "show", result.case, "--adapter", str(item.adapter.path)]
    return [*again, *(word for folder in scenarios for word in ("--scenarios", folder))]


# An excerpt has at most 13 lines, so that a cause has 14 with its heading.
_MAX_SAID = 3
_MAX_RIGHT = 2
_MAX_AROUND = 7
_MAX_NOTES = 3


def _excerpts(
    findings: Sequence[Finding],
    result: Result,
    rows: Sequence[Row],
    again: Sequence[str],
    width: int,
) -> Iterator[Excerpt]:
    """The excerpt of a run for each of its causes: the first finding and the events around it."""
    first = {cause_of(finding): finding for finding in reversed(findings)}
    for cause in dict.fromkeys(map(cause_of, findings)):
        finding = first[cause]
        notes = _last_notes(result, findings)
        around = draw_around(rows, finding, _MAX_AROUND - len(notes), width)
        lines = [
            *_lines(summary.of_finding(finding), width, _MAX_SAID),
            *_lines(f"  {summary.of_right(finding)}", width, _MAX_RIGHT),
            *around,
            *notes,
            f"  {shlex.join(again)}",
        ]
        yield Excerpt(cause, tuple(lines), result.size)


def _last_notes(result: Result, findings: Sequence[Finding]) -> list[str]:
    """The last lines of what the adapter wrote, or of why there is no run."""
    notes = result.transcript.notes if result.transcript else (result.why,)
    said = notes_text(notes, [message_of(each) for each in findings])
    return [f"  {line}" for line in said if line.strip()][-_MAX_NOTES:]


def _lines(text: str, width: int, most: int) -> list[str]:
    return wrap(visible(text), width, subsequent_indent="    ", max_lines=most, placeholder=" …")


def _passing_message(entry: KnownFailure) -> str:
    return (
        f"{entry.place}: listed as a known failure of {entry.rule} ({entry.kind}), but it does not "
        "fail so any more: remove or correct the entry"
    )
