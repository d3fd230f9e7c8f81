"""Rules, the defects that they see, and the findings that are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, Literal, TypeVar

Level = Literal["must", "should"]

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Defect:
    """One place at which a rule is broken.

    ``about`` are the pieces of the evidence that this explains (``text``, ``thinking``, ``end``,
    ``calls``, ``call:<id>``, ``part:<n>``): a later defect of the same piece follows from this one.
    ``needs`` are pieces that must be sound for this to mean anything: where an earlier defect is
    about one of them, this follows from it. ``spoils`` are pieces that are unsound because of this
    although it is not about them: what needs them follows from this, and nothing else does.
    """

    message: str
    right: str
    about: frozenset[str]
    event: int | None = None
    part: int | None = None
    level: Level | None = None
    needs: frozenset[str] = frozenset()
    spoils: frozenset[str] = frozenset()


def _fits_always(_evidence: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Rule(Generic[E]):
    """A clause that something is held to, and how to see in the evidence that it is broken.

    ``check`` is pure. A defect may have another level than its rule. ``unfit`` says why the rule
    cannot be asked of an evidence; empty where it can.
    """

    id: str
    holds: str
    source: str
    check: Callable[[E], Iterable[Defect]]
    level: Level = "must"
    unfit: Callable[[E], str] = _fits_always


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place: what was seen, and what would have been right.

    ``turn`` is the turn of a conversation that this is about. ``explains`` are the findings that
    follow from this one; none of them is of a higher level.
    """

    rule: str
    level: Level
    message: str
    right: str
    source: str
    event: int | None = None
    part: int | None = None
    turn: int = 0
    explains: tuple[Finding, ...] = ()

    def in_turn(self, turn: int) -> Finding:
        """The same finding, and what follows from it, about a turn of a conversation."""
        explained = tuple(finding.in_turn(turn) for finding in self.explains)
        return replace(self, turn=turn, explains=explained)

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data; ``explains`` is left out where it is empty."""
        value = asdict(replace(self, explains=()))
        del value["explains"]
        if self.explains:
            value["explains"] = [finding.to_json() for finding in self.explains]
        return value


def level_of(rule: Rule[Any], defect: Defect) -> Level:
    """The level of a defect: its own, or else that of its rule."""
    return defect.level or rule.level


def found(rule: Rule[Any], defect: Defect) -> Finding:
    """A defect as a finding of its rule."""
    return Finding(
        rule=rule.id,
        level=level_of(rule, defect),
        message=defect.message,
        right=defect.right,
        source=rule.source,
        event=defect.event,
        part=defect.part,
    )


def topics(*names: str) -> frozenset[str]:
    """The names of pieces of the evidence, as a set."""
    return frozenset(names)
