"""What a variation is: a named change under which the emitted parts stay the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mockserver.dialects.dialect import Step
from mockserver.frames import Framing


def unchanged(framing: Framing) -> Framing:
    """The framing as it is."""
    return framing


def untouched(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps as they are."""
    return steps


@dataclass(frozen=True, slots=True)
class Variation:
    """One change to how a stream is written, or to the events themselves, and who sends such.

    ``change`` is asked for the framing, ``events`` for the steps of a turn; ``dialects`` are those
    to whose events it applies (none: any).
    """

    name: str
    about: str
    change: Callable[[Framing], Framing] = unchanged
    events: Callable[[Sequence[Step]], Sequence[Step]] = untouched
    dialects: tuple[str, ...] = ()

    def applies(self, dialect: str) -> bool:
        """Can a turn in this dialect be varied so?"""
        return not self.dialects or dialect in self.dialects
