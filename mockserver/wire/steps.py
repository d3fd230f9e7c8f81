"""The steps of a turn, looked at and changed one by one, in any dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mockserver.scenario.model import Checkpoint
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Change

Data = dict[str, Any]


def events_in(steps: Sequence[Step]) -> Iterator[Event]:
    """The events among the steps."""
    return (step for step in steps if isinstance(step, Event))


def each(change: Callable[[int, Data], Data]) -> Change:
    """A change to the data of every event, which is told its number."""

    def changed(steps: Sequence[Step]) -> Sequence[Step]:
        return [
            replace(step, data=change(n, step.data)) if isinstance(step, Event) else step
            for n, step in enumerate(steps)
        ]

    return changed


def without_checkpoints(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps without a moment at which anything must have come out by now."""
    return [step for step in steps if not isinstance(step, Checkpoint)]
