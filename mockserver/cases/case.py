"""``Case``: a scenario in one dialect under zero or more variations, and its id.

A case id such as ``any/parallel-calls@openresponses+crlf`` names scenario, dialect and variations.
It identifies tests and known failures, and is part of URLs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import get_args

from mockserver.cases.variations import variation
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Problem, UserError, nearest
from mockserver.foundation.identity import Same
from mockserver.scenario.model import Conduct, Scenario, Sighting, Standing, Turn
from mockserver.scenario.script import Answer, Checkpoint, Says, Sends
from mockserver.wire.event import Step
from mockserver.wire.files import mark_urls
from mockserver.wire.variation import Variation, always_fits

_MAX_CACHED_STEPS = 1024
_ID = re.compile(
    r"(?P<scenario>[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?:@(?P<dialect>[a-z0-9-]+))?"
    r"(?P<variations>(?:\+[a-z0-9-]+(?::[a-z0-9.-]+)*)*)\Z"
)


@dataclass(frozen=True, slots=True)
class CaseId:
    """A parsed case id; ``dialect`` is empty if the id has none."""

    scenario: str
    dialect: str = ""
    variations: tuple[str, ...] = ()

    def __str__(self) -> str:
        dialect = f"@{self.dialect}" if self.dialect else ""
        return self.scenario + dialect + "".join(f"+{name}" for name in self.variations)


@lru_cache(maxsize=256)
def parse(text: str) -> CaseId:
    """Parse a case id. Raises UserError."""
    if not (match := _ID.match(text)):
        hint = "an id is FOLDER/SCENARIO, FOLDER/SCENARIO@DIALECT or …@DIALECT+VARIATION"
        raise UserError(Problem(f"{text[:80]!r} is not a case id", hint=hint))
    variations = tuple(match["variations"].split("+")[1:])
    return CaseId(match["scenario"], match["dialect"] or "", variations)


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario in one dialect under zero or more variations."""

    scenario: Scenario
    dialect: str
    variations: tuple[str, ...] = ()

    @property
    def deviations(self) -> tuple[str, ...]:
        """Its variations whose streams depart from the specification of the dialect."""
        return tuple(v for v in self.variations if variation(v).departs_from(self.dialect))

    @property
    def conduct(self) -> Conduct:
        """Whether its streams are within the specification, its variations and fault included."""
        if self.fault:
            return "violation"
        legal = self.scenario.conduct == "legal"
        return "deviation" if legal and self.deviations else self.scenario.conduct

    @property
    def standing(self) -> Standing:
        """The worst standing of its scenario, its variations and its fault."""
        found = (variation(name).standing_in(self.dialect) for name in self.variations)
        return max((self.scenario.standing, *found), key=get_args(Standing).index)

    @property
    def seen(self) -> tuple[Sighting, ...]:
        """The evidence that upstreams send its streams."""
        departing = (
            each for each in variations_of(self) if each.standing_in(self.dialect) != "legal"
        )
        varied = (each.seen for each in departing)
        return (*self.scenario.seen, *chain.from_iterable(varied))

    @property
    def fault(self) -> str:
        """The name of its fault; empty if it has none."""
        return next((v for v in self.variations if variation(v).is_fault), "")

    def __str__(self) -> str:
        return f"{self.scenario.id}@{self.dialect}" + "".join(f"+{v}" for v in self.variations)


def make_case(scenario: Scenario, id_: CaseId, dialect: str = "") -> Case:
    """The case with this id; ``dialect`` is used if the id has none, else the scenario's first.

    Raises UserError if the scenario is not played in the dialect, or if a variation is unknown or
    does not fit the scenario.
    """
    dialect = id_.dialect or dialect or scenario.dialects[0]
    if dialect not in scenario.dialects:
        speaks = f"it speaks {', '.join(scenario.dialects)}"
        why = scenario.unable.get(dialect, speaks)
        near = "" if dialect in DIALECTS else " or ".join(nearest(dialect, scenario.dialects, 1))
        hint = f"did you mean {near!r}?" if near else ""
        raise UserError(Problem(f"{scenario.id} is not played in {dialect!r} ({why})", hint=hint))
    for name in id_.variations:
        variation(name)
    found = Case(scenario, dialect, id_.variations)
    if why := misfit(found):
        raise UserError(why)
    return found


def misfit(case: Case) -> str:
    """Why one of the variations cannot be applied to the scenario; empty if all can be."""
    last = case.scenario.turns[-1]
    for name in case.variations:
        if variation(name).is_fault and isinstance(last.script, Answer):
            return f"the fault {name!r} breaks a stream, and {case.scenario.id} ends without one"
        if not variation(name).applies_to(case.dialect):
            speaks = ", ".join(variation(name).dialects)
            return f"the variation {name!r} is one of {speaks}, not of {case.dialect!r}"
        if not case.scenario.streams:
            return f"the variation {name!r} changes a stream, and {case.scenario.id} has none"
    if len(faults := [name for name in case.variations if variation(name).is_fault]) > 1:
        return f"{' and '.join(map(repr, faults))} are two faults; an answer breaks once"
    framing = DIALECTS[case.dialect].framing
    for each in variations_of(case):
        framing = each.change_framing(framing)
    if framing.tail and not framing.closing:
        return "its streams have no closing data, after which half an event could come"
    cancels = any(turn.cancel and turn.cancel.at for turn in case.scenario.turns)
    if cancels or any(each.misfit is not always_fits for each in variations_of(case)):
        return next(filter(None, (_misfit(case, n, turn) for n, turn in streams_of(case))), "")
    return ""


def _misfit(case: Case, n: int, turn: Turn) -> str:
    steps = steps_of(case, n, turn)
    for each in variations_of(case, turn):
        name = each.name
        if why := each.misfit(steps):
            return f"the variation {name!r} makes no sense for {case.scenario.id}: {why}"
        steps = tuple(each.change_steps(steps))
        checkpoints = {step.name for step in steps if isinstance(step, Checkpoint)}
        if turn.cancel and turn.cancel.at not in ("", *checkpoints):
            return f"the variation {name!r} takes away the checkpoint at which the host cancels"
    return ""


def variations_of(case: Case, turn: Turn | None = None) -> list[Variation]:
    """The variations of a case, in the form for its dialect; a fault is the last.

    Those of one answer of a ``turn`` have a fault only if it is the last answer of the case.
    """
    found = [variation(name).in_dialect(case.dialect) for name in case.variations]
    may_break = turn is None or turn is case.scenario.turns[-1]
    faults = [each for each in found if each.is_fault and may_break]
    return [each for each in found if not each.is_fault] + faults


def streams_of(case: Case) -> Iterator[tuple[int, Turn]]:
    """Every attempt of every turn that is a stream, with the number of its turn."""
    for n, turn in enumerate(case.scenario.turns):
        yield from ((n, each) for each in turn.attempts if not isinstance(each.script, Answer))


def steps_of(case: Case, n: int, turn: Turn) -> tuple[Step, ...]:
    """The steps of a turn (from 0) in the case's dialect, before its variations are applied."""
    assert not isinstance(turn.script, Answer)
    return _cached_steps(Same(turn.script), case.dialect, n)


# A suite renders the same turn under many variations.
@lru_cache(maxsize=_MAX_CACHED_STEPS)
def _cached_steps(script: Same[Says | Sends], dialect: str, n: int) -> tuple[Step, ...]:
    return tuple(map(mark_urls, DIALECTS[dialect].steps(script.value, n)))
