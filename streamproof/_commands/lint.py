"""``streamproof lint``: checks scenario files, in seconds and without an adapter.

A stream of a scenario that claims to be legal is judged from its bytes, as a recording is. Each
finding is a problem at the step that sends its event. If the schema of events rejects a field that
the step itself writes, it is a problem at that field.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from conformance.dialects.contracts import contract
from conformance.dialects.recording import recorded_plan
from conformance.expectation.turn_content import expected_contents
from conformance.findings.words import message_of, right_of
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.cases.render import Rendered, render
from mockserver.foundation.faults import Fault, Place, Problem, ScenarioError, UserError
from mockserver.foundation.schemas import deepest, errors_of, validator
from mockserver.foundation.shipped import folder
from mockserver.foundation.visible import say
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Comment, Raw, Send, Sends
from mockserver.scenario.sends import ABSENT
from mockserver.scenario.source import Path as YamlPath
from mockserver.scenario.source import Tree, read
from streamproof._commands.cases import make_id
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
    yield from _stream_problems(scenario, file)


_TO_DO = re.compile(r"\s*# TODO: .|(title|source|\s+(- )?(at|line|upstream)): \[?\W?TODO: ")


def _warnings(file: Path, scenario: Scenario, *, sound: bool) -> Iterator[Problem]:
    """The warnings about a scenario; what is expected is only compared if it has no problems."""
    assert scenario.place is not None
    yield from _find_undecided(file, scenario.place)
    found, absent = find_warnings(scenario), find_absent_steps(scenario)
    unfulfilled = _find_unfulfilled(scenario) if sound else []
    if not (found or absent or unfulfilled):
        return
    try:
        tree = read(file.read_bytes(), scenario.place.file)
    except Fault:
        return
    yield from find_absent_warnings(scenario, absent, tree)
    yield from place_warnings(found, tree)
    for path, message, hint in unfulfilled:
        yield Problem(message, tree.key_place((*path, "expect")), hint)


def _find_unfulfilled(scenario: Scenario) -> list[tuple[YamlPath, str, str]]:
    # The reference adapters import aiohttp, which other commands that read this module do without.
    from streamproof._commands.lint_reference import find_unfulfilled

    return list(find_unfulfilled(scenario))


def _find_undecided(file: Path, place: Place) -> Iterator[Problem]:
    """A warning if a file has notes of ``streamproof import`` that nobody has decided yet."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    numbers = [n for n, line in enumerate(lines, 1) if _TO_DO.match(line)]
    if numbers:
        what = f"{_counted(len(numbers), 'TODO')} to decide, from here on"
        yield Problem(what, Place(place.file, numbers[0], 1))


_FIRST_ERROR_STATUS = 400
_BY_SCHEMA = "-types"
# A stream may have such arguments, but adapters rightly differ in what they make of NaN.
_NO_JSON = "arguments-parse"
_CONDUCT = "say 'conduct: deviation' or 'conduct: violation'"


class _Breach(NamedTuple):
    """What is wrong with an answer, what would be right, and at which event.

    ``rejected`` is the data of that event if it is its schema that rejects it.
    """

    message: str
    right: str = ""
    event: int | None = None
    rejected: Any = None


def _stream_problems(scenario: Scenario, file: Path) -> Iterator[Problem]:
    """Streams that are too long, and problems in those of a scenario that claims to be legal."""
    for name in scenario.dialects:
        case = Case(scenario, name)
        attempts = enumerate(range(1, len(turn.attempts) + 1) for turn in scenario.turns)
        for turn, n in ((turn, n) for turn, numbers in attempts for n in numbers):
            try:
                rendered = render(case, turn, n)
            except ScenarioError as error:
                yield from error.problems
                continue
            if scenario.conduct == "legal" and name in STREAM_RULES:
                for breach in _breaches(case, rendered):
                    message = f"turn {turn + 1} in {name}: {breach.message}"
                    right = (
                        f"right: {breach.right}; otherwise" if breach.right else "correct it, or"
                    )
                    place = _place(case, turn, n, breach, file)
                    yield Problem(message, place, f"{right} {_CONDUCT}")


def _breaches(case: Case, rendered: Rendered) -> Iterator[_Breach]:
    if rendered.answer:
        if rendered.answer.status < _FIRST_ERROR_STATUS:
            status = rendered.answer.status
            yield _Breach(f"a stream was asked for; the status {status} promises one")
        return
    close = rendered.plan.close
    if close != "clean":
        yield _Breach(f"the stream does not close but ends with {close!r}")
        return
    try:
        dump = recorded_plan(rendered.plan, case)
    except UserError as error:
        yield _Breach(error.problems[0].message)
        return
    profile = case.scenario.profile
    allowed = contract(profile, case.dialect) if profile else None
    data: dict[int | None, Any] = {event.n: event.data for event in dump.events}
    for finding in judge_stream(dump.events, dump.framing, case.dialect, allowed):
        if finding.level == "must" or finding.rule == _NO_JSON:
            rejected = data.get(finding.event) if finding.rule.endswith(_BY_SCHEMA) else None
            message = f"{finding.rule}: {message_of(finding)}"
            yield _Breach(message, right_of(finding), finding.event, rejected)


def _place(case: Case, turn: int, attempt: int, breach: _Breach, file: Path) -> Place | None:
    """The place of a field or of a step in the file; the scenario's place for a neutral script."""
    scenario = case.scenario
    written = scenario.turns[turn]
    script = written.attempt(attempt).script
    if breach.event is None or not isinstance(script, Sends):
        return scenario.place
    sending = [n for n, step in enumerate(script.steps) if isinstance(step, (Send, Comment, Raw))]
    if breach.event >= len(sending):
        return scenario.place
    step = sending[breach.event]
    at: YamlPath = ("turns", turn, "attempts", attempt - 1) if written.earlier else ("turns", turn)
    field = _field(case.dialect, breach.rejected, (*at, "sends", step), file)
    return field or script.places[step]


def _field(dialect: str, rejected: Any, step: YamlPath, file: Path) -> Place | None:
    """The place of the field of a step that the schema of the dialect's events rejects."""
    if rejected is None:
        return None
    try:
        written = _written(read(file.read_bytes(), str(file)), step)
    except (Fault, OSError):
        return None
    for error in errors_of(validator(f"events/{dialect}"), rejected):
        path = tuple(deepest(error).absolute_path)
        for n in range(len(path)):
            if path[n:] in written:
                return written[path[n:]]
    return None


def _written(tree: Tree, step: YamlPath) -> Mapping[YamlPath, Place]:
    """The places of the fields that a step writes, by their paths in the event."""
    value = tree.at(step)
    if not isinstance(value, dict):
        return {}
    event = (*step, next(key for key in value if key != ABSENT))
    depth = len(event)
    return {path[depth:]: at for path, at in tree.keys.items() if path[:depth] == event}
