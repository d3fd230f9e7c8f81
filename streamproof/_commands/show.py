"""``streamproof show``: prints a scenario, or a run of it, as a two-column timeline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from conformance.contract.adapter import Description
from conformance.contract.traits import Traits
from conformance.contract.transcript import Transcript
from conformance.findings.finding import Finding
from conformance.report import summary, timeline
from conformance.report.drawing import draw, draw_diagram
from conformance.report.failure import conduct_of
from conformance.report.outline import host_says, outline_rows
from conformance.report.recorded import Recording, read_results
from conformance.report.results import Result
from conformance.report.rows import Row
from conformance.report.wire import Span, of_body, of_plan, render_again
from conformance.rules.turns import turns_of
from conformance.suite.adapter_yaml import read_description
from conformance.suite.claims import CLAIMS
from conformance.suite.workbench import Workbench, claim_item, reference_adapters, run, run_item
from conformance.vocabularies import VSCODE
from mockserver import __version__
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Rendered, Renderings, render
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Fault, Problem, UserError, did_you_mean
from mockserver.foundation.visible import say
from streamproof._commands.cases import choose_adapter, find_case, find_named_case
from streamproof._commands.options import PATH, scenarios_option, width_option
from streamproof._commands.printing import (
    count_findings,
    exit_by,
    make_console,
    print_paragraph,
    show_run,
)


@click.command()
@click.argument("case")
@click.option("--adapter", type=PATH, help="Play it to this adapter.")
@click.option("--reference", is_flag=True, help="Play it to the built-in reference adapter.")
@click.option("--results", type=PATH, help="Show it from a results file.")
@scenarios_option
@click.option("--mermaid", is_flag=True, help="Print a sequence diagram in Mermaid's words.")
@click.option("--bytes", "with_bytes", is_flag=True, help="Print the bytes of each answer, too.")
@width_option
def show(
    case: str,
    adapter: Path | None,
    reference: bool,
    results: Path | None,
    scenarios: tuple[Path, ...],
    mermaid: bool,
    with_bytes: bool,
    width: int | None,
) -> None:
    """Show CASE (an id such as any/refusal, or a YAML file): upstream events, parts, findings.

    Without a dialect in its id, it is played in one that the adapter reads. Of a claim, such as
    claims/live, with --adapter: whether the adapter keeps it.
    """
    console = make_console(width)
    _at_most_one(adapter=adapter, reference=reference, results=results)
    _at_most_one(mermaid=mermaid, bytes=with_bytes)
    shown = _Shown(console, mermaid, with_bytes)
    catalogue = Catalogue.shipped(*scenarios)
    if results:
        _show_recorded(results, case, catalogue, shown)
        return
    if case in CLAIMS and (adapter or reference):
        claiming = read_description(adapter) if adapter else _claiming_adapter(case)
        with Workbench(catalogue) as workbench:
            _show_claim(run_item(workbench, claim_item(claiming, case)), console)
        return
    described = read_description(adapter) if adapter else None
    selected = find_named_case(case, catalogue, described.dialects if described else ())
    if not mermaid:
        title = f"{selected}  ·  {selected.scenario.title}  ·  {conduct_of(selected)[0]}"
        print_paragraph(title, console)
    if adapters := [described] if described else reference_adapters() if reference else []:
        playing = choose_adapter(adapters, selected)
        with Workbench(catalogue) as workbench:
            session = workbench.session(playing)
            shown.about(selected, _played_by(playing.name, session.implementation, __version__))
            result = run(session, selected)
        _show_result(result, playing.traits, selected, shown)
    elif mermaid:
        say(_scenario_diagram(selected))
    else:
        shown.about(selected)
        _show_scenario(selected, console)
        if with_bytes:
            print_bytes(selected, None, console)


@dataclass(frozen=True, slots=True)
class _Shown:
    """Where and how a case is shown: as a diagram, or as a timeline with or without its bytes."""

    console: Console
    mermaid: bool
    with_bytes: bool

    def about(self, selected: Case, played: str = "") -> None:
        """Print what a case is about, below its title, and who played it."""
        if self.mermaid:
            return
        scenario, console = selected.scenario, self.console
        if played:
            print_paragraph(played, console)
        if scenario.about:
            print_paragraph(scenario.about.strip(), console, "dim")
        if scenario.source:
            print_paragraph(f"source: {'; '.join(scenario.source)}", console, "dim")
        for each in selected.seen:
            print_paragraph(f"seen: {each.at} ({each.upstream}): {each.line}", console, "dim")
        if scenario.reports:
            print_paragraph(f"reports: {'; '.join(scenario.reports)}", console, "dim")
        for dialect, reason in scenario.unable.items():
            print_paragraph(f"not played in {dialect}: {reason}", console, "dim")
        console.print()


def _played_by(adapter: str, implementation: str, version: str) -> str:
    library = f" ({implementation})" if implementation else ""
    return f"played to {adapter}{library} by streamproof {version}"


def _claiming_adapter(claim: str) -> Description:
    """The first reference adapter that makes a claim; the first of all if none does."""
    adapters = reference_adapters()
    return next((each for each in adapters if not claim_item(each, claim).why), adapters[0])


def _at_most_one(**options: object) -> None:
    given = [f"--{name}" for name, value in options.items() if value]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} show different things; choose one of them")


def _show_scenario(selected: Case, console: Console) -> None:
    for turn, played in enumerate(selected.scenario.turns):
        if turn:
            console.print()
        if len(selected.scenario.turns) > 1:
            print_paragraph(f"turn {turn}: {host_says(selected.scenario, turn)}", console)
        _show_turn(selected, turn, len(played.attempts), console)


def _show_turn(selected: Case, turn: int, attempts: int, console: Console) -> None:
    for n in range(1, attempts + 1):
        if n > 1:
            console.print()
        if attempts > 1:
            console.print(f"attempt {n} of {attempts}, if it is the last one")
        rows, outcomes = outline_rows(selected, turn, n)
        draw(rows, "the upstream sends", f"a correct adapter emits ({VSCODE.name})", console)
        if outcomes > 1:
            console.print(f"({outcomes - 1} more outcomes are right)", style="dim")


def _scenario_diagram(selected: Case) -> str:
    turns = enumerate(selected.scenario.turns)
    requests_and_rows = [
        (host_says(selected.scenario, n), outline_rows(selected, n, len(turn.attempts))[0])
        for n, turn in turns
    ]
    return draw_diagram(DIALECTS[selected.dialect].requests.operations[0], requests_and_rows)


def _run_diagram(transcript: Transcript, traits: Traits, findings: Sequence[Finding]) -> str:
    requests_and_rows: list[tuple[str, list[Row]]] = []
    for row in timeline.of_run(turns_of(transcript, traits), findings):
        if row.asked or not requests_and_rows:
            requests_and_rows.append((row.asked or "the host asks", []))
        if not row.asked:
            requests_and_rows[-1][1].append(row)
    return draw_diagram(DIALECTS[transcript.dialect].requests.operations[0], requests_and_rows)


def _show_result(result: Result, traits: Traits, case: Case | None, shown: _Shown) -> None:
    console = shown.console
    if result.transcript is None:
        _show_claim(result, console)
        return
    if shown.mermaid:
        say(_run_diagram(result.transcript, traits, result.findings))
    else:
        show_run(result.transcript, traits, result.findings, console, case)
        if shown.with_bytes and case:
            print_bytes(case, result.transcript, console)
        console.print(f"\n{result.status}: {count_findings(result.findings)}")
    exit_by(result.findings)


def _show_claim(result: Result, console: Console) -> None:
    """Print a result without a run: that of a claim, or of a case that was not played."""
    why = f": {result.why}" if result.why else ""
    print_paragraph(f"{result.case}: {result.status}{why}", console)
    for finding in result.findings:
        print_paragraph(f"{summary.of_finding(finding)}\n  {summary.of_right(finding)}", console)
    exit_by(result.findings)


def _show_recorded(path: Path, name: str, catalogue: Catalogue, shown: _Shown) -> None:
    recording = read_results(path)
    result = _recorded_result(recording, name)
    if not shown.mermaid:
        played = _played_by(result.adapter, result.implementation, recording.version)
        print_paragraph(f"{result.case}, as {path} has it", shown.console)
        print_paragraph(f"{played}\n", shown.console)
    try:
        case = None if result.transcript is None else find_case(result.case, catalogue)
    except Fault as fault:
        if shown.with_bytes:
            hint = "--scenarios FOLDER adds one's own"
            raise UserError(
                Problem(f"the bytes are unknown: {fault.problems[0].message}", hint=hint)
            ) from fault
        case = None
    _show_result(result, recording.traits.get(result.adapter, Traits()), case, shown)


def _recorded_result(recording: Recording, name: str) -> Result:
    found = recording.results.values()
    for result in found:
        if name in (result.case, result.case.split("@")[0]):
            return result
    hint = did_you_mean(name, [result.case for result in found])
    if recording.incomplete:
        hint = f"{recording.incomplete}. {hint}".strip()
    raise UserError(Problem(f"{recording.file} has no result for {name!r}", hint=hint))


_STYLES = {"text": "", "escape": "magenta", "slot": "cyan", "mark": "dim"}


def print_bytes(case: Case, transcript: Transcript | None, console: Console) -> None:
    """Print the bytes of each answer of a run, or without one those that the case would send.

    Those of a run are rendered again, and verified by their recorded checksum. Without a run,
    values that are taken from a request are those of a sample.
    """
    if transcript is None:
        sample = DIALECTS[case.dialect].sample()
        for n, played in enumerate(case.scenario.turns):
            for attempt in range(1, len(played.attempts) + 1):
                heading = f"the bytes of turn {n}, attempt {attempt}"
                _print_spans(heading, _spans(render(case, n, attempt), sample), console)
        return
    renderings = Renderings()
    for turn in transcript.turns:
        for request in turn.answered:
            heading = f"the bytes of turn {turn.turn}, attempt {request.attempt}"
            try:
                answer = render_again(case, request, renderings)
            except Fault as fault:
                console.print(f"\n{heading}: {fault}", markup=False)
                continue
            writes = len(answer.rendered.plan.byte_writes)
            until = f", up to write {answer.writes} of {writes}" if answer.writes < writes else ""
            sent = f"{heading}: {answer.wire.bytes} bytes were sent{until}"
            _print_spans(sent, _spans(answer.rendered, answer.values), console)


def _spans(rendered: Rendered, values: Mapping[str, bytes]) -> Iterable[Span]:
    answer = rendered.answer
    return of_body(answer.body) if answer else of_plan(rendered.plan, values)


def _print_spans(heading: str, spans: Iterable[Span], console: Console) -> None:
    text = Text(f"\n{heading}\n", "bold")
    for span in spans:
        if span.kind == "mark":
            line = "" if text.plain.endswith("\n") else "\n"
            text.append(f"{line}── {span.text}\n", _STYLES["mark"])
        else:
            name = f"{{{span.text}}}" if span.kind == "slot" else span.text
            text.append(name, _STYLES[span.kind])
    console.print(text, no_wrap=True, overflow="ignore", crop=False, end="")
