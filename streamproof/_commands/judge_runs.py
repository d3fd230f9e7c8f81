"""Judges recorded runs and prints the rules that they break."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

from conformance.contract.traits import Traits
from conformance.report.recorded import MAX_BYTES, parse_runs
from mockserver.foundation.faults import Place, UserError
from mockserver.foundation.visible import say, visible
from streamproof._commands.printing import (
    EXIT_FINDINGS,
    console_of,
    count_findings,
    has_must,
    print_paragraph,
    show_run,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from streamproof._commands.judging import Judged, Judging


def of_runs(files: Sequence[BinaryIO], judging: Judging, as_json: bool, width: int | None) -> int:
    """Judge the runs in some files and print the findings; returns the exit code.

    Raises UserError or ScenarioError if a run cannot be judged.
    """
    read = [parse_runs(file.read(MAX_BYTES + 1), file.name) for file in files]
    judged = [
        judged_run for each in read for run in each.runs if (judged_run := judging.judged(run))
    ]
    unjudged = [run.why for each in read for run in each.runs if run.why]
    incomplete = [each.incomplete for each in read if each.incomplete]
    if as_json:
        say(_as_json(judged, unjudged, incomplete))
    else:
        _show(judged, unjudged, console_of(width))
    for message in incomplete:
        say(message, err=True)
    if any(has_must(judged_run.findings) for judged_run in judged):
        return EXIT_FINDINGS
    return UserError.exit_code if incomplete else 0


def _as_json(judged: Sequence[Judged], unjudged: Sequence[str], incomplete: Sequence[str]) -> str:
    runs = [judged_run.to_json() for judged_run in judged]
    return json.dumps({"runs": runs, "unjudged": unjudged, "incomplete": incomplete}, indent=2)


def _show(judged: Sequence[Judged], unjudged: Sequence[str], console: Console) -> None:
    """Print runs with findings; of several runs, those without findings are only counted."""
    for judged_run in judged:
        if judged_run.findings or len(judged) == 1:
            place = Place(judged_run.place.file, judged_run.place.line, 1)
            print_paragraph(
                f"{judged_run.transcript.case}, as {place} has it; {_traits(judged_run)}\n", console
            )
            show_run(
                judged_run.transcript,
                judged_run.traits,
                judged_run.findings,
                console,
                judged_run.case,
            )
            console.print(f"\n{judged_run.status}: {count_findings(judged_run.findings)}\n")
    for why in _by_reason(unjudged):
        print_paragraph(f"not judged: {visible(why)}", console)
    if len(judged) != 1:
        broken = sum(has_must(judged_run.findings) for judged_run in judged)
        console.print(f"{len(judged)} runs: {len(judged) - broken} passed, {broken} failed")


def _by_reason(unjudged: Sequence[str]) -> Iterator[str]:
    """The first case of each reason, with the number of others that have it."""
    cases: dict[str, list[str]] = {}
    for why in unjudged:
        case, _, reason = why.partition(": ")
        cases.setdefault(reason, []).append(case)
    for reason, (first, *others) in cases.items():
        yield f"{first}{f' and {len(others)} more' if others else ''}: {reason}"


def _traits(judged_run: Judged) -> str:
    if judged_run.assumed:
        return "default traits, since none are declared: --adapter and --trait do that"
    usual = asdict(Traits())
    traits = asdict(judged_run.traits).items()
    shown = [f"{name}: {value}" for name, value in traits if value != usual[name]]
    return visible(f"traits: {', '.join(shown)}") if shown else "default traits"
