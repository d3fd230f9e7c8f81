"""Bounds what a turn sends: events that repeat what came before may grow with each other event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.faults import Problem, ScenarioError
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockserver.wire.event import Step

MAX_VALUES = 2_000_000
"""The most JSON values in the events of a turn."""

MAX_CHARACTERS = 64 << 20
"""The most characters of a stream."""

_HINT = "shorten its texts, or send fewer events that repeat them"


def bounded(steps: Iterable[Step]) -> Iterator[Step]:
    """The same steps, one by one. Raises ScenarioError once their events have too many values."""
    count = 0
    for step in steps:
        if isinstance(step, Event):
            count += _size(step.data)
            if count > MAX_VALUES:
                message = f"the events of a turn have more than {MAX_VALUES:,} values"
                raise ScenarioError(Problem(message, hint=_HINT))
        yield step


def require_short(characters: int) -> None:
    """Raise ScenarioError if a stream of this many characters is too long."""
    if characters > MAX_CHARACTERS:
        message = f"the events of a turn have more than {MAX_CHARACTERS:,} characters"
        raise ScenarioError(Problem(message, hint=_HINT))


def _size(value: Any) -> int:
    """The number of values in a JSON value, itself included."""
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
