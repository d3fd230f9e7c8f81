"""A dialect's own events as written, turned into steps as played."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from mockserver.faults import Problem, ScenarioError
from mockserver.scenario.model import Checkpoint, Send, Sends, SendStep
from mockserver.scenario.shape import kind
from mockserver.scenario.steps import COMMON, not_closed, once, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.faults import Place
    from mockserver.scenario.model import FieldPath
    from mockserver.scenario.source import Path, Tree


ABSENT = "absent"

# How an event is written whose type cannot stand for itself, and whether its dialect has it.
_BY_TYPE = {"unknown": False, "event": True}


def sends(tree: Tree, path: Path) -> Sends:
    """The events of a dialect at this path. Raises ScenarioError."""
    steps: list[SendStep] = []
    places: list[Place] = []
    checkpoints: set[str] = set()
    for n, written in enumerate(tree.at(path)):
        place = tree.place((*path, n))
        not_closed(steps, place)
        step = _step(written, tree, (*path, n))
        if isinstance(step, Checkpoint):
            once(step, checkpoints, place)
        steps.append(step)
        places.append(place)
    return Sends(tuple(steps), tuple(places), tree.value.get("generation", ""))


def _step(written: Any, tree: Tree, path: Path) -> SendStep:
    if isinstance(written, str):
        return Send(written)
    ((verb, value),) = ((verb, value) for verb, value in written.items() if verb != ABSENT)
    if verb in COMMON:
        if ABSENT in written:
            place = tree.key_place((*path, ABSENT))
            refuse(place, f"{ABSENT!r} stands beside {verb!r}", "only an event has fields")
        return COMMON[verb](value)
    fields = dict(value or {})
    type_ = str(fields.pop("type")) if verb in _BY_TYPE else verb
    known = _BY_TYPE.get(verb, True)
    return Send(type_, fields, known, absent=_absent(written, fields, tree, path))


def _absent(
    written: Mapping[str, Any], fields: Mapping[str, Any], tree: Tree, path: Path
) -> tuple[FieldPath, ...]:
    """The fields that a step takes away. Raises ScenarioError where it also gives one of them."""
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
    """The path that an entry of ``absent`` means: names with dots between, or a list of them."""
    return tuple(entry.split(".") if isinstance(entry, str) else entry)


def entry_of(path: FieldPath) -> str:
    """How a path is written as an entry of ``absent``: the YAML that ``field_path`` reads."""
    if all(map(_SIMPLE.fullmatch, path)) and path not in _WORDS:
        return ".".join(path)
    return json.dumps(path, ensure_ascii=False)


_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_WORDS = {("true",), ("false",), ("null",)}


def _contradiction(fields: Any, path: FieldPath) -> str:
    """Why a field cannot be absent, given these fields; empty where it can."""
    for n, name in enumerate(path):
        if not isinstance(fields, dict):
            return f"{'.'.join(path[:n])!r} is given as {kind(fields)} and so has no field {name!r}"
        if name not in fields:
            return ""
        fields = fields[name]
    return f"{'.'.join(path)!r} is given here and absent"
