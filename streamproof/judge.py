"""``streamproof judge``: an upstream's own stream, recorded, against the rules of its protocol."""

from __future__ import annotations

import json
from typing import BinaryIO

import click
from rich.console import Console

from conformance import gist
from conformance.drawn import WIDTH, draw
from conformance.findings import Finding
from conformance.stream.dump import MAX_BYTES, Dump, read_dump
from conformance.stream.judge import judge_stream
from conformance.timeline import Row

_EXIT_FINDINGS = 1


@click.command()
@click.option(
    "--stream",
    required=True,
    type=click.File("rb"),
    help="Server-sent events as `curl -iN` prints them, or one JSON event a line; - is stdin.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's.")
def judge(stream: BinaryIO, as_json: bool, width: int | None) -> None:
    """Say what an OpenResponses stream breaks: each event, the findings at theirs."""
    dump = read_dump(stream.read(MAX_BYTES + 1), stream.name)
    findings = judge_stream(dump.events, dump.framing)
    if as_json:
        click.echo(_document(stream.name, dump, findings))
    else:
        _show(stream.name, dump, findings, width)
    if any(finding.level == "must" for finding in findings):
        raise click.exceptions.Exit(_EXIT_FINDINGS)


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
    console = Console(highlight=False, soft_wrap=True)
    if width or not console.is_terminal:
        console.width = width or WIDTH
    draw(_rows(dump, findings), "", "the upstream sent", console)
    musts = sum(finding.level == "must" for finding in findings)
    framed = "" if dump.framing else " without their framing"
    noun = "finding" if len(findings) == 1 else "findings"
    told = f"{len(findings)} {noun}, {musts} of level must"
    console.print(f"\n{name}: {len(dump.events)} events{framed}: {told}", markup=False)


def _rows(dump: Dump, findings: list[Finding]) -> list[Row]:
    """One row for each thing sent; what is about none of them stands at the end."""
    rows = [Row(e.n, f"{e.n:>3}", [gist.of_event(e)]) for e in dump.events]
    for finding in findings:
        if finding.event is not None:
            rows[finding.event].findings.append(finding)
    unplaced = [finding for finding in findings if finding.event is None]
    return [*rows, Row(None, "", findings=unplaced)] if unplaced else rows
