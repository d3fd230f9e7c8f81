"""A dialect's own events as written, turned into steps as played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.scenario.model import Checkpoint, Send, Sends, SendStep
from mockserver.scenario.steps import COMMON, not_closed, once

if TYPE_CHECKING:
    from mockserver.faults import Place
    from mockserver.scenario.source import Path, Tree


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
        step = _step(written)
        if isinstance(step, Checkpoint):
            once(step, checkpoints, place)
        steps.append(step)
        places.append(place)
    return Sends(tuple(steps), tuple(places), tree.value.get("generation", ""))


def _step(written: Any) -> SendStep:
    if isinstance(written, str):
        return Send(written)
    ((verb, value),) = written.items()
    if verb in COMMON:
        return COMMON[verb](value)
    if verb in _BY_TYPE:
        fields = dict(value)
        return Send(str(fields.pop("type")), fields, known=_BY_TYPE[verb])
    return Send(verb, value or {})
