"""Converts turns of scenario files with ``format: 1``, in which a null may remove a field."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Send, Sends
from mockserver.scenario.steps import refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockserver.faults import Place
    from mockserver.scenario.model import Turn
    from mockserver.scenario.script import SendStep


def of_format_1(turn: Turn, dialects: Sequence[str]) -> Turn:
    """The turn with nulls that remove a field replaced by ``absent``. Raises ScenarioError."""
    earlier = tuple(of_format_1(attempt, dialects) for attempt in turn.earlier)
    script = turn.script
    if isinstance(script, Sends):
        placed = zip(script.steps, script.places, strict=True)
        steps = tuple(_step(step, place, dialects) for step, place in placed)
        script = replace(script, steps=steps)
    return replace(turn, script=script, earlier=earlier)


def _step(step: SendStep, place: Place, dialects: Sequence[str]) -> SendStep:
    if not isinstance(step, Send):
        return step
    if step.absent:
        refuse(
            place,
            "'absent' is a key of format 2",
            "take it out and run streamproof upgrade FILE, or leave out 'format: 1'",
        )
    meant = [DIALECTS[name].of_format_1(step) for name in dialects]
    if any(each != meant[0] for each in meant):
        refuse(
            place,
            f"null means different things in {' and '.join(dialects)}",
            "leave out 'format: 1', and name the fields to remove in 'absent'",
        )
    return meant[0]
