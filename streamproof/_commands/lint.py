"""``streamproof lint``: reports problems in scenario files, with line and column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from conformance.dialects.contracts import contract
from conformance.dialects.own_stream import recorded_plan
from conformance.expectation.turn_content import expected_contents
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.faults import Fault, Place, Problem, ScenarioError, UserError
from mockserver.render import Case, Rendered, render
from mockserver.scenario.catalogue import Catalogue, read_file
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Comment, Raw, Send, Sends
from mockserver.scenario.source import read
from mockserver.shipped import folder
from mockserver.visible import say
from streamproof._commands.cases import id_of
from streamproof._commands.lint_doubts import doubt_warnings, doubts_of
from streamproof._commands.lint_fields import field_warnings, has_nulls_or_absent

_FIRST_ERROR_STATUS = 400


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-v", "--verbose", is_flag=True, help="Also say in which dialects a script is played."
)
def lint(paths: tuple[Path, ...], verbose: bool) -> None:
    """Check scenario files and folders; without PATHS, the shipped catalogue.

    Problems fail the command. Warnings do not: they are about what may have been meant otherwise.
    """
    count = problems = warned = 0
    for file, id_ in files(paths or (folder("scenarios"),)):
        count += 1
        scenario, found = _read(file, id_)
        wrong = list(found)
        doubtful = list(_warnings(file, scenario)) if scenario else []
        problems, warned = problems + len(wrong), warned + len(doubtful)
        marked = [replace(each, message=f"warning: {each.message}") for each in doubtful]
        for problem in sorted([*wrong, *marked], key=_position):
            say(str(problem))
        if verbose:
            say("\n".join(_dialect_lines(scenario)) if scenario else "")
    for line in folder_warnings(paths):
        warned += 1
        say(f"warning: {line}")
    told = f"{_counted(count, 'scenario')}, {_counted(problems, 'problem')}"
    say(f"{told}, {_counted(warned, 'warning')}" if warned else told)
    if problems:
        raise click.exceptions.Exit(ScenarioError.exit_code)


def _position(problem: Problem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)


def problems_of(file: Path, id_: str) -> list[Problem]:
    """The problems of a scenario file."""
    _, found = _read(file, id_)
    return list(found)


def _read(file: Path, id_: str) -> tuple[Scenario | None, Iterable[Problem]]:
    """A scenario and its problems; None and the problems of the file if it cannot be read."""
    try:
        scenario = read_file(file, id_)
    except Fault as fault:
        return None, fault.problems
    return scenario, _problems(scenario)


def _dialect_lines(scenario: Scenario) -> Iterator[str]:
    """The dialects in which a scenario is played, and why it is not played in the others."""
    yield f"{scenario.id}: played in {', '.join(scenario.dialects)}"
    yield from (f"  not in {name}: {why}" for name, why in scenario.unable.items())


def _counted(n: int, noun: str) -> str:
    return f"{n or 'no'} {noun}{'' if n == 1 else 's'}"


def files(paths: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """The scenario files that paths lead to, with their ids. Raises UserError."""
    for path in paths:
        if path.is_dir():
            # A single folder of a catalogue: the ids of its files begin with the folder's name.
            for id_, file in Catalogue([path]).files():
                yield file, id_ if "/" in id_ else id_of(file)
        elif path.exists():
            yield path, id_of(path)
        else:
            raise UserError(f"{path} does not exist")


def folder_warnings(paths: tuple[Path, ...]) -> list[str]:
    """What a user has to know about these folders, in lines; nothing for a single file."""
    return [line for path in paths if path.is_dir() for line in Catalogue([path]).warnings()]


def _problems(scenario: Scenario) -> Iterator[Problem]:
    try:
        for turn in range(len(scenario.turns)):
            expected_contents(scenario, turn)
    except Fault as fault:
        yield from fault.problems
        return
    if not scenario.source and not scenario.seen:
        yield Problem(
            "nothing says why this is right",
            scenario.place,
            "name the clause in 'source', or the report in 'seen'",
        )
    yield from _stream_problems(scenario)


_TO_DO = re.compile(r"\s*# TODO: .|(title|seen|source): \[?\W?TODO: ")


def _warnings(file: Path, scenario: Scenario) -> Iterator[Problem]:
    assert scenario.place is not None
    yield from _undecided(file, scenario.place)
    doubts = doubts_of(scenario)
    if not doubts and not has_nulls_or_absent(scenario):
        return
    try:
        tree = read(file.read_bytes(), scenario.place.file)
    except Fault:
        return
    yield from field_warnings(scenario, tree)
    yield from doubt_warnings(doubts, tree)


def _undecided(file: Path, place: Place) -> Iterator[Problem]:
    """A warning if a file has notes of ``streamproof import`` that nobody has decided yet."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    numbers = [n for n, line in enumerate(lines, 1) if _TO_DO.match(line)]
    if numbers:
        what = f"{_counted(len(numbers), 'TODO')} to decide, from here on"
        yield Problem(what, Place(place.file, numbers[0], 1))


def _stream_problems(scenario: Scenario) -> Iterator[Problem]:
    """Streams that are too long, and problems in those of a scenario that claims to be legal."""
    for name in scenario.dialects:
        case = Case(scenario, name)
        for turn, n in _turns_and_attempts(scenario):
            try:
                rendered = render(case, turn, n)
            except ScenarioError as error:
                yield from error.problems
                continue
            if scenario.conduct == "legal" and name in STREAM_RULES:
                yield from _illegal_problems(case, turn, n, rendered)


def _illegal_problems(case: Case, turn: int, n: int, rendered: Rendered) -> Iterator[Problem]:
    """Problems in the stream of a turn that claims to be legal, judged from its bytes."""
    hint = "correct the stream, or say 'conduct: deviation' or 'conduct: violation'"
    for message, event in _breaches(case, rendered):
        message = f"turn {turn + 1} in {case.dialect}: {message}"
        yield Problem(message, _place(case.scenario, turn, n, event), hint)


def _turns_and_attempts(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """Every turn with each of its attempts; attempts are counted from 1."""
    for turn, written in enumerate(scenario.turns):
        yield from ((turn, n) for n, _ in enumerate(written.attempts, 1))


def _breaches(case: Case, rendered: Rendered) -> Iterator[tuple[str, int | None]]:
    """What is wrong with the answer of a turn: messages, and the numbers of the events."""
    if rendered.answer:
        if rendered.answer.status < _FIRST_ERROR_STATUS:
            yield f"a stream was asked for; the status {rendered.answer.status} promises one", None
        return
    close = rendered.plan.close
    if close != "clean":
        yield f"the stream does not close but ends with {close!r}", None
        return
    try:
        dump = recorded_plan(rendered.plan, case)
    except UserError as error:
        yield error.problems[0].message, None
        return
    profile = case.scenario.profile
    allowed = contract(profile, case.dialect) if profile else None
    for finding in judge_stream(dump.events, dump.framing, case.dialect, allowed):
        if finding.level == "must":
            yield f"{finding.rule}: {finding.message}", finding.event


def _place(scenario: Scenario, turn: int, attempt: int, event: int | None) -> Place | None:
    """The place of an event's step in the file; the scenario's place for a neutral script."""
    script = scenario.turns[turn].attempt(attempt).script
    if event is None or not isinstance(script, Sends):
        return scenario.place
    steps = zip(script.steps, script.places, strict=True)
    places = [place for step, place in steps if isinstance(step, (Send, Comment, Raw))]
    return places[event] if event < len(places) else scenario.place
