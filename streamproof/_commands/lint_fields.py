"""Warnings about fields in ``sends`` that are probably mistakes.

A null is sent as null. In format 1 it removed the field. So in a file without ``format`` a null is
reported if the dialect would fill in the field, or does not allow null there. An entry of
``absent`` is reported if no dialect fills in that field anyway.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from mockserver.contract import validator
from mockserver.dialects import DIALECTS
from mockserver.dialects.json_fields import nulls, without
from mockserver.faults import Problem
from mockserver.scenario.load import scripts
from mockserver.scenario.script import Send, Sends
from mockserver.scenario.sends import ABSENT, entry_of
from mockserver.wire.event import Event
from mockserver.wire.slots import filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockserver.faults import Place
    from mockserver.scenario.model import Scenario
    from mockserver.scenario.script import FieldPath
    from mockserver.scenario.source import Path, Tree
    from mockserver.wire.event import Step as WireStep

# Each null and each absent field means building the events before it again.
_MOST = 50


def has_nulls_or_absent(scenario: Scenario) -> bool:
    """Whether a step sends a null or leaves a field out; no other steps have warnings."""
    sent = (step for _, script in scripts(scenario.turns) for step in script.steps)
    return any(_is_checked(step) for step in sent if isinstance(step, Send))


def _is_checked(send: Send) -> bool:
    return bool(send.absent) or any(True for _ in nulls(send.fields))


def field_warnings(scenario: Scenario, tree: Tree) -> list[Problem]:
    """The warnings about the fields of a scenario; at most 50 steps are checked."""
    steps = (step for step in _steps(scenario, tree) if _is_checked(step.send))
    return [problem for step in islice(steps, _MOST) for problem in _of_step(step, scenario, tree)]


@dataclass(frozen=True, slots=True)
class _Step:
    """A step that sends an event: its path in the file, its script, and its index there."""

    path: Path
    verb: str
    script: Sends
    n: int

    @property
    def send(self) -> Send:
        send = self.script.steps[self.n]
        assert isinstance(send, Send)
        return send

    @property
    def absent(self) -> tuple[FieldPath, ...]:
        return self.send.absent

    def data(self, dialect: str, send: Send) -> Any:
        """The data of the event that is sent if the step is replaced by ``send``."""
        event = self._sent(dialect, send)[-1]
        assert isinstance(event, Event)
        return filled(event.data, DIALECTS[dialect].sample())

    def forms(self, dialect: str, send: Send) -> list[Sequence[WireStep]]:
        """What is sent up to the step, replaced by ``send``, in each form of the dialect."""
        sent = self._sent(dialect, send)
        return [DIALECTS[dialect].apply_form(sent, form) for form in DIALECTS[dialect].forms]

    def _sent(self, dialect: str, send: Send) -> Sequence[WireStep]:
        script = replace(self.script, steps=(*self.script.steps[: self.n], send))
        turn = self.path[1]
        assert isinstance(turn, int)
        return DIALECTS[dialect].steps(script, turn)


def _steps(scenario: Scenario, tree: Tree) -> Iterator[_Step]:
    for path, script in scripts(scenario.turns):
        if not isinstance(script, Sends):
            continue
        for n, step in enumerate(script.steps):
            written = tree.at((*path, "sends", n))
            if isinstance(step, Send) and isinstance(written, dict):
                verb = next(key for key in written if key != ABSENT)
                yield _Step((*path, "sends", n), verb, script, n)


def _of_step(step: _Step, scenario: Scenario, tree: Tree) -> Iterator[Problem]:
    if "format" not in tree.value:
        for path in nulls(step.send.fields):
            place = tree.place((*step.path, step.verb, *path))
            yield from islice(_mistaken(step, path, scenario.dialects, place), 1)
    for n, path in enumerate(step.absent):
        if tree.value.get("format") != 1 and not _takes_away(step, path, scenario.dialects):
            place = tree.place((*step.path, ABSENT, n))
            message = f"{_dotted(path)} is absent anyway: no dialect here fills it in"
            yield Problem(message, place, "correct its name, or leave it out")


def _dotted(path: FieldPath) -> str:
    return repr(".".join(path))


def _mistaken(
    step: _Step, path: FieldPath, dialects: Iterable[str], place: Place
) -> Iterator[Problem]:
    """A warning for each dialect in which a null was probably meant to remove the field."""
    null = f"null is sent as {_dotted(path)}"
    meant = "if null is meant say 'format: 2' at the top of the file"
    send = step.send
    without_it = replace(send, fields=without(send.fields, [path]))
    for name in dialects:
        if path in DIALECTS[name].of_format_1(send).absent:
            absent = replace(without_it, absent=(*send.absent, path))
            if step.data(name, without_it) != step.data(name, absent):
                leave_out = f"absent: [{entry_of(path)}]"
                hint = f"to send no such field write {leave_out} beside the event; {meant}"
                yield Problem(f"{null}, which {name} fills in where it is left out", place, hint)
            elif _refused(name, step.data(name, send), path):
                hint = f"to send no such field leave it out; {meant}"
                yield Problem(f"{null}, which cannot be null in {name}", place, hint)


def _takes_away(step: _Step, path: FieldPath, dialects: Iterable[str]) -> bool:
    send = step.send
    all_others = replace(send, absent=tuple(each for each in send.absent if each != path))
    return any(step.forms(name, send) != step.forms(name, all_others) for name in dialects)


def _refused(dialect: str, data: Any, path: FieldPath) -> bool:
    """Whether the schema of the dialect's events rejects null in the field at this path."""
    waiting = list(validator(f"events/{dialect}").iter_errors(data))
    while waiting:
        error = waiting.pop()
        if error.instance is None and tuple(error.absolute_path)[-len(path) :] == path:
            return True
        waiting += error.context or ()
    return False
