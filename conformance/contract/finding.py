"""Findings, and what rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from conformance.rules.evidence import Evidence

Level = Literal["must", "should"]


@dataclass(frozen=True, slots=True)
class Defect:
    """One place at which a rule is broken.

    ``about`` are the pieces of the run that this explains (``text``, ``thinking``, ``end``,
    ``calls``, ``call:<id>``, ``part:<n>``): a later rule does not report the same piece again.
    ``needs`` are pieces that must be sound for this to mean anything: where one of them was
    reported before, this is a consequence and no defect of its own.
    """

    message: str
    right: str
    about: frozenset[str]
    event: int | None = None
    part: int | None = None
    level: Level | None = None
    needs: frozenset[str] = frozenset()


Check = Callable[["Evidence"], Iterable[Defect]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause that every adapter is held to. ``check`` is pure."""

    id: str
    holds: str
    source: str
    check: Check
    level: Level = "must"


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place: what was seen, and what would have been right."""

    rule: str
    level: Level
    message: str
    right: str
    source: str
    event: int | None = None
    part: int | None = None
    # Of a conversation: the turn that this is about.
    turn: int = 0

    def to_json(self) -> dict[str, Any]:
        """The finding as plain data."""
        return asdict(self)


class Clause(Protocol):
    """What a finding tells of its rule, whatever the rule looks at."""

    @property
    def id(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def level(self) -> Level: ...


def found(rule: Clause, defect: Defect) -> Finding:
    """A defect as a finding of its rule."""
    return Finding(
        rule=rule.id,
        level=defect.level or rule.level,
        message=defect.message,
        right=defect.right,
        source=rule.source,
        event=defect.event,
        part=defect.part,
    )


def topics(*names: str) -> frozenset[str]:
    """What a defect is about."""
    return frozenset(names)
