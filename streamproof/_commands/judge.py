"""``streamproof judge``: judges recorded runs by the current scenarios and rules, or a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click
from rich.console import Console

from conformance.contract.adapter import Description
from conformance.contract.traits import Traits, parse_traits
from conformance.contract.transcript import Transcript
from conformance.findings.finding import Finding
from conformance.findings.words import finding_json
from conformance.report.recorded import MAX_BYTES, JsonPlace, Run, parse_runs
from conformance.rules.judge import judge_case
from conformance.suite.adapter_yaml import read_description
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import Place, Problem, UserError, did_you_mean
from mockserver.foundation.visible import say, visible
from streamproof._commands.cases import find_case
from streamproof._commands.judge_stream import judge_upstream
from streamproof._commands.options import PATH, scenarios_option, width_option
from streamproof._commands.printing import (
    EXIT_FINDINGS,
    count_findings,
    has_must,
    make_console,
    print_paragraph,
    show_run,
)

_HELP = """Say what a recorded run breaks: the timeline, and each finding at its place.

A TRANSCRIPT is one of these, and - is standard input:

\b
- a results file: pytest conformance --results FILE (every run in it is judged)
- one transcript as JSON (schemas/transcript.json), such as jq makes of one of its lines
- the answer of POST /_mock/runs/ID/verdict

With --stream it is the upstream that is judged: what its stream breaks, each response in it by
itself, in the --dialect that is named or recognised. With --profile, a known
deviation of that upstream is printed as an exception and is no finding.

Exit codes: 0 as expected, 1 findings of level must, 4 a file, a scenario or an option is wrong.
"""


@click.command(help=_HELP)
@click.argument("transcripts", nargs=-1, type=click.File("rb"), metavar="[TRANSCRIPT]...")
@click.option(
    "--stream",
    type=click.File("rb"),
    help="Server-sent events as `curl -iN` prints them, or one JSON event a line; - is stdin.",
)
@click.option("--dialect", default="", help="The dialect of a stream; default: as recognised.")
@click.option("--profile", default="", help="Judge a stream as this upstream's: openai, azure, …")
@click.option("--adapter", type=PATH, help="An adapter.yaml; its traits count.")
@click.option(
    "--trait", "declared", multiple=True, metavar="NAME=VALUE", help="A trait; may be repeated."
)
@scenarios_option
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@width_option
def judge(
    transcripts: tuple[BinaryIO, ...],
    stream: BinaryIO | None,
    dialect: str,
    profile: str,
    adapter: Path | None,
    declared: tuple[str, ...],
    scenarios: tuple[Path, ...],
    as_json: bool,
    width: int | None,
) -> None:
    if bool(transcripts) == bool(stream):
        hint = "streamproof judge out.jsonl, or streamproof judge --stream FILE"
        raise UserError(Problem("name transcripts to judge, or one stream", hint=hint))
    if stream and (adapter or declared or scenarios):
        hint = "leave out --adapter, --trait and --scenarios"
        raise UserError(Problem("a stream is judged by its protocol alone", hint=hint))
    if profile and not stream:
        hint = "streamproof judge --stream FILE --profile NAME"
        raise UserError(Problem("a profile is the contract of a stream, not of a run", hint=hint))
    if dialect and not stream:
        hint = "streamproof judge --stream FILE --dialect NAME"
        raise UserError(Problem("a transcript says itself which dialect it is in", hint=hint))
    if stream:
        code = judge_upstream(stream, as_json, width, profile, dialect)
    else:
        traits = dict(map(_pair, declared))
        parse_traits(traits)
        described = read_description(adapter) if adapter else None
        judging = Judging(Catalogue.shipped(*scenarios), described, traits)
        code = judge_runs(transcripts, judging, as_json, width)
    raise click.exceptions.Exit(code)


def judge_runs(
    files: Sequence[BinaryIO], judging: Judging, as_json: bool, width: int | None
) -> int:
    """Judge the runs in some files and print the findings; returns the exit code.

    Raises UserError or ScenarioError if a run cannot be judged.
    """
    read = [parse_runs(file.read(MAX_BYTES + 1), file.name) for file in files]
    runs = [run for each in read for run in each.runs]
    judged = [found for run in runs if (found := judging.judged(run))]
    unjudged = [run.why for run in runs if run.why]
    incomplete = [each.incomplete for each in read if each.incomplete]
    if as_json:
        shown = [each.to_json() for each in judged]
        document = {"runs": shown, "unjudged": unjudged, "incomplete": incomplete}
        say(json.dumps(document, indent=2))
    else:
        _show(judged, unjudged, make_console(width))
    for message in incomplete:
        say(message, err=True)
    if any(has_must(each.findings) for each in judged):
        return EXIT_FINDINGS
    return UserError.exit_code if incomplete else 0


def _show(judged: Sequence[Judged], unjudged: Sequence[str], console: Console) -> None:
    """Print runs with findings; of several runs, those without findings are only counted."""
    for each in judged:
        if each.findings or len(judged) == 1:
            place = Place(each.place.file, each.place.line, 1)
            where = f"{each.transcript.case}, as {place} has it"
            print_paragraph(f"{where}; {_traits_words(each)}\n", console)
            show_run(each.transcript, each.traits, each.findings, console, each.case)
            console.print(f"\n{each.status}: {count_findings(each.findings)}\n")
    for why in _by_reason(unjudged):
        print_paragraph(f"not judged: {visible(why)}", console)
    if len(judged) != 1:
        broken = sum(has_must(each.findings) for each in judged)
        console.print(f"{len(judged)} runs: {len(judged) - broken} passed, {broken} failed")


def _by_reason(unjudged: Sequence[str]) -> Iterator[str]:
    """The first case of each reason, with the number of others that have it."""
    cases: dict[str, list[str]] = {}
    for why in unjudged:
        case, _, reason = why.partition(": ")
        cases.setdefault(reason, []).append(case)
    for reason, (first, *others) in cases.items():
        yield f"{first}{f' and {len(others)} more' if others else ''}: {reason}"


def _traits_words(judged_run: Judged) -> str:
    if judged_run.assumed:
        return "default traits, since none are declared: --adapter and --trait do that"
    usual = asdict(Traits())
    traits = asdict(judged_run.traits).items()
    shown = [f"{name}: {value}" for name, value in traits if value != usual[name]]
    return visible(f"traits: {', '.join(shown)}") if shown else "default traits"


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged run; ``assumed`` means that its traits are defaults, since none were declared."""

    place: JsonPlace
    transcript: Transcript
    traits: Traits
    assumed: bool
    findings: list[Finding]
    case: Case

    @property
    def status(self) -> str:
        return "failed" if has_must(self.findings) else "passed"

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.place.file,
            "line": self.place.line or None,
            "case": self.transcript.case,
            "adapter": self.transcript.adapter,
            "traits": asdict(self.traits),
            "status": self.status,
            "findings": [finding_json(finding) for finding in self.findings],
        }


@dataclass(frozen=True, slots=True)
class Judging:
    """What runs are judged by: the scenarios, and traits that override those in the files."""

    catalogue: Catalogue
    adapter: Description | None
    declared: Mapping[str, str]

    def judged(self, run: Run) -> Judged | None:
        """Judge a run; None if it has no transcript. Raises UserError or ScenarioError."""
        transcript = run.transcript
        if transcript is None:
            return None
        case = self._case(transcript, run.place)
        traits = self._traits(run, transcript)
        assumed = run.traits is None and self.adapter is None and not self.declared
        claims = self.adapter.claims if self.adapter else run.claims
        findings = judge_case(case, transcript, traits, claims)
        return Judged(run.place, transcript, traits, assumed, findings, case)

    def _case(self, transcript: Transcript, place: JsonPlace) -> Case:
        try:
            case = find_case(transcript.case, self.catalogue)
        except UserError as error:
            (problem,) = error.problems
            hint = "; ".join(filter(None, (problem.hint, "--scenarios FOLDER adds one's own")))
            raise UserError(Problem(problem.message, place.inside("case"), hint)) from error
        for name, value in {"scenario": case.scenario.id, "dialect": case.dialect}.items():
            if (recorded := getattr(transcript, name)) != value:
                message = f"{recorded!r:.80} is not the {name} of the case {transcript.case!r}"
                raise UserError(Problem(message, place.inside(name)))
        for n, turn in enumerate(transcript.turns):
            if turn.turn >= len(case.scenario.turns) or (transcript.before and turn.turn != n):
                message = f"{turn.turn} is not the number of a turn that the case has here"
                raise UserError(Problem(message, place.inside("turn")))
        return case

    def _traits(self, run: Run, transcript: Transcript) -> Traits:
        vocabulary, place = transcript.vocabulary, run.place.inside("vocabulary")
        if vocabulary not in VOCABULARIES:
            hint = did_you_mean(vocabulary, VOCABULARIES)
            raise UserError(Problem(f"no vocabulary is called {vocabulary!r:.80}", place, hint))
        if self.adapter and self.adapter.vocabulary != vocabulary:
            message = f"{self.adapter.name} does not speak the vocabulary {vocabulary!r}"
            raise UserError(Problem(message, place, "name the adapter.yaml of the run's adapter"))
        traits = self.adapter.traits if self.adapter else run.traits or Traits()
        return parse_traits({**asdict(traits), **self.declared})


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        hint = "write --trait NAME=VALUE, such as --trait reasoning=text"
        raise UserError(Problem(f"{text[:80]!r} is no trait", hint=hint))
    return name, value
