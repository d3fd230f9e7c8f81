"""Whatever the mock plays is imported as a scenario that plays the same."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.recording import recorded_turn
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Answer, Checkpoint, Pause, Sends
from streamproof._captures.importing import recognise
from streamproof._captures.scenario import make_scenario
from streamproof._captures.script import Written, choose_way, write_response
from tests.captures.playing import (
    CATALOGUE,
    References,
    any_bytes,
    captured,
    conversation,
    imported,
    references,
)
from tests.representative import REACHES, split

SCENARIOS = [entry.scenario for entry in CATALOGUE.entries() if entry.scenario]


@pytest.fixture(scope="module")
def found() -> Iterator[References]:
    with references() as driven:
        yield driven


def _cases(dialect: str, reach: str) -> list[Case]:
    few, others = _recorded(dialect)
    return few if reach == "few" else others


@cache
def _recorded(dialect: str) -> tuple[list[Case], list[Case]]:
    """The cases of a dialect that have a stream, split into a few that stand for the others."""
    spoken = [Case(scenario, dialect) for scenario in SCENARIOS if dialect in scenario.dialects]
    return split([case for case in spoken if _is_recorded(case)])


def _is_recorded(case: Case) -> bool:
    turns = enumerate(case.scenario.turns)
    return any(not isinstance(turn.script, Answer) and any_bytes(case, n) for n, turn in turns)


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_what_is_imported_plays_the_same_and_the_reference_adapter_passes_it(
    found: References, dialect: str, reach: str
) -> None:
    for case in _cases(dialect, reach):
        made = imported(case, found)
        for n, exchange in enumerate(captured(case)):
            events = exchange.dump.events
            form = choose_way(events, DIALECTS[dialect]).form
            again = recorded_turn(Case(made.scenario, dialect), n, form=form).events
            assert _content(again, dialect)[: len(events)] == _content(events, dialect), made.text
            assert [event.kind for event in again[len(events) :]] in ([], ["done"]), str(case)
        if case.scenario.is_specified:
            findings = found[dialect].findings(made.scenario)
            assert not [each for each in findings if each.level == "must"], made.text


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_attempts_plain_answers_and_endings_are_imported(
    found: References, dialect: str, reach: str
) -> None:
    spoken = [Case(scenario, dialect) for scenario in SCENARIOS if dialect in scenario.dialects]
    few, others = split([case for case in spoken if _has_more_than_streams(case)])
    for case in few if reach == "few" else others:
        made = make_scenario(conversation(case), [], "captured/case", found[dialect])
        turns = zip(made.scenario.turns, case.scenario.turns, strict=True)
        for n, (turn, original) in enumerate(turns):
            for m, (attempt, other) in enumerate(
                zip(turn.attempts, original.attempts, strict=True), 1
            ):
                if isinstance(other.script, Answer):
                    assert _answer(attempt.script) == _answer(other.script), made.text
                else:
                    _assert_same_stream(Case(made.scenario, dialect), case, n, m)


def _has_more_than_streams(case: Case) -> bool:
    scripts = [attempt.script for turn in case.scenario.turns for attempt in turn.attempts]
    return len(scripts) > len(case.scenario.turns) or any(
        isinstance(script, Answer) or not any_bytes(case, n) for n, script in enumerate(scripts)
    )


def _answer(script: object) -> tuple[int, bytes]:
    assert isinstance(script, Answer)
    return script.status, script.body


def _assert_same_stream(made: Case, case: Case, turn: int, attempt: int) -> None:
    again, plan = (render(each, turn, attempt).plan for each in (made, case))
    assert again.close == plan.close, str(case)
    if plan.sent:
        events = recorded_turn(case, turn, attempt).events
        played = recorded_turn(made, turn, attempt).events
        assert _content(played, case.dialect) == _content(events, case.dialect), str(case)


# Their first events are of several dialects, or of none.
UNRECOGNISED = {
    "openresponses/error-object-without-type": "chat",
    "chat/done-and-nothing-else": "",
    "chat/error-without-a-wrapping": "",
    "vercel/custom-data@vercel-fullstream": "vercel-ui",
}


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_the_dialect_of_what_is_played_is_recognised(dialect: str, reach: str) -> None:
    few, others = _recorded(dialect)
    for case in few if reach == "few" else [*few, *others]:
        right = UNRECOGNISED.get(case.scenario.id, UNRECOGNISED.get(str(case), dialect))
        for exchange in captured(case):
            assert recognise(replace(exchange, dialect="")) == right, str(case)


@pytest.mark.parametrize(("name", "recognised_as"), UNRECOGNISED.items())
def test_first_events_of_several_dialects_may_be_misread(name: str, recognised_as: str) -> None:
    id_, _, dialect = name.partition("@")
    scenario = next(each for each in SCENARIOS if each.id == id_)
    (exchange,) = captured(Case(scenario, dialect or scenario.dialects[0]))
    assert recognise(replace(exchange, dialect="")) == recognised_as


def _content(events: Sequence[SentEvent], dialect: str) -> list[Any]:
    """The kind, type and data of events, with a placeholder for the id of the response."""
    data = [event.data if isinstance(event.data, dict) else {} for event in events]
    ids = [*filter(None, map(KIT[dialect].recognition.begins, data[:1]))]
    text = json.dumps([(event.kind, event.type, event.data) for event in events])
    for id_ in ids:
        text = text.replace(json.dumps(id_), '"ID"')
    found: list[Any] = json.loads(text)
    return found


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_what_is_imported_is_no_longer_than_what_people_have_written(dialect: str) -> None:
    compared = 0
    for case in (Case(scenario, dialect) for scenario in SCENARIOS if scenario.is_specified):
        for n, turn in enumerate(case.scenario.turns):
            if dialect not in case.scenario.dialects or not isinstance(turn.script, Sends):
                continue
            events = recorded_turn(case, n).events
            way = choose_way(events, DIALECTS[dialect])
            made = write_response(events, None, DIALECTS[dialect], n, way=way)
            sent = tuple(s for s in turn.script.steps if not isinstance(s, Pause | Checkpoint))
            assert made.size <= Written(sent, way).size, str(case)
            compared += 1
    assert compared
