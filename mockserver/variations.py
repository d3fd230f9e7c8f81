"""All variations by name: changes of a stream that must not change what an adapter emits.

A case id names them as ``…@dialect+name``. Variations of the framing are defined in
``mockserver.wire.variations``, variations of events in each dialect. Profiles are bundles of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mockserver.dialects import DIALECTS
from mockserver.dialects.profile import Profile
from mockserver.dialects.profiles import PROFILES
from mockserver.wire.variation import Variation, bundle
from mockserver.wire.variations import WIRE

__all__ = ["VARIATIONS", "Variation"]

_SINGLE: dict[str, Variation] = {
    each.name: each
    for each in (*WIRE, *(each for dialect in DIALECTS.values() for each in dialect.variations))
}


def _bundle(profile: Profile) -> Variation:
    members = (_SINGLE[name] for name in profile.plays)
    return replace(bundle(profile.name, profile.title, *members), dialects=(profile.dialect,))


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
        by_name.setdefault(profile.name, []).append(_bundle(profile))
    return tuple(map(_merge_bundles, by_name.values()))


VARIATIONS: dict[str, Variation] = {**_SINGLE, **{each.name: each for each in _bundles()}}
"""Every variation by name; profiles come last."""
