"""Selects a few cases that together have every feature of a catalogue, to save time in tests."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import pytest

from conformance.expectation.turn_content import expected_contents
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.foundation.identity import Same
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Answer, Close

# How much of a catalogue a test plays: a few cases that stand for it, or all of them.
REACHES = ["few", pytest.param("all", marks=pytest.mark.long)]

Feature = tuple[str, ...]
_Key = TypeVar("_Key", bound=Hashable)


def covering(features: Mapping[_Key, frozenset[Feature]]) -> list[_Key]:
    """Keys that together have all features, chosen greedily by the most missing features."""
    left = dict(features)
    chosen: list[_Key] = []
    while left and (missing := max(left.values(), key=len)):
        chosen.append(next(key for key, has in left.items() if has == missing))
        left = {key: has - missing for key, has in left.items()}
    return chosen


def split(
    cases: Sequence[Case], by: Callable[[Case], frozenset[Feature]] | None = None
) -> tuple[list[Case], list[Case]]:
    """Split cases into a few that together have every feature, and the others."""
    left = {str(each): each for each in cases}
    few = covering({id_: (by or features)(each) for id_, each in left.items()})
    return [left.pop(id_) for id_ in few], list(left.values())


def event_fields(case: Case, turn: int = 0, attempt: int = 1) -> Iterator[Feature]:
    """The path of each field of the events of a turn, beginning with the type of the event."""
    for event in render(case, turn, attempt).plan.sent:
        yield from _paths(event.data, (event.type,))


def _paths(value: Any, place: Feature) -> Iterator[Feature]:
    yield place
    for key, inner in value.items() if isinstance(value, dict) else ():
        word = f"{key}={inner}" if key in ("type", "finish_reason") else key
        yield from _paths(inner, (*place, word))
    for inner in value if isinstance(value, list) else ():
        yield from _paths(inner, place)


def features(case: Case) -> frozenset[Feature]:
    """The situation of a case, and the fields of its events."""
    return _features(Same(case.scenario), case.dialect, case.variations)


# Several modules choose from the same catalogue.
@lru_cache(maxsize=2048)
def _features(
    scenario: Same[Scenario], dialect: str, variations: tuple[str, ...]
) -> frozenset[Feature]:
    case = Case(scenario.value, dialect, variations)
    return situation(case) | frozenset(
        path[:2]
        for n, turn in enumerate(case.scenario.turns)
        for attempt, tried in enumerate(turn.attempts, 1)
        if not isinstance(tried.script, Answer)
        for path in event_fields(case, n, attempt)
    )


def situation(case: Case) -> frozenset[Feature]:
    """The steps, HTTP statuses, outcomes, turns and attempts of a case."""
    return frozenset(_situation(case.scenario))


# The steps of a script that are about bytes and time, not about events.
_OF_DELIVERY = ("Pause", "Checkpoint", "Close", "Raw", "Comment")


def delivery(case: Case) -> frozenset[Feature]:
    """How the streams of a case come and end: all that a variation of lines or cuts has to meet.

    Such a variation does not look into events, and its bytes are the same whatever they say.
    """
    return frozenset(
        (name, *about)
        for name, *about in situation(case)
        if name in ("turns", "attempts", "cancel") or (name == "step" and about[0] in _OF_DELIVERY)
    )


def _situation(scenario: Scenario) -> Iterator[Feature]:
    yield ("conduct", scenario.conduct)
    yield ("turns", str(len(scenario.turns)))
    for n, turn in enumerate(scenario.turns):
        yield ("attempts", str(len(turn.attempts)))
        yield ("cancel", str(bool(turn.cancel)))
        yield ("choices", str(len(turn.expect)))
        for content in expected_contents(scenario, n):
            yield ("outcome", content.outcome, content.reason)
        for tried in turn.attempts:
            if isinstance(tried.script, Answer):
                yield ("status", str(tried.script.status))
                continue
            for step in tried.script.steps:
                what = step.how if isinstance(step, Close) else getattr(step, "kind", "")
                yield ("step", type(step).__name__, what)
