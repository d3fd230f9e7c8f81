"""Parses ``sends``: a script of one dialect's events."""

from collections.abc import Mapping
from typing import Any

from mockserver.foundation.faults import Place, Problem, ScenarioError
from mockserver.foundation.json_fields import FieldPath
from mockserver.scenario.script import Checkpoint, Send, Sends, SendStep
from mockserver.scenario.shape import kind
from mockserver.scenario.source import Path, Tree, refuse
from mockserver.scenario.steps import COMMON, add_checkpoint, require_open, require_room

ABSENT = "absent"
SHARED = "chunks"
"""The key of a file with the fields that all of its events have."""

# Keys for events with a ``type`` field, and whether the dialect has such events.
_BY_TYPE = {"unknown": False, "event": True}


def parse_sends(tree: Tree, path: Path) -> Sends:
    """Parse the ``sends`` at this path. Raises ScenarioError."""
    steps: list[SendStep] = []
    places: list[Place] = []
    checkpoints: set[str] = set()
    for n, written in enumerate(tree.at(path)):
        place = tree.place((*path, n))
        require_open(steps, place)
        require_room(len(steps) + 1, place)
        step = _step(written, tree, (*path, n))
        if isinstance(step, Checkpoint):
            add_checkpoint(step, checkpoints, place)
        steps.append(step)
        places.append(place)
    return Sends(tuple(steps), tuple(places), tree.value.get("generation", ""))


def _step(written: Any, tree: Tree, path: Path) -> SendStep:
    if isinstance(written, str):
        return Send(written, shared=tree.value.get(SHARED, {}))
    ((verb, value),) = ((verb, value) for verb, value in written.items() if verb != ABSENT)
    if verb in COMMON:
        if ABSENT in written:
            place = tree.key_place((*path, ABSENT))
            refuse(place, f"{ABSENT!r} is beside {verb!r}", "only an event has fields")
        return COMMON[verb](value)
    fields = dict(value or {})
    type_ = str(fields.pop("type")) if verb in _BY_TYPE else verb
    known = _BY_TYPE.get(verb, True)
    absent = _absent(written, fields, tree, path)
    return Send(type_, fields, known, absent=absent, shared=tree.value.get(SHARED, {}))


def _absent(
    written: Mapping[str, Any], fields: Mapping[str, Any], tree: Tree, path: Path
) -> tuple[FieldPath, ...]:
    """The absent fields of a step. Raises ScenarioError if it also sets one of them."""
    paths = tuple(field_path(entry) for entry in written.get(ABSENT, ()))
    problems = [
        Problem(why, tree.place((*path, ABSENT, n)), "give a field or take it away, not both")
        for n, field in enumerate(paths)
        if (why := _contradiction(fields, field))
    ]
    if problems:
        raise ScenarioError(*problems)
    return paths


def field_path(entry: str | list[str]) -> FieldPath:
    """Parse an entry of ``absent``: names separated by dots, or a list of names."""
    return tuple(entry.split(".") if isinstance(entry, str) else entry)


def _contradiction(fields: Any, path: FieldPath) -> str:
    """Why a field cannot be absent if a step sets these fields; empty if it can."""
    for n, name in enumerate(path):
        if not isinstance(fields, dict):
            return f"{'.'.join(path[:n])!r} is given as {kind(fields)} and so has no field {name!r}"
        if name not in fields:
            return ""
        fields = fields[name]
    return f"{'.'.join(path)!r} is given here and absent"
