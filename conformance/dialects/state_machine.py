"""Runs the state machines of lifecycles, which are tables.

A machine maps a state and a step to the next state; a step that is not listed is a breach. The
initial state is the empty string.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

E = TypeVar("E")

Machine = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Breach(Generic[E]):
    """An event whose step is not allowed in the state before it."""

    state: str
    step: str
    event: E


@dataclass(frozen=True, slots=True)
class Walk(Generic[E]):
    """The last state of a machine, and the breach at which it stopped, if any."""

    state: str
    breach: Breach[E] | None = None


def walk(machine: Machine, steps: Iterable[tuple[str, E]], state: str = "") -> Walk[E]:
    """Run a machine from ``state`` through steps, up to the first breach."""
    for step, event in steps:
        after = machine[state].get(step)
        if after is None:
            return Walk(state, Breach(state, step, event))
        state = after
    return Walk(state)
