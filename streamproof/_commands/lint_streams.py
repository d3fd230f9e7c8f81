"""Problems in the streams of scenarios: those that cannot be rendered, and illegal ones.

A stream of a scenario that claims to be legal is judged from its bytes, as a recording is. Each
finding is a problem at the step that sends its event. If the schema of events rejects a field that
the step itself writes, it is a problem at that field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.dialects.contracts import contract
from conformance.dialects.own_stream import recorded_plan
from conformance.findings.words import message_of, right_of
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case
from mockserver.cases.render import Rendered, render
from mockserver.foundation.faults import Fault, Problem, ScenarioError, UserError
from mockserver.foundation.schemas import deepest, errors_of, validator
from mockserver.scenario.script import Comment, Raw, Send, Sends
from mockserver.scenario.sends import ABSENT
from mockserver.scenario.source import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path as File

    from mockserver.foundation.faults import Place
    from mockserver.scenario.model import Scenario
    from mockserver.scenario.source import Path, Tree

_FIRST_ERROR_STATUS = 400
_BY_SCHEMA = "-types"
_CONDUCT = "say 'conduct: deviation' or 'conduct: violation'"


class _Breach(NamedTuple):
    """What is wrong with an answer, what would be right, and at which event.

    ``rejected`` is the data of that event if it is its schema that rejects it.
    """

    message: str
    right: str = ""
    event: int | None = None
    rejected: Any = None


def stream_problems(scenario: Scenario, file: File) -> Iterator[Problem]:
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
                for breach in _breaches(case, rendered):
                    message = f"turn {turn + 1} in {name}: {breach.message}"
                    right = (
                        f"right: {breach.right}; otherwise" if breach.right else "correct it, or"
                    )
                    place = _place(case, turn, n, breach, file)
                    yield Problem(message, place, f"{right} {_CONDUCT}")


def _turns_and_attempts(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """Every turn with each of its attempts; attempts are counted from 1."""
    for turn, written in enumerate(scenario.turns):
        yield from ((turn, n) for n, _ in enumerate(written.attempts, 1))


def _breaches(case: Case, rendered: Rendered) -> Iterator[_Breach]:
    """What is wrong with the answer of a turn."""
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
        if finding.level == "must":
            rejected = data.get(finding.event) if finding.rule.endswith(_BY_SCHEMA) else None
            message = f"{finding.rule}: {message_of(finding)}"
            yield _Breach(message, right_of(finding), finding.event, rejected)


def _place(case: Case, turn: int, attempt: int, breach: _Breach, file: File) -> Place | None:
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
    at: Path = ("turns", turn, "attempts", attempt - 1) if written.earlier else ("turns", turn)
    field = _field(case.dialect, breach.rejected, (*at, "sends", step), file)
    return field or script.places[step]


def _field(dialect: str, rejected: Any, step: Path, file: File) -> Place | None:
    """The place of the field of a step that the schema of the dialect's events rejects."""
    if rejected is None or (tree := _tree(file)) is None:
        return None
    written = _written(tree, step)
    for error in errors_of(validator(f"events/{dialect}"), rejected):
        path = tuple(deepest(error).absolute_path)
        for n in range(len(path)):
            if path[n:] in written:
                return written[path[n:]]
    return None


def _tree(file: File) -> Tree | None:
    try:
        return read(file.read_bytes(), str(file))
    except (Fault, OSError):
        return None


def _written(tree: Tree, step: Path) -> Mapping[Path, Place]:
    """The places of the fields that a step writes, by their paths in the event."""
    value = tree.at(step)
    if not isinstance(value, dict):
        return {}
    event = (*step, next(key for key in value if key != ABSENT))
    depth = len(event)
    return {path[depth:]: at for path, at in tree.keys.items() if path[:depth] == event}
