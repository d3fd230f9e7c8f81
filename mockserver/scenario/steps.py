"""Parses the steps that both forms of a script have, and checks their order."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from mockserver.foundation.faults import Place
from mockserver.scenario.script import Checkpoint, Close, CloseHow, Comment, Common, Pause, Raw
from mockserver.scenario.source import refuse

_MILLISECONDS = 1000

MAX_STEPS = 20_000
"""The most steps of a script once ``in`` and shorthands are expanded: about its events."""

MAX_FILE_STEPS = 5 * MAX_STEPS
"""The most steps of all scripts of a file."""


def duration(text: str) -> float:
    """Parse a duration such as ``20ms`` or ``1.5s`` into seconds."""
    if text.endswith("ms"):
        return float(text[:-2]) / _MILLISECONDS
    return float(text[:-1])


COMMON: dict[str, Callable[[Any], Common]] = {
    "pause": lambda text: Pause(duration(text)),
    "checkpoint": Checkpoint,
    "comment": Comment,
    "raw": Raw,
    "close": lambda how: Close(cast("CloseHow", how)),
}


def require_open(steps: Sequence[object], place: Place) -> None:
    """Raise ScenarioError if the stream is closed after these steps."""
    if steps and isinstance(steps[-1], Close):
        refuse(place, "nothing can follow the step that closes the stream")


def require_room(count: int, place: Place) -> None:
    """Raise ScenarioError if a script of this many steps is too long."""
    if count > MAX_STEPS:
        message = f"more than {MAX_STEPS:,} events in one turn, once 'in' is expanded"
        refuse(place, message, "give it fewer steps, or a smaller 'in'")


def add_checkpoint(step: Checkpoint, before: set[str], place: Place) -> None:
    """Add a checkpoint's name to ``before``. Raises ScenarioError if it is already there."""
    if step.name in before:
        refuse(place, f"the checkpoint {step.name!r} is here twice")
    before.add(step.name)
