"""Runs and findings as every command shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from conformance.report import timeline
from conformance.report.columns import WIDTH, draw
from conformance.report.summary import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.traits import Traits
    from conformance.contract.transcript import Transcript

EXIT_FINDINGS = 1


def console_of(width: int | None) -> Console:
    """A terminal as wide as it is; a file or a pipe always of one width."""
    console = Console(highlight=False)
    if width or not console.is_terminal:
        console.width = width or WIDTH
    return console


def say(text: str, console: Console, style: str = "") -> None:
    """A paragraph, each line cut clean at its end."""
    for line in Text(text, style).wrap(console, console.width):
        line.rstrip()
        console.print(line)


def show_run(
    transcript: Transcript, traits: Traits, findings: Sequence[Finding], console: Console
) -> None:
    """The timeline of a run, and what else was noticed."""
    rows = timeline.of_run(transcript, traits, findings)
    draw(rows, "the upstream sent", f"{transcript.adapter} emitted", console)
    for line in "\n".join(transcript.notes).splitlines():
        console.print(visible(line), markup=False)


def counted(findings: Sequence[Finding]) -> str:
    """How many findings there are, and how many of them are of level must."""
    noun = "finding" if len(findings) == 1 else "findings"
    musts = sum(finding.level == "must" for finding in findings)
    return f"{len(findings)} {noun}, {musts} of level must"


def failed(findings: Sequence[Finding]) -> bool:
    """Is there one that fails a test?"""
    return any(finding.level == "must" for finding in findings)
