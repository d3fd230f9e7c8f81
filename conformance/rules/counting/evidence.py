"""What was counted in the course of a sequence, by the names that the sequence gives to it.

Adapters estimate in different ways, add different overheads and round differently. So no rule
knows what a text amounts to: what an adapter tells is compared with what the same adapter has told,
and with what the upstream has told of its usage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Told:
    """One answer to a count: of each message, of all of it, or both; limits where they are told."""

    counts: tuple[int, ...] | None = None
    total: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Told:
        """A drive/1 ``counted`` message."""
        counts = message.get("counts")
        return cls(
            None if counts is None else tuple(map(int, counts)),
            message.get("total"),
            message.get("limits", {}),
        )

    @property
    def whole(self) -> int:
        """The tokens of all of it."""
        return sum(self.counts or ()) if self.total is None else int(self.total)


@dataclass(frozen=True, slots=True)
class Evidence:
    """``used`` are the input tokens that the upstream told of a run, by the name of its reply.

    ``model`` are the figures that the upstream gives of the model. ``broken`` says why the sequence
    did not come to its end.
    """

    told: Mapping[str, Told] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    model: Mapping[str, int] = field(default_factory=dict)
    broken: str = ""
    notes: tuple[str, ...] = ()

    def whole(self, name: str) -> int:
        """The tokens of all that was counted under a name."""
        return self.told[name].whole

    def counts(self, name: str) -> tuple[int, ...]:
        """The tokens of each message; none where only the total was told."""
        return self.told[name].counts or ()

    @property
    def summary(self) -> str:
        """What was told and used, in order, for people."""
        counted = ", ".join(f"{name} {told.whole}" for name, told in self.told.items())
        used = ", ".join(f"{name} {tokens}" for name, tokens in self.used.items())
        return f"counted: {counted or 'nothing'}" + (f"; used: {used}" if used else "")


def near(told: int, right: float, slack: float) -> bool:
    """Is this as much, give or take?"""
    return abs(told - right) <= slack


OVERHEAD = 16
"""The most tokens that stand around a message, or around a whole conversation."""


def as_estimated(told: int, estimate: int) -> bool:
    """Does one estimate agree with another of the same text, made in other surroundings?"""
    return near(told, estimate, OVERHEAD + estimate / 4)


def as_before(told: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Have these messages kept their counts, but for rounding?"""
    return all(near(a, b, 1) for a, b in zip(told, before, strict=False))
