"""All variations by name: changes after which an adapter must emit the same, and faults.

A case id names them as ``…@dialect+name``. Variations of lines are defined in
``mockserver.wire.lines``, those of cuts in ``mockserver.wire.cuts``, variations of events in each
dialect, and faults in ``mockserver.stream_faults``. Profiles are bundles of variations.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from mockserver.dialects import DIALECTS, PROFILES
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.stream_faults.answers import BODIES, STATUSES
from mockserver.stream_faults.events import ERRORS, JUNK
from mockserver.stream_faults.stops import LENGTH, STOPS
from mockserver.wire.cuts import CUT, CUTS
from mockserver.wire.http import HTTP, LONG
from mockserver.wire.lines import LINES
from mockserver.wire.variation import Family, Layer, Variation, bundle

__all__ = ["GROUPS", "VARIATIONS", "Variation", "check_names", "variation", "variations"]

FAULT_FAMILIES: dict[str, Family] = {
    each.name: each for each in (STOPS, JUNK, ERRORS, STATUSES, BODIES, LENGTH)
}
"""The families of faults, by the name before the colon."""


def _with_departures(wire: Variation) -> Variation:
    """A variation of lines or of HTTP, with the dialects whose specification it departs from."""
    named = tuple(each.name for each in DIALECTS.values() if wire.name in each.deviations)
    return replace(wire, departs_in=(*wire.departs_in, *named))


def _in_own_dialect(own: Variation, dialect: str) -> Variation:
    """A variation of a dialect, which applies to this one unless it names several."""
    return own if own.dialects else replace(own, dialects=(dialect,))


_SINGLE: dict[str, Variation] = {
    each.name: each
    for each in (
        *map(_with_departures, (*LINES, *CUTS, *HTTP)),
        *(_in_own_dialect(each, name) for name, of in DIALECTS.items() for each in of.variations),
    )
}


def _merge_bundles(bundles: Iterable[Variation]) -> Variation:
    """One variation for the bundles that an upstream has in several dialects."""
    first, *others = bundles
    if not others:
        return first
    every = (first, *others)
    return Variation(
        first.name,
        "; ".join(dict.fromkeys(each.about for each in every)),
        dialects=tuple(dialect for each in every for dialect in each.dialects),
        consists_of=tuple(dict.fromkeys(name for each in every for name in each.consists_of)),
        by_dialect=tuple((dialect, each) for each in every for dialect in each.dialects),
    )


def _bundles() -> tuple[Variation, ...]:
    by_name: dict[str, list[Variation]] = {}
    for profile in PROFILES:
        bundled = bundle(profile.name, profile.title, *(_SINGLE[name] for name in profile.plays))
        varied = replace(bundled, dialects=(profile.dialect,))
        by_name.setdefault(profile.name, []).append(varied)
    return tuple(map(_merge_bundles, by_name.values()))


VARIATIONS: dict[str, Variation] = {**_SINGLE, **{each.name: each for each in _bundles()}}
"""Every variation that has a name of its own, but for faults; profiles come last."""

FAULTS: dict[str, Variation] = {
    each.name: each for family in FAULT_FAMILIES.values() for each in family.named
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
        raise UserError(
            Problem(
                f"the variation {family!r} has no parameter {parameter!r}"
                if colon
                else f"the variation {family!r} has a parameter",
                hint=f"write {family}: and {FAMILIES[family].parameters}",
            )
        )
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
    return FAMILIES[family].make(parameter)
