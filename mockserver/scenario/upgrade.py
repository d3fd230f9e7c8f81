"""Converts the steps of a scenario file from format 1 to format 2.

Nulls that remove a field are replaced by the field's path in ``absent``. Paths of fields that are
not derived anyway, and objects that would be left empty, are removed if that changes no event.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mockserver.dialects import DIALECTS
from mockserver.dialects.json_fields import nulls, without
from mockserver.scenario.format_1 import of_format_1
from mockserver.scenario.load import scripts
from mockserver.scenario.script import Send, Sends
from mockserver.scenario.sends import ABSENT, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockserver.scenario.model import Scenario
    from mockserver.scenario.script import FieldPath
    from mockserver.scenario.source import Path, Tree


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one step: the fields to remove, and the paths to add to ``absent``."""

    step: Path
    verb: str
    removed: tuple[FieldPath, ...]
    absent: tuple[FieldPath, ...]

    @property
    def entry(self) -> str:
        """The ``absent`` key to add to the step, as YAML; empty if none is needed."""
        return f"{ABSENT}: [{', '.join(map(entry_of, self.absent))}]" if self.absent else ""


def changes(scenario: Scenario, tree: Tree) -> Iterator[Change]:
    """The changes that convert a file from format 1 to format 2. Raises ScenarioError."""
    for path, script in scripts(in_format_1(scenario, tree).turns):
        if isinstance(script, Sends):
            yield from _of_script(tree, (*path, "sends"), script, scenario.dialects)


def is_format_2(scenario: Scenario, tree: Tree) -> bool:
    """Whether a file is of format 2: it says so, or it says nothing and has ``absent``."""
    if "format" in tree.value:
        return bool(tree.value["format"] == 2)
    sends = (script for _, script in scripts(scenario.turns) if isinstance(script, Sends))
    return any(isinstance(step, Send) and step.absent for script in sends for step in script.steps)


def in_format_1(scenario: Scenario, tree: Tree) -> Scenario:
    """The scenario with the meaning of format 1, whether or not the file has ``format: 1``."""
    if tree.value.get("format") == 1:
        return scenario
    turns = tuple(of_format_1(turn, scenario.dialects) for turn in scenario.turns)
    return replace(scenario, turns=turns)


def _of_script(tree: Tree, path: Path, script: Sends, dialects: Sequence[str]) -> Iterator[Change]:
    turn = path[1]
    assert isinstance(turn, int)
    for n, step in enumerate(script.steps):
        written = tree.at((*path, n))
        if not isinstance(step, Send) or not isinstance(written, dict):
            continue
        verb = next(key for key in written if key != ABSENT)
        before = tuple(nulls(written[verb] or {}))
        removed = tuple(field for field in before if field not in set(nulls(step.fields)))
        if removed:
            sends = _Sends(script, n, turn, dialects)
            fields, absent = sends.shortest(step, removed)
            yield Change((*path, n), verb, fields, absent)


@dataclass(frozen=True, slots=True)
class _Sends:
    """One step of a script, to compare the events of alternative forms of it."""

    script: Sends
    n: int
    turn: int
    dialects: Sequence[str]

    def shortest(
        self, step: Send, removed: tuple[FieldPath, ...]
    ) -> tuple[tuple[FieldPath, ...], tuple[FieldPath, ...]]:
        """Leave out what an upgraded step does not need to send the same events.

        Returns the paths of the fields to remove, and those that must be in ``absent``.
        """
        for path in step.absent:
            shorter = replace(step, absent=tuple(each for each in step.absent if each != path))
            step = shorter if self.same(step, shorter) else step
        gone = list(removed)
        for path in _emptied(step.fields, removed):
            shorter = replace(step, fields=without(step.fields, [path]))
            if self.same(step, shorter):
                step = shorter
                gone = [each for each in gone if each[: len(path)] != path] + [path]
        return tuple(gone), step.absent

    def same(self, one: Send, other: Send) -> bool:
        """Whether the script sends the same events with either of these steps."""
        return all(
            DIALECTS[name].steps(self._with(one), self.turn)
            == DIALECTS[name].steps(self._with(other), self.turn)
            for name in self.dialects
        )

    def _with(self, step: Send) -> Sends:
        steps = (*self.script.steps[: self.n], step, *self.script.steps[self.n + 1 :])
        return replace(self.script, steps=steps)


def _emptied(fields: Mapping[str, Any], removed: Sequence[FieldPath]) -> Iterator[FieldPath]:
    """The paths of objects that are empty after the removal, the innermost first."""
    around = {path[:n] for path in removed for n in range(1, len(path))}
    for path in sorted(around, key=len, reverse=True):
        if not any(_leaves(fields, path)):
            yield path


def _leaves(fields: Any, path: FieldPath) -> Iterator[bool]:
    """For each value below a path, at any depth, whether it is not an object."""
    for name in path:
        fields = fields.get(name, {})
    waiting = [fields]
    while waiting:
        inner = waiting.pop()
        yield not isinstance(inner, dict)
        waiting += inner.values() if isinstance(inner, dict) else ()


def upgraded(value: Any, made: Sequence[Change]) -> Any:
    """The document of a file, as plain data, with the changes applied."""
    result = copy.deepcopy(value)
    result["format"] = 2
    for change in made:
        step = result
        for name in change.step:
            step = step[name]
        step[change.verb] = without(step[change.verb] or {}, change.removed)
        if change.absent:
            step[ABSENT] = [_plain(path) for path in change.absent]
    return result


def _plain(path: FieldPath) -> str | list[str]:
    entry = entry_of(path)
    return list(path) if entry.startswith("[") else entry
