"""``streamproof lint``: checks scenario files, in seconds and without an adapter."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from conformance.expectation.turn_content import expected_contents
from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.foundation.faults import Fault, Place, Problem, ScenarioError, UserError
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from mockserver.scenario.model import Scenario
from mockserver.scenario.source import Path as YamlPath
from mockserver.scenario.source import read
from streamproof._commands.cases import make_id
from streamproof._commands.lint_streams import find_contradictions, find_stream_problems
from streamproof._commands.lint_warnings import (
    find_absent_steps,
    find_absent_warnings,
    find_warnings,
    place_warnings,
)
from streamproof._commands.options import PATH


@click.command()
@click.argument("paths", nargs=-1, type=PATH)
@click.option(
    "-v", "--verbose", is_flag=True, help="Also say in which dialects a script is played."
)
def lint(paths: tuple[Path, ...], verbose: bool) -> None:
    """Check scenario files and folders; without PATHS, the shipped catalogue.

    Problems fail the command. Warnings do not: they are about what may have been meant otherwise,
    and about what the kit's own adapter makes otherwise of a stream than is expected.
    """
    count = problems = warned = 0
    for file, id_ in find_files(paths or (folder("scenarios"),)):
        count += 1
        scenario, found = check_file(file, id_)
        # Problems of several dialects may be the same, at one place.
        wrong = list(dict.fromkeys(found))
        doubtful = list(_warnings(file, scenario, sound=not wrong)) if scenario else []
        problems, warned = problems + len(wrong), warned + len(doubtful)
        marked = [replace(each, message=f"warning: {each.message}") for each in doubtful]
        for problem in sorted(
            [*wrong, *marked], key=lambda p: (p.place.line, p.place.column) if p.place else (0, 0)
        ):
            say(str(problem))
        if verbose and scenario:
            say(f"{scenario.id}: played in {', '.join(scenario.dialects)}")
            for name, why in scenario.unable.items():
                say(f"  not in {name}: {why}")
    for path in filter(Path.is_dir, paths):
        for line in Catalogue([path]).warnings():
            warned += 1
            say(f"warning: {line}")
    told = f"{_counted(count, 'scenario')}, {_counted(problems, 'problem')}"
    say(f"{told}, {_counted(warned, 'warning')}" if warned else told)
    if problems:
        raise click.exceptions.Exit(ScenarioError.exit_code)


def check_file(file: Path, id_: str) -> tuple[Scenario | None, Iterable[Problem]]:
    """The scenario in a file and its problems; None and those of the file if it is unreadable."""
    try:
        scenario = read_file(file, id_)
    except Fault as fault:
        return None, fault.problems
    return scenario, _problems(scenario, file)


def _counted(n: int, noun: str) -> str:
    return f"{n or 'no'} {noun}{'' if n == 1 else 's'}"


def find_files(paths: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """The scenario files that paths lead to, with their ids. Raises UserError."""
    for path in paths:
        if path.is_dir():
            # A single folder of a catalogue: the ids of its files begin with the folder's name.
            for id_, file in Catalogue([path]).files():
                yield file, id_ if "/" in id_ else make_id(file)
        elif path.exists():
            yield path, make_id(path)
        else:
            raise UserError(f"{path} does not exist")


def _problems(scenario: Scenario, file: Path) -> Iterator[Problem]:
    try:
        for turn in range(len(scenario.turns)):
            expected_contents(scenario, turn)
    except Fault as fault:
        yield from fault.problems
        return
    if not (scenario.source or scenario.seen or scenario.reports):
        yield Problem(
            "nothing says why this is right",
            scenario.place,
            "name the clause in 'source', or a report in 'reports'",
        )
    yield from find_stream_problems(scenario, file)


_TO_DO = re.compile(r"\s*# TODO: .|(title|source|\s+(- )?(at|line|upstream)): \[?\W?TODO: ")


def _warnings(file: Path, scenario: Scenario, *, sound: bool) -> Iterator[Problem]:
    """The warnings about a scenario; what is expected is only compared if it has no problems."""
    assert scenario.place is not None
    lines = _lines_of(file)
    yield from _find_undecided(lines, scenario.place)
    doubtful = list(find_contradictions(scenario, file, lines)) if sound else []
    found, absent = find_warnings(scenario), find_absent_steps(scenario)
    unfulfilled = _find_unfulfilled(scenario) if sound else []
    if not (found or absent or unfulfilled or doubtful):
        return
    try:
        tree = read(file.read_bytes(), scenario.place.file)
    except Fault:
        return
    of_fields = [*find_absent_warnings(scenario, absent, tree), *place_warnings(found, tree)]
    yield from of_fields
    # A warning about a field says more about the same event.
    lines_of_fields = {each.place.line for each in of_fields if each.place}
    yield from (e for e in doubtful if e.place and e.place.line not in lines_of_fields)
    for path, message, hint in unfulfilled:
        yield Problem(message, tree.key_place((*path, "expect")), hint)


def _find_unfulfilled(scenario: Scenario) -> list[tuple[YamlPath, str, str]]:
    # The reference adapters import aiohttp, which other commands that read this module do without.
    from streamproof._commands.lint_reference import find_unfulfilled

    return list(find_unfulfilled(scenario))


def _lines_of(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _find_undecided(lines: Sequence[str], place: Place) -> Iterator[Problem]:
    """A warning if a file has notes of ``streamproof import`` that nobody has decided yet."""
    numbers = [n for n, line in enumerate(lines, 1) if _TO_DO.match(line)]
    if numbers:
        what = f"{_counted(len(numbers), 'TODO')} to decide, from here on"
        yield Problem(what, Place(place.file, numbers[0], 1))
