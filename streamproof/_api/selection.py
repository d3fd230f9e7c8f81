"""Selects cases by a pattern of their ids, such as ``any/*@chat+cuts``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs, find_break
from mockserver.cases.search import near_ids
from mockserver.cases.variations import GROUPS, variations
from mockserver.scenario.script import Answer, Close
from streamproof._api.faults import Problem, UserError

if TYPE_CHECKING:
    from mockserver.cases.catalogue import Entry


def selected(pattern: str, folders: Sequence[Path] = (), *, cancel: bool = False) -> list[Case]:
    """The cases that match a pattern; ``folders`` are searched beside the shipped catalogue.

    The pattern is a scenario's id, in which ``*`` is any text; ``@`` and a dialect, or every one;
    ``+`` and a variation, or a group such as ``cuts``. A variation that does not fit a scenario, or
    changes nothing in it, is left out. So is what ``*`` or a group brings and only ends if the host
    cancels, unless ``cancel``. Raises UserError if there is no such case, and ScenarioError if a
    file that matches is broken.
    """
    named, *asked = pattern.split("+")
    scenario, _, dialect = named.partition("@")
    catalogue = Catalogue.shipped(*folders)
    entries = [each for each in catalogue.entries() if fnmatchcase(each.id, scenario)]
    if not entries:
        near = " or ".join(map(repr, near_ids(scenario, catalogue.ids())))
        hint = f"did you mean {near}?" if near else "'streamproof list' has them all"
        raise UserError(Problem(f"no scenario matches {scenario!r}", hint=hint))
    plain = [case for each in entries for case in _cases(each, dialect or "*")]
    found = [varied for case in plain for varied in _varied(case, asked)]
    by_name = "*" not in scenario and not GROUPS.keys() & asked
    if not by_name and not cancel:
        found = [case for case in found if not _needs_cancel(case)]
    if not found:
        hint = "its variations may not fit, or its dialect not be spoken" if plain else ""
        raise UserError(Problem(f"no case matches {pattern!r}", hint=hint))
    return found


def _cases(entry: Entry, dialect: str) -> Iterator[Case]:
    if entry.broken:
        raise entry.broken
    assert entry.scenario is not None
    for each in entry.scenario.dialects:
        if fnmatchcase(each, dialect):
            yield Case(entry.scenario, each)


def _needs_cancel(case: Case) -> bool:
    """Whether the host cancels a turn of the case, or the upstream falls silent in one."""
    return any(
        turn.cancel is not None or _stalls(case, n) for n, turn in enumerate(case.scenario.turns)
    )


def _stalls(case: Case, n: int) -> bool:
    attempts = case.scenario.turns[n].attempts
    scripts = [each.script for each in attempts if not isinstance(each.script, Answer)]
    fault = find_break(case, n, len(attempts))
    return (fault is not None and fault.at.close == "stall") or any(
        isinstance(step, Close) and step.how == "stall"
        for script in scripts
        for step in script.steps
    )


def _varied(case: Case, asked: Sequence[str]) -> Iterator[Case]:
    """The case under all combinations of one variation of each that is asked for."""
    if not asked:
        yield case
        return
    first, *others = asked
    for name in variations(first):
        varied = replace(case, variations=(*case.variations, name))
        if not misfit(varied) and differs(replace(case, variations=(name,))):
            yield from _varied(varied, others)
