"""``streamproof lint``: what is wrong with scenario files, each problem at its line and column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from conformance.expectation.story import stories
from mockserver.dialects import DIALECTS, Event
from mockserver.faults import Fault, Problem, ScenarioError, UserError
from mockserver.scenario.catalogue import Catalogue, read_file
from mockserver.scenario.model import Scenario
from mockserver.shipped import folder, schema
from mockserver.slots import filled
from streamproof.chosen import id_of


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def lint(paths: tuple[Path, ...]) -> None:
    """Check scenario files and folders; without PATHS, the shipped catalogue."""
    count, problems = 0, 0
    for file, id_ in _files(paths or (folder("scenarios"),)):
        count += 1
        for problem in _problems(file, id_):
            problems += 1
            click.echo(str(problem))
    noun = "scenario" if count == 1 else "scenarios"
    click.echo(f"{count} {noun}, {problems or 'no'} problem{'' if problems == 1 else 's'}")
    if problems:
        raise click.exceptions.Exit(ScenarioError.exit_code)


def _files(paths: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    for path in paths:
        if path.is_dir():
            yield from ((entry, id_) for id_, entry in Catalogue([path]).files())
        elif path.exists():
            yield path, id_of(path)
        else:
            raise UserError(f"{path} does not exist")


def _problems(file: Path, id_: str) -> Iterator[Problem]:
    try:
        scenario = read_file(file, id_)
        for turn in range(len(scenario.turns)):
            stories(scenario, turn)
    except Fault as fault:
        yield from fault.problems
        return
    if not scenario.source and not scenario.seen:
        yield Problem(
            "nothing says why this is right",
            scenario.place,
            "name the clause in 'source', or the report in 'seen'",
        )
    if scenario.conduct == "legal":
        yield from _illegal(scenario)


def _illegal(scenario: Scenario) -> Iterator[Problem]:
    """Events that a legal upstream does not send."""
    for name in scenario.dialects:
        validator = Draft202012Validator(schema(f"events/{name}"))
        sample = DIALECTS[name].sample()
        for turn, what in enumerate(scenario.turns):
            for n, step in enumerate(DIALECTS[name].steps(what.script, turn)):
                if isinstance(step, Event) and (
                    error := best_match(validator.iter_errors(filled(step.data, sample)))
                ):
                    where = ".".join(map(str, error.absolute_path))
                    yield Problem(
                        f"step {n} in {name}, {step.type}: {where}: {error.message[:160]}",
                        scenario.place,
                        "correct the event, or say 'conduct: deviation'",
                    )
