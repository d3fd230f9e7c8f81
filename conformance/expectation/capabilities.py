"""A story as a dialect can tell it: what its wire has no words for, nobody behind it can know."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set

    from conformance.expectation.content import Atom, Kind, Moment, Story


def as_told(story: Story, tells: Set[str]) -> Story:
    """The story without what is not among the things that the dialect ``tells``.

    Where that is no refusal, one is text like any other; where it is no code, errors have none.
    """
    if "codes" not in tells and story.error:
        story = replace(story, error=replace(story.error, code=""))
    if "refusals" in tells or not any(atom.kind == "refusal" for atom in story.atoms):
        return story
    calls = tuple(
        replace(call, earliest=_shown(call.earliest), latest=_shown(call.latest))
        for call in story.calls
    )
    return replace(story, atoms=tuple(map(_text, story.atoms)), calls=calls)


def _text(atom: Atom) -> Atom:
    """A refusal as a message of its own."""
    if atom.kind != "refusal":
        return atom
    return replace(atom, kind="text", block=f"refusal {atom.block}")


def _shown(moment: Moment) -> Moment:
    counts: Counter[Kind] = Counter(moment)
    counts["text"] += counts.pop("refusal", 0)
    return counts
