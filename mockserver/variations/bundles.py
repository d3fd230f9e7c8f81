"""A bundle of variations for each profile: what one upstream does, all at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mockserver.dialects.profile import Profile
from mockserver.dialects.profiles import PROFILES
from mockserver.variations.copilot import COPILOT
from mockserver.variations.openresponses import OPENRESPONSES
from mockserver.variations.variation import Variation, bundle
from mockserver.variations.wire import WIRE

_BY_NAME: dict[str, Variation] = {v.name: v for v in (*WIRE, *OPENRESPONSES, *COPILOT)}


def _bundle(profile: Profile) -> Variation:
    members = (_BY_NAME[name] for name in profile.plays)
    return replace(bundle(profile.name, profile.title, *members), dialects=(profile.dialect,))


def _of_one_name(bundles: Iterable[Variation]) -> Variation:
    """The bundles of one upstream in several dialects, as one variation."""
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
    return tuple(map(_of_one_name, by_name.values()))


BUNDLES = _bundles()
