"""``streamproof show``: a scenario, or a run of it, as a two-column timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from conformance import gist, timeline
from conformance.adapter import Description, read_description
from conformance.drawn import draw
from conformance.expectation.story import stories
from conformance.expectation.traits import Traits
from conformance.judge import expectations
from conformance.recorded import read_results
from conformance.results import Result
from conformance.suite import Workbench, reference_adapters, run, unplayable
from conformance.timeline import Until
from conformance.transcript import Plain, SentEvent
from conformance.vocabularies import VSCODE
from mockserver.dialects import DIALECTS
from mockserver.faults import Problem, UserError, did_you_mean
from mockserver.frames import Gate, Plan
from mockserver.journal import told
from mockserver.render import Case, render
from mockserver.scenario.catalogue import Catalogue
from mockserver.slots import filled
from streamproof.chosen import chosen
from streamproof.shown import EXIT_FINDINGS, console_of, counted, failed, say, show_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.expectation.projection import Expected

_HINT = "what an adapter can do stands in its adapter.yaml, under 'claims'"


@click.command()
@click.argument("case")
@click.option("--adapter", type=click.Path(path_type=Path), help="Play it to this adapter.")
@click.option("--reference", is_flag=True, help="Play it to the built-in reference adapter.")
@click.option("--results", type=click.Path(path_type=Path), help="Show it from a results file.")
@click.option("--scenarios", multiple=True, type=click.Path(path_type=Path), help="Own scenarios.")
@click.option("--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's.")
def show(
    case: str,
    adapter: Path | None,
    reference: bool,
    results: Path | None,
    scenarios: tuple[Path, ...],
    width: int | None,
) -> None:
    """Show CASE (an id such as any/refusal, or a YAML file): upstream events, parts, findings."""
    console = console_of(width)
    _at_most_one(adapter=adapter, reference=reference, results=results)
    if results:
        result, traits = _recorded(results, case)
        say(f"{result.case}, as {results} has it\n", console)
        _show_result(result, traits, console)
        return
    catalogue = Catalogue.shipped(*scenarios)
    what = chosen(case, catalogue)
    _head(what, console)
    if described := _described(adapter, reference, what):
        with Workbench(catalogue) as workbench:
            result = run(workbench.session(described), what)
        _show_result(result, described.traits, console)
    else:
        _show_scenario(what, console)


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
            if why := unplayable(described, what.scenario):
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
    console.print()


def _show_scenario(what: Case, console: Console) -> None:
    accounts = expectations(what, stories(what.scenario), Traits())
    attempts = len(what.scenario.turns[0].attempts)
    for n in range(1, attempts + 1):
        if n > 1:
            console.print()
        if attempts > 1:
            console.print(f"attempt {n} of {attempts}, if it is the last one")
        right = [expected for story, expected in accounts if story.attempt == n]
        _show_attempt(what, n, right, console)


def _show_attempt(what: Case, n: int, right: Sequence[Expected], console: Console) -> None:
    sample = DIALECTS[what.dialect].sample()
    rendered = render(what, 0, n)
    sent = [
        SentEvent(s.n, s.at, s.kind, s.type, filled(s.data, sample), s.ignorable)
        for s in rendered.plan.sent
    ]
    until = _until(what, rendered.plan)
    answer = rendered.answer
    plain = gist.of_answer(answer.status, Plain(**told(answer))) if answer else ()
    rows = timeline.of_scenario(sent, what.dialect, right[0], VSCODE.name, Traits(), until, plain)
    draw(rows, "the upstream sends", f"a correct adapter emits ({VSCODE.name})", console)
    if len(right) > 1:
        console.print(f"({len(right) - 1} more outcomes are right)", style="dim")


def _until(what: Case, plan: Plan) -> Until | None:
    """Where the host cancels, if it does."""
    cancel = what.scenario.turns[0].cancel
    gates = {gate.name: gate.after for gate in plan.writes if isinstance(gate, Gate)}
    return Until(cancel.after_parts, gates.get(cancel.at)) if cancel else None


def _show_result(result: Result, traits: Traits, console: Console) -> None:
    if result.transcript is None:
        console.print(f"{result.case}: {result.status}: {result.why}", markup=False)
        return
    show_run(result.transcript, traits, result.findings, console)
    console.print(f"\n{result.status}: {counted(result.findings)}")
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
