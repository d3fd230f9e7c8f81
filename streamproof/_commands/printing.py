"""Prints runs and findings, in the same way for every command."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.contract.traits import Traits
from conformance.contract.transcript import Transcript
from conformance.findings.finding import Finding
from conformance.report import timeline
from conformance.report.drawing import WIDTH, draw
from conformance.report.failure import notes_text
from conformance.rules.turns import turns_of
from mockserver.cases.case import Case
from mockserver.foundation.visible import say, visible, visible_lines

EXIT_FINDINGS = 1


def make_console(width: int | None) -> Console:
    """A console of this width; by default the terminal's, ``WIDTH`` in files and pipes."""
    console = Console(highlight=False)
    if width or not console.is_terminal:
        console.width = width or WIDTH
    return console


def print_paragraph(text: str, console: Console, style: str = "") -> None:
    """Print a text, wrapped, without trailing spaces, with unprintable characters escaped."""
    for line in Text(visible_lines(text), style).wrap(console, console.width):
        line.rstrip()
        console.print(line)


def print_rows(rows: Sequence[Sequence[str]], console: Console, width: int | None) -> None:
    """Print rows as a table whose last column is wrapped; in a pipe each is one line.

    Programs that search the lines of a pipe have each row on one of them.
    """
    if console.is_terminal or width:
        table = Table(box=None, pad_edge=False, show_header=False)
        for _ in rows[0][1:]:
            table.add_column(no_wrap=True)
        for row in rows:
            table.add_row(*(Text(visible(text)) for text in row))
        console.print(table)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        *first, last = (f"{visible(text):{n}}" for text, n in zip(row, widths, strict=True))
        say("  ".join((*first, last.rstrip())))


def show_run(
    transcript: Transcript,
    traits: Traits,
    findings: Sequence[Finding],
    console: Console,
    case: Case | None = None,
) -> None:
    """Print the timeline of a run and its notes; with the case, it says what did not come."""
    rows = timeline.of_run(turns_of(transcript, traits, case), findings)
    draw(rows, "the upstream sent", f"{transcript.adapter} emitted", console)
    for line in notes_text(transcript.notes):
        console.print(visible(line), markup=False, soft_wrap=True)


def count_findings(findings: Sequence[Finding]) -> str:
    """The number of findings and of those of level must, in words."""
    noun = "finding" if len(findings) == 1 else "findings"
    musts = sum(finding.level == "must" for finding in findings)
    return f"{len(findings)} {noun}, {musts} of level must"


def exit_by(findings: Sequence[Finding]) -> None:
    """Exit with 1 if a finding is of level must."""
    if has_must(findings):
        raise click.exceptions.Exit(EXIT_FINDINGS)


def has_must(findings: Sequence[Finding]) -> bool:
    """Whether a finding is of level must, which fails a test."""
    return any(finding.level == "must" for finding in findings)
