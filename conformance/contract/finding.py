"""Rules, the defects that their checks find, and the findings that are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, Literal, TypeVar

Level = Literal["must", "should"]

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Defect:
    """One place at which a rule is broken.

    ``about`` names the pieces of the evidence that are wrong (``text``, ``thinking``, ``end``,
    ``calls``, ``call:<id>``, ``part:<n>``). A later defect about one of them is a consequence of
    this one. ``needs`` names pieces that must be right for this defect to be one of its own: if an
    earlier defect is about one of them, this one is its consequence. ``invalidates`` names further
    pieces that cannot be judged because of this defect: later defects that are about them or need
    them are consequences of it. ``event`` is the number of the upstream event, ``part`` the number
    of the emitted part. ``source`` is what the dialect has in place of the source of the rule.
    """

    message: str
    right: str
    about: frozenset[str]
    event: int | None = None
    part: int | None = None
    level: Level | None = None
    needs: frozenset[str] = frozenset()
    invalidates: frozenset[str] = frozenset()
    source: str = ""


def _always_applicable(_evidence: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Rule(Generic[E]):
    """A requirement, and the check that finds its defects in the evidence.

    ``holds`` is the requirement in words, ``source`` the section of the document that has it.
    ``check`` is a pure function. A defect may have another level than its rule.
    ``not_applicable`` gives the reason why the rule cannot be checked against an evidence; an empty
    text if it can.
    """

    id: str
    holds: str
    source: str
    check: Callable[[E], Iterable[Defect]]
    level: Level = "must"
    not_applicable: Callable[[E], str] = _always_applicable


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place: what was seen, and what would have been right.

    ``turn`` is the number of the conversation's turn. ``explains`` holds the findings that are
    consequences of this one; none of them has a higher level.
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
        """The finding and its consequences with the number of a turn."""
        explained = tuple(finding.in_turn(turn) for finding in self.explains)
        return replace(self, turn=turn, explains=explained)

    def to_json(self) -> dict[str, Any]:
        """The finding as a JSON object; ``explains`` is omitted if it is empty."""
        value = asdict(replace(self, explains=()))
        del value["explains"]
        if self.explains:
            value["explains"] = [finding.to_json() for finding in self.explains]
        return value


def level_of(rule: Rule[Any], defect: Defect) -> Level:
    """The level of a defect; the level of its rule if the defect has none."""
    return defect.level or rule.level


def as_finding(rule: Rule[Any], defect: Defect) -> Finding:
    """The finding that reports a defect of a rule."""
    return Finding(
        rule=rule.id,
        level=level_of(rule, defect),
        message=defect.message,
        right=defect.right,
        source=defect.source or rule.source,
        event=defect.event,
        part=defect.part,
    )


def topics(*names: str) -> frozenset[str]:
    """Names of pieces of the evidence, as a set for the fields of a ``Defect``."""
    return frozenset(names)
