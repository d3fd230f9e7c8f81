"""Filters and maps over the steps of a turn, for the variations of every dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mockserver.scenario.script import Checkpoint
from mockserver.wire.event import Event, Step
from mockserver.wire.variation import Change

Data = dict[str, Any]


def events_in(steps: Sequence[Step]) -> Iterator[Event]:
    """The events among the steps."""
    return (step for step in steps if isinstance(step, Event))


def map_events(change: Callable[[int, Data], Data]) -> Change:
    """A change of steps that applies ``change`` to each event's step number and data."""

    def changed(steps: Sequence[Step]) -> Sequence[Step]:
        return [
            replace(step, data=change(n, step.data)) if isinstance(step, Event) else step
            for n, step in enumerate(steps)
        ]

    return changed


def without_declinable(steps: Sequence[Step]) -> list[Step]:
    """The steps without the fields that a client may decline."""
    return [
        replace(step, data={k: v for k, v in step.data.items() if k not in step.declinable})
        if isinstance(step, Event) and step.declinable
        else step
        for step in steps
    ]


def without_checkpoints(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps without their checkpoints."""
    return [step for step in steps if not isinstance(step, Checkpoint)]
