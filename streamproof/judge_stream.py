"""An upstream's own stream, recorded, against the rules of its protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO

import click

from conformance.dialects.recognition import dialect_of
from conformance.dialects.recording import MAX_BYTES, Dump, read_dump
from conformance.report import summary as gist
from conformance.report.columns import draw
from conformance.report.timeline import Row
from conformance.rules.streams import judge_stream
from streamproof.shown import EXIT_FINDINGS, console_of, counted, failed

if TYPE_CHECKING:
    from conformance.contract.finding import Finding


def of_stream(stream: BinaryIO, as_json: bool, width: int | None) -> int:
    """Print what a stream breaks, each event with the findings at it; returns the exit code.

    Raises UserError where it is no stream.
    """
    dump = read_dump(stream.read(MAX_BYTES + 1), stream.name)
    findings = judge_stream(dump.events, dump.framing)
    if as_json:
        click.echo(_document(stream.name, dump, findings))
    else:
        _show(stream.name, dump, findings, width)
    return EXIT_FINDINGS if failed(findings) else 0


def _document(name: str, dump: Dump, findings: list[Finding]) -> str:
    return json.dumps(
        {
            "stream": name,
            "events": len(dump.events),
            "framing": dump.framing is not None,
            "findings": [finding.to_json() for finding in findings],
        },
        indent=2,
    )


def _show(name: str, dump: Dump, findings: list[Finding], width: int | None) -> None:
    console = console_of(width)
    console.soft_wrap = True
    draw(_rows(dump, findings), "", "the upstream sent", console)
    framed = "" if dump.framing else " without their framing"
    told = f"\n{name}: {len(dump.events)} events{framed}: {counted(findings)}"
    console.print(told, markup=False)


def _rows(dump: Dump, findings: list[Finding]) -> list[Row]:
    """One row for each thing sent; what is about none of them stands at the end."""
    dialect = dialect_of(dump.events) or "openresponses"
    rows = [Row(e.n, f"{e.n:>3}", [gist.of_event(e, dialect)]) for e in dump.events]
    for finding in findings:
        if finding.event is not None:
            rows[finding.event].findings.append(finding)
    unplaced = [finding for finding in findings if finding.event is None]
    return [*rows, Row(None, "", findings=unplaced)] if unplaced else rows
