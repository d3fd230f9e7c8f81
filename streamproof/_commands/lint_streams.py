"""The streams of a scenario, judged from their bytes, as recordings are.

If a scenario claims to be legal, each finding is a problem at the step that sends its event. If the
schema of events rejects a field that the step itself writes, it is a problem at that field. In
other scenarios, events that contradict each other are warnings.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from conformance.dialects import KIT
from conformance.dialects.contracts import contract
from conformance.dialects.recording import recorded_plan
from conformance.findings.finding import Finding, Kind
from conformance.findings.words import message_of, right_of
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case
from mockserver.cases.render import Rendered, render
from mockserver.foundation.faults import Fault, Place, Problem, ScenarioError, UserError
from mockserver.foundation.schemas import deepest, errors_of, validator
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Comment, Raw, Send, Sends
from mockserver.scenario.sends import ABSENT
from mockserver.scenario.source import Path as YamlPath
from mockserver.scenario.source import Tree, read

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


def find_stream_problems(scenario: Scenario, file: Path) -> Iterator[Problem]:
    """Streams that are too long, and problems in those of a scenario that claims to be legal."""
    for name in scenario.dialects:
        case = Case(scenario, name)
        for turn, n in _attempts(scenario):
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


def _attempts(scenario: Scenario) -> Iterator[tuple[int, int]]:
    """The turn and the number of each attempt."""
    for turn, written in enumerate(scenario.turns):
        for n in range(1, len(written.attempts) + 1):
            yield turn, n


_ON_PURPOSE = re.compile(r"#.*\bon purpose\b")


def find_contradictions(scenario: Scenario, file: Path, lines: Sequence[str]) -> Iterator[Problem]:
    """Warnings about events of an upstream that is not legal, which its author may not have meant.

    They have no open item to belong to, or contradict an event before them. None if the line of the
    step says that it is on purpose.
    """
    if scenario.conduct == "legal":
        return
    warned = set[Place | None]()
    for name in filter(STREAM_RULES.__contains__, scenario.dialects):
        case, kinds = Case(scenario, name), KIT[name].legality.contradictions
        for turn, n in _attempts(scenario):
            if not isinstance(scenario.turns[turn].attempt(n).script, Sends):
                continue
            for breach in _of_kinds(case, render(case, turn, n), kinds):
                place = _place(case, turn, n, breach, file)
                line = place.line if place else 0
                is_meant = any(map(_ON_PURPOSE.search, lines[line - 1 : line]))
                if not is_meant and place not in warned:
                    message = f"turn {turn + 1} in {name}: {breach.message}"
                    yield Problem(message, place, _MEANT)
                warned.add(place)


def _of_kinds(case: Case, rendered: Rendered, kinds: tuple[type[Kind], ...]) -> Iterator[_Breach]:
    with suppress(UserError):
        judged = [] if rendered.answer else list(_judge(case, rendered))
        yield from (breach for finding, breach in judged if isinstance(finding.kind, kinds))


_MEANT = "correct it, or write the comment '# on purpose' in this line"


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
        judged = list(_judge(case, rendered))
    except UserError as error:
        yield _Breach(error.problems[0].message)
        return
    for finding, breach in judged:
        if finding.level == "must" or finding.rule == _NO_JSON:
            yield breach


def _judge(case: Case, rendered: Rendered) -> Iterator[tuple[Finding, _Breach]]:
    """The findings about a stream that is recorded from its bytes. Raises UserError."""
    dump = recorded_plan(rendered.plan, case)
    profile = case.scenario.profile
    allowed = contract(profile, case.dialect) if profile else None
    data: dict[int | None, Any] = {event.n: event.data for event in dump.events}
    for finding in judge_stream(dump.events, dump.framing, case.dialect, allowed):
        rejected = data.get(finding.event) if finding.rule.endswith(_BY_SCHEMA) else None
        message = f"{finding.rule}: {message_of(finding)}"
        yield finding, _Breach(message, right_of(finding), finding.event, rejected)


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
