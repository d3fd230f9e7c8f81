"""All variations by name: changes after which an adapter must emit the same, and faults.

A case id names them as ``…@dialect+name``. Variations of lines are defined in
``mockserver.wire.lines``, those of cuts in ``mockserver.wire.cuts``, variations of events in each
dialect, and faults in ``mockserver.stream_faults``. Profiles are bundles of variations.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from mockserver.dialects import DIALECTS, PROFILES
from mockserver.dialects.profile import Profile
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.scenario.model import Sighting
from mockserver.scenario.source import LOADER
from mockserver.stream_faults.answers import BODIES, STATUSES
from mockserver.stream_faults.events import ERRORS, JUNK
from mockserver.stream_faults.stops import LENGTH, STOPS
from mockserver.wire.cuts import CUT, CUTS
from mockserver.wire.event import Step
from mockserver.wire.framing import Framing
from mockserver.wire.http import HTTP, LONG
from mockserver.wire.lines import LINES
from mockserver.wire.variation import Family, Layer, Variation

__all__ = ["GROUPS", "VARIATIONS", "Variation", "check_names", "variation", "variations"]

FAULT_FAMILIES: dict[str, Family] = {
    each.name: each for each in (STOPS, JUNK, ERRORS, STATUSES, BODIES, LENGTH)
}
"""The families of faults, by the name before the colon."""


def _with_departures(wire: Variation) -> Variation:
    """A variation of lines or of HTTP, with the dialects whose specification it departs from."""
    named = tuple(each.name for each in DIALECTS.values() if wire.name in each.deviations)
    return replace(wire, departs_in=(*wire.departs_in, *named))


_TABLE = Path(__file__).with_name("evidence.yaml").read_text("utf-8")
_EVIDENCE: Mapping[str, Any] = yaml.load(_TABLE, Loader=LOADER)  # noqa: S506


def _with_evidence(each: Variation, dialect: str = "") -> Variation:
    """A variation with its evidence, and so its form for each dialect."""
    names = (each.name, f"{each.name}@{dialect}")
    found = [held for key, held in _EVIDENCE.items() if any(fnmatchcase(n, key) for n in names)]
    seen = (Sighting(**one) for held in found if isinstance(held, list) for one in held)
    return replace(
        each,
        seen=tuple(seen),
        legal_by="; ".join(held for held in found if isinstance(held, str)),
        by_dialect=tuple((name, _with_evidence(of, name)) for name, of in each.by_dialect),
    )


_SINGLE: dict[str, Variation] = {
    each.name: _with_evidence(each)
    for each in (
        *map(_with_departures, (*LINES, *CUTS, *HTTP)),
        # One of a dialect applies to this one, unless it names several.
        *(
            replace(each, dialects=each.dialects or (name,))
            for name, of in DIALECTS.items()
            for each in of.variations
        ),
    )
}


def _bundle(profile: Profile) -> Variation:
    """The variations of a profile applied in order; those that do not fit a turn are left out."""
    members = [_SINGLE[name] for name in profile.plays]

    def change_framing(framing: Framing) -> Framing:
        for member in members:
            framing = member.change_framing(framing)
        return framing

    def change_steps(steps: Sequence[Step]) -> Sequence[Step]:
        for member in members:
            if not member.misfit(steps):
                steps = member.change_steps(steps)
        return steps

    def misfit(steps: Sequence[Step]) -> str:
        reasons = [member.misfit(steps) for member in members]
        return "; ".join(reasons) if all(reasons) else ""

    return Variation(
        profile.name,
        profile.title,
        change_framing=change_framing,
        change_steps=change_steps,
        dialects=(profile.dialect,),
        departs_in=tuple(dict.fromkeys(name for each in members for name in each.departs_in)),
        misfit=misfit,
        calls_at_end=any(member.calls_at_end for member in members),
        consists_of=profile.plays,
    )


def _bundle_of(name: str) -> Variation:
    """One variation for the profiles of this name that an upstream has in several dialects."""
    bundles = {each.dialect: _bundle(each) for each in PROFILES if each.name == name}
    first, *others = bundles.values()
    return (
        Variation(
            name,
            "; ".join(dict.fromkeys(each.about for each in bundles.values())),
            dialects=tuple(bundles),
            consists_of=tuple(
                dict.fromkeys(chain(*(each.consists_of for each in bundles.values())))
            ),
            by_dialect=tuple(bundles.items()),
        )
        if others
        else first
    )


_BUNDLES = {each.name: _bundle_of(each.name) for each in PROFILES}
VARIATIONS: dict[str, Variation] = {**_SINGLE, **_BUNDLES}
"""Every variation that has a name of its own, but for faults; profiles come last."""

FAULTS: dict[str, Variation] = {
    each.name: _with_evidence(each) for family in FAULT_FAMILIES.values() for each in family.named
}
"""The faults that are listed; there are others at every place."""

FAMILIES = {**{each.name: each for each in (CUT, *LONG)}, **FAULT_FAMILIES}
"""The variations that have a parameter, by the name before the colon."""

_WIRE: tuple[Layer, ...] = ("lines", "cuts", "http")
GROUPS: dict[str, tuple[Layer, ...]] = {
    "all": ("events", *_WIRE),
    "wire": _WIRE,
    **{layer: (layer,) for layer in _WIRE},
    "faults": ("faults",),
}
"""The names of several variations at once, with their layers."""


def variations(name: str) -> tuple[str, ...]:
    """The variations of a group, or those that a name has with ``+`` between them, as one.

    Raises UserError if there is none of a name.
    """
    if layers := GROUPS.get(name):
        listed = (*VARIATIONS.values(), *FAULTS.values())
        return tuple(each.name for each in listed if each.layer in layers)
    return ("+".join(variation(each, GROUPS).name for each in name.split("+")),)


def check_names(names: str) -> tuple[str, ...]:
    """The names of variations with ``+`` between them. Raises UserError if there is none of one."""
    return tuple(variation(name).name for name in names.split("+"))


def variation(name: str, others: Iterable[str] = ()) -> Variation:
    """The variation of this name, which may have a parameter.

    Raises UserError if there is none; its hint may be one of the ``others``.
    """
    if found := VARIATIONS.get(name):
        return found
    family, colon, parameter = name.partition(":")
    if family in FAMILIES:
        if colon and (made := _make(family, parameter)):
            return made
        has = f"no parameter {parameter!r}" if colon else "a parameter"
        hint = f"write {family}: and {FAMILIES[family].parameters}"
        raise UserError(Problem(f"the variation {family!r} has {has}", hint=hint))
    if name in GROUPS:
        hint = (
            f"it stands for several, which --vary {name} plays, and a mark of pytest with "
            f"vary={name!r}; a case id names one"
        )
        raise UserError(Problem(f"no variation is called {name!r}", hint=hint))
    hint = did_you_mean(family if colon else name, (*VARIATIONS, *FAMILIES, *others))
    raise UserError(Problem(f"no variation is called {name!r}", hint=hint))


@lru_cache(maxsize=4096)
def _make(family: str, parameter: str) -> Variation | None:
    found = FAMILIES[family].find(parameter)
    return _with_evidence(found) if found else None
