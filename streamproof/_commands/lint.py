"""``streamproof lint``: reports problems in scenario files, with line and column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from conformance.expectation.turn_content import expected_contents
from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.foundation.faults import Fault, Place, Problem, ScenarioError, UserError
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import read
from streamproof._commands.cases import id_of
from streamproof._commands.lint_streams import stream_problems
from streamproof._commands.lint_warnings import (
    absent_warnings,
    has_absent,
    place_warnings,
    warnings_about,
)


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
        # Problems of several dialects may be the same, at one place.
        wrong = list(dict.fromkeys(found))
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
    return scenario, _problems(scenario, file)


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


def _problems(scenario: Scenario, file: Path) -> Iterator[Problem]:
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
    yield from stream_problems(scenario, file)


_TO_DO = re.compile(r"\s*# TODO: .|(title|seen|source): \[?\W?TODO: ")


def _warnings(file: Path, scenario: Scenario) -> Iterator[Problem]:
    assert scenario.place is not None
    yield from _undecided(file, scenario.place)
    found = warnings_about(scenario)
    if not found and not has_absent(scenario):
        return
    try:
        tree = read(file.read_bytes(), scenario.place.file)
    except Fault:
        return
    yield from absent_warnings(scenario, tree)
    yield from place_warnings(found, tree)


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
