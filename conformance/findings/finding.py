"""Rules, the defects that their checks find, and findings, which are values without sentences.

A *kind* is what can be wrong by one rule. It is a frozen dataclass that stands beside the rule: its
fields are what was seen, as values, and its words are templates over these fields. Only the edges
(terminal, page, results, APIs) make sentences of them: see ``conformance.findings.words``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar, Generic, Literal, TypeVar, dataclass_transform

from mockserver.foundation.faults import KitError
from mockserver.scenario.model import Standing

Level = Literal["must", "should"]

Weight = Literal["harm", "loss", "falsehood", "manners"]
"""What a finding about an adapter is, the worst first.

- ``harm``: a call invented, cut, doubled, or with other arguments or name; a failure shown as
  success; a hang.
- ``loss``: content lost or changed without a failure; an error of the adapter's own that escapes.
- ``falsehood``: something reported that is false (finish, usage, ids, metadata); parts framed
  against their vocabulary; a trait or claim that is declared and not kept.
- ``manners``: timing, markup, details of an error's message.
"""

LEVELS: Mapping[Weight, Mapping[Standing, Level | None]] = {
    "harm": {"legal": "must", "deviation": "must", "violation": "must", "unknown": "must"},
    "loss": {"legal": "must", "deviation": "must", "violation": "should", "unknown": "should"},
    "falsehood": {
        "legal": "must",
        "deviation": "should",
        "violation": "should",
        "unknown": "should",
    },
    "manners": {"legal": "should", "deviation": "should", "violation": "should", "unknown": None},
}
"""The level of a finding by its weight and by the stream of its case; None if it is none there."""

Levels = Mapping[Weight, Level | None]


def levels_in(standing: Standing, *, has_failed: bool = False) -> Levels:
    """The level of each weight in a case; None for what is no finding there.

    Content that is lost by a run that told its host of a failure is not lost in silence, so it
    weighs as a falsehood.
    """
    levels = {weight: row[standing] for weight, row in LEVELS.items()}
    return {**levels, "loss": levels["falsehood"]} if has_failed else levels


E = TypeVar("E")


@dataclass_transform(frozen_default=True)
class Kind:
    """What is wrong at one place, as values: the base of the classes beside each rule.

    A subclass is a frozen dataclass without a decorator. Its fields are JSON values, or tuples and
    frozen dataclasses of such. Its words are templates (``conformance.findings.words`` has their
    language): ``message`` says what was observed, ``right`` what would have been right,
    ``headline`` is a shorter message, if the message does not fit in one line. ``phrases`` has
    words for the values of a field.

    ``same_by`` are the paths of the values that tell causes apart, such as ``status`` or
    ``error.error_class``; never an id, a text or a place. ``name`` is made from the name of the
    class. A kind of finding about an adapter has a ``weight``, by which a case gives it its level:
    ``class Lost(Kind, weighs="loss")``.
    """

    name: ClassVar[str]
    message: ClassVar[str] = ""
    right: ClassVar[str] = ""
    headline: ClassVar[str] = ""
    same_by: ClassVar[tuple[str, ...]] = ()
    phrases: ClassVar[Mapping[str, Mapping[Any, str]]] = {}
    weight: ClassVar[Weight | None] = None

    def __init_subclass__(cls, weighs: Weight | None = None) -> None:
        dataclass(frozen=True)(cls)
        cls.weight = weighs or cls.weight
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    def values(self) -> dict[str, Any]:
        """The fields as a JSON object; long texts and lists are cut."""
        return {each.name: _bounded(getattr(self, each.name)) for each in _fields(type(self))}

    def same(self) -> tuple[str, ...]:
        """What tells causes of this kind apart: the values of ``same_by``, as text."""
        return tuple(str(attrgetter(path)(self)) for path in self.same_by)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A kind that was read from a file, with its values and words as they were written.

    ``told_apart_by`` is what tells its causes apart, if the kit knows the kind.
    """

    name: str
    recorded: Mapping[str, Any]
    message: str
    right: str
    told_apart_by: tuple[str, ...] = ()
    weight: ClassVar[Weight | None] = None

    def values(self) -> dict[str, Any]:
        """The values as they were written."""
        return dict(self.recorded)

    def same(self) -> tuple[str, ...]:
        """What tells its causes apart; nothing if the kit does not know the kind."""
        return self.told_apart_by


_MOST_CHARACTERS = 2000
_MOST_ENTRIES = 50


def _fields(type_: type) -> tuple[Any, ...]:
    return fields(type_) if is_dataclass(type_) else ()


def _bounded(value: Any) -> Any:
    """A value as JSON, in which long texts and long lists are cut at their ends."""
    if isinstance(value, str):
        return value if len(value) <= _MOST_CHARACTERS else value[: _MOST_CHARACTERS - 1] + "…"
    if isinstance(value, Mapping):
        return {str(key): _bounded(each) for key, each in list(value.items())[:_MOST_ENTRIES]}
    if isinstance(value, list | tuple | set | frozenset):
        return [_bounded(each) for each in list(value)[:_MOST_ENTRIES]]
    if is_dataclass(value):
        return {each.name: _bounded(getattr(value, each.name)) for each in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class Defect:
    """One place at which a rule is broken.

    ``about`` names the pieces of the evidence that are wrong (``text``, ``thinking``, ``end``,
    ``calls``, ``call:<id>``, ``part:<n>``). A later defect about one of them is a consequence of
    this one. ``needs`` names pieces that must be right for this defect to be one of its own: if an
    earlier defect is about one of them, this one is its consequence. ``invalidates`` names further
    pieces that cannot be judged because of this defect: later defects that are about them or need
    them are consequences of it. ``event`` is the number of the upstream event, ``part`` the number
    of the emitted part. ``source`` is what the dialect has in place of the source of the rule. A
    defect ``is_exact`` if it names the very mistake from which others follow: it is judged before
    the defects of all rules that see only what became of it.
    """

    kind: Kind
    about: frozenset[str]
    event: int | None = None
    part: int | None = None
    level: Level | None = None
    needs: frozenset[str] = frozenset()
    invalidates: frozenset[str] = frozenset()
    source: str = ""
    is_exact: bool = False


Check = Callable[[E], Iterable[Defect]]
"""Finds the defects in an evidence by one rule."""


def _always_applicable(_evidence: object) -> str:
    return ""


def _never_excused(_check: object, _evidence: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Rule(Generic[E]):
    """A requirement, and the check that finds its defects in the evidence.

    ``holds`` is the requirement in words, ``source`` the section of the document that has it.
    ``check`` is a pure function; ``kinds`` are what it finds. Where these have no weight, since the
    rule is about a stream, findings have the ``level`` of their defect or else of the rule; of a
    rule about adapters it is the highest that its kinds have on legal streams. ``not_applicable``
    gives the reason why the rule cannot be checked against an evidence; an empty text if it can.
    ``is_excused`` says whether the upstream is to blame for what the check finds.
    """

    id: str
    holds: str
    source: str
    check: Check[E]
    level: Level = "must"
    not_applicable: Callable[[E], str] = _always_applicable
    kinds: tuple[type[Kind], ...] = ()
    is_excused: Callable[[Check[E], E], bool] = _never_excused

    def defects(self, evidence: E) -> list[Defect]:
        """The defects in an evidence; none if the rule is not applicable or they are excused."""
        if self.not_applicable(evidence):
            return []
        found = list(self.check(evidence))
        return [] if found and self.is_excused(self.check, evidence) else found


def rule(
    *,
    holds: str,
    source: str,
    kinds: tuple[type[Kind], ...],
    level: Level = "must",
    not_applicable: Callable[[Any], str] = _always_applicable,
    is_excused: Callable[[Any, Any], bool] = _never_excused,
) -> Callable[[Check[E]], Rule[E]]:
    """Make a check a rule, whose id is the name of the check with hyphens."""
    on_legal = {LEVELS[kind.weight]["legal"] for kind in kinds if kind.weight}
    highest: Level = level if not on_legal else "must" if "must" in on_legal else "should"

    def of(check: Check[E]) -> Rule[E]:
        id_ = check.__name__.replace("_", "-")
        return Rule(id_, holds, source, check, highest, not_applicable, kinds, is_excused)

    return of


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken rule at one place: what was seen, as values.

    ``turn`` is the number of the conversation's turn. ``explains`` holds the findings that are
    consequences of this one; none of them has a higher level.
    """

    rule: str
    level: Level
    kind: Kind | Recorded = field(hash=False)
    source: str
    event: int | None = None
    part: int | None = None
    turn: int = 0
    explains: tuple[Finding, ...] = ()

    def in_turn(self, turn: int) -> Finding:
        """The finding and its consequences with the number of a turn."""
        explained = tuple(finding.in_turn(turn) for finding in self.explains)
        return replace(self, turn=turn, explains=explained)


def level_of(rule: Rule[Any], defect: Defect, levels: Levels) -> Level | None:
    """The level of a defect; None if it is no finding. ``levels`` are those of its case."""
    return levels[defect.kind.weight] if defect.kind.weight else defect.level or rule.level


def as_finding(rule: Rule[Any], defect: Defect, level: Level = "must") -> Finding:
    """The finding that reports a defect of a rule.

    Raises KitError if the rule does not list the kind of the defect.
    """
    if type(defect.kind) not in rule.kinds:
        raise KitError(f"the rule {rule.id} does not list the kind {type(defect.kind).__name__}")
    return Finding(
        rule=rule.id,
        level=level,
        kind=defect.kind,
        source=defect.source or rule.source,
        event=defect.event,
        part=defect.part,
    )


def topics(*names: str) -> frozenset[str]:
    """Names of pieces of the evidence, as a set for the fields of a ``Defect``."""
    return frozenset(names)
