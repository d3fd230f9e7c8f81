"""Concludes from a result and the known failures how its test ends, and with which message."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.findings.words import message_of
from conformance.report import summary, timeline
from conformance.report.columns import WIDTH, draw_text
from conformance.report.failure import alike, context, headline, in_order
from conformance.report.notes_text import notes_text
from conformance.suite.adapter_yaml import program_of
from conformance.suite.known_failures import classify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.findings.finding import Finding
    from conformance.report.results import Result, Status
    from conformance.report.timeline import Row
    from conformance.suite.known_failures import KnownFailure, Reworded
    from conformance.suite.workbench import Item


_MAX_FINDINGS = 10
_MAX_NOTE = 12


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a test ends once known failures are taken into account, and the message that it shows."""

    status: Status
    message: str = ""
    # A reason that the findings do not give.
    why: str = ""


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
        rows = _rows(item, result)
        lines = [
            *_headlines(shown, rows),
            *map(_passing_message, found.passing),
            *context(item.case, shown, width, item.adapter.name if _is_binding(item) else ""),
            *_evidence_lines(item, result, rows, scenarios, width),
        ]
        return Conclusion("failed", "\n".join(lines))
    if found.passing:
        passing = "\n".join(map(_passing_message, found.passing))
        return Conclusion("failed", passing, passing)
    failures = [finding for finding in result.findings if finding.level in levels]
    if failures:
        known = [f"{finding.rule}: {message_of(finding)}" for finding in failures]
        return Conclusion("known", "; ".join([*known, *map(_reworded_message, found.reworded)]))
    return Conclusion("passed")


def _is_binding(item: Item) -> bool:
    """Whether an adapter binds a library: a program in the library's own API is beside it."""
    return program_of(item.adapter) is not None


def _rows(item: Item, result: Result) -> list[Row]:
    """The timeline of the run; no rows if there was none."""
    if result.transcript is None:
        return []
    return timeline.of_run(result.transcript, item.adapter.traits, result.findings, item.case)


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
    again = ["streamproof", "show", result.case, "--adapter", str(item.adapter.path)]
    for folder in scenarios:
        again += ["--scenarios", folder]
    lines += ["", f"reproduce: {shlex.join(again)}"]
    if program_of(item.adapter):
        without = ["streamproof", "repro", *again[2:], "--out", "FOLDER"]
        lines.append(f"without the binding, to see whose fault it is: {shlex.join(without)}")
    return lines


def _passing_message(entry: KnownFailure) -> str:
    return (
        f"{entry.place}: listed as a known failure of {entry.rule}, but it does not fail so any "
        "more: remove or correct the entry"
    )


def _reworded_message(reworded: Reworded) -> str:
    entry = reworded.entry
    return f"{entry.place} has other words for {entry.rule}: {entry.because}"
