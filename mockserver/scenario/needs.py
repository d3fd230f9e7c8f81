"""What a neutral script needs of a dialect that not every dialect can carry.

A dialect declares what it ``lacks``, by these names. A scenario that is written for all dialects is
not played in one that lacks what its script needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.scenario.model import Cite, Delta, End, Incomplete, Queued, Says, Start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockserver.scenario.model import SayStep, Turn

CITATIONS = "citations"
QUEUED = "queued"
OTHER_REASONS = "other-reasons"
REFUSALS = "refusals"
REASONING = "reasoning"
OPEN_BLOCKS = "open-blocks"

NEEDS: Mapping[str, str] = {
    CITATIONS: "sources that an answer cites",
    QUEUED: "a response that waits before the model begins",
    OTHER_REASONS: "an incomplete response with a reason of its own",
    REFUSALS: "a refusal that is not text",
    REASONING: "reasoning beside the answer",
    OPEN_BLOCKS: "two blocks that are open at the same time",
}
"""Every need by name, in words."""

_KINDS = {"refusal": REFUSALS, "reasoning": REASONING}


def needs(turns: tuple[Turn, ...]) -> frozenset[str]:
    """The needs of all neutral scripts of a scenario, a subset of ``NEEDS``."""
    scripts = [attempt.script for turn in turns for attempt in turn.attempts]
    return frozenset(need for script in scripts if isinstance(script, Says) for need in _of(script))


def _of(script: Says) -> Iterator[str]:
    open_: set[str] = set()
    for step in script.steps:
        yield from _of_step(step)
        if isinstance(step, Start):
            open_.add(step.lane)
        elif isinstance(step, End):
            open_.discard(step.lane)
        if isinstance(step, Delta | Start) and len(open_) > 1:
            yield OPEN_BLOCKS


def _of_step(step: SayStep) -> Iterator[str]:
    match step:
        case Cite():
            yield CITATIONS
        case Queued():
            yield QUEUED
        case Incomplete("other"):
            yield OTHER_REASONS
        case Start(kind=kind) if kind in _KINDS:
            yield _KINDS[kind]


def why_not(lacks: Mapping[str, str], turns: tuple[Turn, ...]) -> str:
    """Why a dialect that lacks these things cannot carry the scripts; empty where it can."""
    wanted = needs(turns)
    return "; ".join(reason for need, reason in lacks.items() if need in wanted)
