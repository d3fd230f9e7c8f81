"""``streamproof show``: a scenario, or a run of it, as a two-column timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance.contract.adapter import Description
from conformance.contract.recorded import read_results
from conformance.contract.results import Result
from conformance.contract.traits import Traits
from conformance.report import summary, timeline
from conformance.report.columns import draw
from conformance.report.mermaid import diagram
from conformance.report.outline import host_says, outline_rows
from conformance.suite.adapter_yaml import read_description
from conformance.suite.claims import CLAIMS
from conformance.suite.workbench import (
    Workbench,
    claim_item,
    reference_adapters,
    run,
    run_item,
    skip_reason,
)
from conformance.vocabularies import VSCODE
from mockserver.dialects import DIALECTS
from mockserver.faults import Problem, UserError, did_you_mean
from mockserver.scenario.catalogue import Catalogue
from streamproof.chosen import chosen
from streamproof.shown import EXIT_FINDINGS, console_of, counted, failed, say, show_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.transcript import Transcript
    from conformance.report.timeline import Row
    from mockserver.render import Case

_HINT = "what an adapter can do stands in its adapter.yaml, under 'claims'"


@click.command()
@click.argument("case")
@click.option("--adapter", type=click.Path(path_type=Path), help="Play it to this adapter.")
@click.option("--reference", is_flag=True, help="Play it to the built-in reference adapter.")
@click.option("--results", type=click.Path(path_type=Path), help="Show it from a results file.")
@click.option("--scenarios", multiple=True, type=click.Path(path_type=Path), help="Own scenarios.")
@click.option("--mermaid", is_flag=True, help="Print a sequence diagram in Mermaid's words.")
@click.option("--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's.")
def show(
    case: str,
    adapter: Path | None,
    reference: bool,
    results: Path | None,
    scenarios: tuple[Path, ...],
    mermaid: bool,
    width: int | None,
) -> None:
    """Show CASE (an id such as any/refusal, or a YAML file): upstream events, parts, findings.

    Of a claim, such as claims/live, with --adapter: whether the adapter keeps it.
    """
    console = console_of(width)
    _at_most_one(adapter=adapter, reference=reference, results=results)
    if results:
        result, traits = _recorded(results, case)
        if not mermaid:
            say(f"{result.case}, as {results} has it\n", console)
        _show_result(result, traits, console, mermaid=mermaid)
        return
    catalogue = Catalogue.shipped(*scenarios)
    if case in CLAIMS and (adapter or reference):
        asked = read_description(adapter) if adapter else _claiming(case)
        with Workbench(catalogue) as workbench:
            _show_claim(run_item(workbench, claim_item(asked, case)), console)
        return
    what = chosen(case, catalogue)
    if not mermaid:
        _head(what, console)
    if described := _described(adapter, reference, what):
        with Workbench(catalogue) as workbench:
            result = run(workbench.session(described), what)
        _show_result(result, described.traits, console, mermaid=mermaid)
    elif mermaid:
        click.echo(_drawn_scenario(what))
    else:
        _show_scenario(what, console)


def _claiming(claim: str) -> Description:
    """The first of the reference adapters that a claim can be asked of, else the first of all."""
    adapters = reference_adapters()
    return next((each for each in adapters if not claim_item(each, claim).why), adapters[0])


def _at_most_one(**options: object) -> None:
    given = [f"--{name}" for name, value in options.items() if value]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} are different runs; choose one of them")


def _described(adapter: Path | None, reference: bool, what: Case) -> Description | None:
    if not adapter and not reference:
        return None
    adapters = [read_description(adapter)] if adapter else reference_adapters()
    for described in adapters:
        if what.dialect in described.dialects:
            if why := skip_reason(described, what):
                raise UserError(Problem(f"{described.name} is not asked: {why}", hint=_HINT))
            return described
    names = " or ".join(described.name for described in adapters)
    raise UserError(f"{names} does not claim the dialect {what.dialect!r}")


def _head(what: Case, console: Console) -> None:
    scenario = what.scenario
    say(f"{what}  ·  {scenario.title}  ·  {scenario.conduct}", console)
    if scenario.about:
        say(scenario.about.strip(), console, "dim")
    why = "; ".join((*scenario.source, *scenario.seen))
    say(f"source: {why}", console, "dim")
    for dialect, reason in scenario.unable.items():
        say(f"not played in {dialect}: {reason}", console, "dim")
    console.print()


def _show_scenario(what: Case, console: Console) -> None:
    for turn, played in enumerate(what.scenario.turns):
        if turn:
            console.print()
        if len(what.scenario.turns) > 1:
            say(f"turn {turn}: {host_says(what.scenario, turn)}", console)
        _show_turn(what, turn, len(played.attempts), console)


def _show_turn(what: Case, turn: int, attempts: int, console: Console) -> None:
    for n in range(1, attempts + 1):
        if n > 1:
            console.print()
        if attempts > 1:
            console.print(f"attempt {n} of {attempts}, if it is the last one")
        rows, outcomes = outline_rows(what, turn, n)
        draw(rows, "the upstream sends", f"a correct adapter emits ({VSCODE.name})", console)
        if outcomes > 1:
            console.print(f"({outcomes - 1} more outcomes are right)", style="dim")


def _drawn_scenario(what: Case) -> str:
    turns = enumerate(what.scenario.turns)
    told = [
        (host_says(what.scenario, n), outline_rows(what, n, len(turn.attempts))[0])
        for n, turn in turns
    ]
    return diagram(DIALECTS[what.dialect].operations[0], told)


def _drawn_run(transcript: Transcript, traits: Traits, findings: Sequence[Finding]) -> str:
    told: list[tuple[str, list[Row]]] = []
    for row in timeline.of_run(transcript, traits, findings):
        if row.asked or not told:
            told.append((row.asked or "the host asks", []))
        if not row.asked:
            told[-1][1].append(row)
    return diagram(DIALECTS[transcript.dialect].operations[0], told)


def _show_result(result: Result, traits: Traits, console: Console, *, mermaid: bool) -> None:
    if result.transcript is None:
        _show_claim(result, console)
        return
    if mermaid:
        click.echo(_drawn_run(result.transcript, traits, result.findings))
    else:
        show_run(result.transcript, traits, result.findings, console)
        console.print(f"\n{result.status}: {counted(result.findings)}")
    if failed(result.findings):
        raise click.exceptions.Exit(EXIT_FINDINGS)


def _show_claim(result: Result, console: Console) -> None:
    """What came of it where there is no run to show: of a claim, or of what was not played."""
    why = f": {result.why}" if result.why else ""
    say(f"{result.case}: {result.status}{why}", console)
    for finding in result.findings:
        say(f"{summary.of_finding(finding)}\n  {summary.of_right(finding)}", console)
    if failed(result.findings):
        raise click.exceptions.Exit(EXIT_FINDINGS)


def _recorded(path: Path, case: str) -> tuple[Result, Traits]:
    recording = read_results(path)
    found = [recorded.result for recorded in recording.results]
    for result in found:
        if result.case == case or result.case.split("@")[0] == case:
            return result, recording.traits.get(result.adapter, Traits())
    hint = did_you_mean(case, [result.case for result in found])
    if recording.incomplete:
        hint = f"{recording.incomplete}. {hint}".strip()
    raise UserError(Problem(f"{path} has no result for {case!r}", hint=hint))
