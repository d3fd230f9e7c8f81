"""Recorded runs and what they break, printed."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

import click

from conformance.contract.recorded import MAX_BYTES, parse_runs
from conformance.contract.traits import Traits
from conformance.report.summary import visible
from mockserver.faults import Place, UserError
from streamproof.shown import EXIT_FINDINGS, console_of, counted, failed, say, show_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from streamproof.judging import Judged, Judging


def of_runs(files: Sequence[BinaryIO], judging: Judging, as_json: bool, width: int | None) -> int:
    """Print what runs break; returns the exit code.

    Raises UserError or ScenarioError where there is one that cannot be judged.
    """
    read = [parse_runs(file.read(MAX_BYTES + 1), file.name) for file in files]
    judged = [one for each in read for run in each.runs if (one := judging.judged(run))]
    unjudged = [run.why for each in read for run in each.runs if run.why]
    incomplete = [each.incomplete for each in read if each.incomplete]
    if as_json:
        click.echo(_document(judged, unjudged, incomplete))
    else:
        _show(judged, unjudged, console_of(width))
    for message in incomplete:
        click.echo(message, err=True)
    if any(failed(one.findings) for one in judged):
        return EXIT_FINDINGS
    return UserError.exit_code if incomplete else 0


def _document(judged: Sequence[Judged], unjudged: Sequence[str], incomplete: Sequence[str]) -> str:
    runs = [one.to_json() for one in judged]
    return json.dumps({"runs": runs, "unjudged": unjudged, "incomplete": incomplete}, indent=2)


def _show(judged: Sequence[Judged], unjudged: Sequence[str], console: Console) -> None:
    """Several runs that break nothing are only counted."""
    for one in judged:
        if one.findings or len(judged) == 1:
            place = Place(one.place.file, one.place.line, 1)
            say(f"{one.transcript.case}, as {place} has it; {_traits(one)}\n", console)
            show_run(one.transcript, one.traits, one.findings, console)
            console.print(f"\n{one.status}: {counted(one.findings)}\n")
    for why in unjudged:
        say(f"not judged: {visible(why)}", console)
    if len(judged) != 1:
        broken = sum(failed(one.findings) for one in judged)
        console.print(f"{len(judged)} runs: {len(judged) - broken} passed, {broken} failed")


def _traits(one: Judged) -> str:
    if one.assumed:
        return "default traits, since none are declared: --adapter and --trait do that"
    usual = asdict(Traits())
    traits = asdict(one.traits).items()
    told = [f"{name}: {value}" for name, value in traits if value != usual[name]]
    return visible(f"traits: {', '.join(told)}") if told else "default traits"
