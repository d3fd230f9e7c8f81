"""Streams that the protocol allows break no rule, however unusual they are."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given

from conformance.dialects import KIT
from conformance.dialects.recording import recorded_streams, recorded_turn
from conformance.dialects.tables import tables
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case, misfit
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.scenario.needs import why_not
from tests.cases.test_render import MARK
from tests.data import needs_data
from tests.representative import delivery, features, split
from tests.rules.scripts import cases
from tests.schemas import published
from tests.schemas.test_events_agree import component
from tests.stream import (
    FAILED,
    INCOMPLETE,
    LEGAL,
    RAW,
    WIRE,
    Change,
    Events,
    Json,
    Wire,
    judged,
    lines_of,
    musts,
    musts_of,
    numbered,
)
from tests.stream.tables import changed

# The published schema has a closed list of items, although the specification allows others.
STREAMS = {"finished": LEGAL, "failed": FAILED, "incomplete": INCOMPLETE, "raw reasoning": RAW}


@needs_data
@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
def test_the_streams_of_these_tests_satisfy_the_published_schema(stream: Events) -> None:
    for event in numbered(stream):
        assert published(component(event["type"])).is_valid(event), event


# Framings that the specification of event streams allows and that clients get wrong
FRAMINGS: dict[str, Callable[[Events], bytes]] = {
    "crlf": Wire(newline="\r\n").bytes,
    "cr": Wire(newline="\r").bytes,
    "multiline": lambda events: WIRE.bytes(events).replace(b', "item_id"', b',\ndata: "item_id"'),
    "no space": lambda events: (
        WIRE.bytes(events).replace(b"data: ", b"data:").replace(b"event: ", b"event:")
    ),
    "comments": lambda events: WIRE.bytes(events).replace(b"\n\n", b"\n\n: keepalive\n\n:\n"),
    "a comment inside an event": lambda events: WIRE.bytes(events).replace(b"data:", b": x\ndata:"),
    "retry": Wire(before="retry: 3000\n\n").bytes,
    "bom": lambda events: b"\xef\xbb\xbf" + WIRE.bytes(events),
    "an empty event": Wire(before="event: ping\n\n").bytes,
    "an unknown field": Wire(before="x-trace: 7f3a\n\n").bytes,
    "headers": Wire(
        before="HTTP/1.1 200 OK\nContent-Type: text/event-stream; charset=utf-8\n\n"
    ).bytes,
    "escaped": lambda events: WIRE.bytes(events).replace("ü".encode(), b"\\u00fc"),
}


@pytest.mark.parametrize("written", FRAMINGS.values(), ids=list(FRAMINGS))
def test_a_legal_framing_breaks_no_rule(written: Callable[[Events], bytes]) -> None:
    data = written(numbered(LEGAL))
    assert data != WIRE.bytes(numbered(LEGAL))
    assert lines_of(judged(data)) == []


def _deep(value: Any) -> Any:
    if isinstance(value, dict):
        return {**{key: _deep(one) for key, one in value.items()}, "x_new": [None]}
    return [_deep(one) for one in value] if isinstance(value, list) else value


def _halved(events: Events) -> Events:
    """Splits a character outside the basic plane into two deltas, each with a lone surrogate."""
    whole = '{"q":"😀"}'
    grown = [e for e in events if e["type"].endswith("arguments.delta") and e["output_index"] == 2]
    first, second = ({**e, "delta": d} for e, d in zip(grown, HALVES, strict=True))
    events = [{id(grown[0]): first, id(grown[1]): second}.get(id(e), e) for e in events]
    edits = {
        "response.function_call_arguments.done": {"arguments": whole},
        "response.output_item.done#3": {"item": {"arguments": whole}},
        "response.completed": {"response": {"output": {2: {"arguments": whole}}}},
    }
    return changed(events, {"edit": edits})


HALVES = ('{"q":"\ud83d', '\ude00"}')


def _renamed(event: Json, fresh: str) -> Json:
    if "item_id" in event:
        return {**event, "item_id": fresh}
    if "item" in event:
        return {**event, "item": {**event["item"], "id": fresh}}
    output = [{**item, "id": f"{fresh}-{n}"} for n, item in enumerate(event["response"]["output"])]
    return {**event, "response": {**event["response"], "id": fresh, "output": output}}


def test_ids_that_change_in_every_event_break_two_rules() -> None:
    rotated = [_renamed(event, f"opaque-{n}") for n, event in enumerate(LEGAL)]
    found = [(f.rule, f.level) for f in judged(WIRE.bytes(numbered(rotated)))]
    assert found == [("response-stable", "should"), *[("item-id-stable", "must")] * 4]


CHANGES: dict[str, Change] = {
    "unknown fields": lambda events: [_deep(event) for event in events],
    "empty deltas": lambda events: [
        one for e in events for one in (({**e, "delta": ""}, e) if "delta" in e else (e,))
    ],
    "a character in two halves": _halved,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_an_unusual_legal_stream_breaks_no_rule(change: Change) -> None:
    events = change(list(LEGAL))
    assert events != LEGAL
    assert lines_of(judged(WIRE.bytes(numbered(events)))) == []


LEGAL_SCENARIOS = [
    (entry.scenario, dialect)
    for entry in Catalogue.shipped().entries()
    if entry.scenario and entry.scenario.is_specified
    for dialect in entry.scenario.dialects
]

# What variations break, by dialect.
VARIED = {dialect: each for one in tables("variations") for dialect, each in one.items()}


@pytest.mark.parametrize("dialect", KIT)
def test_the_variations_that_are_said_to_deviate_are_those_that_break_rules(dialect: str) -> None:
    applicable = {n: each for n, each in VARIATIONS.items() if each.applies_to(dialect)}
    deviating = {name for name, each in applicable.items() if each.departs_from(dialect)}
    varied = VARIED[dialect]
    assert deviating == {*varied["breaks"], *varied.get("tolerated", ())} - {
        *varied.get("allowed", ())
    }


@pytest.mark.parametrize("dialect", KIT)
def test_a_legal_scenario_breaks_no_must(dialect: str) -> None:
    cases = [Case(scenario, spoken) for scenario, spoken in LEGAL_SCENARIOS if spoken == dialect]
    assert {str(case): broken for case in cases if (broken := musts(case))} == {}


@lru_cache
def _few_legal(dialect: str, layer: str) -> frozenset[str]:
    """The ids of a few legal scenarios that represent a dialect, and of one to be damaged.

    What they represent is what a variation of a layer changes: events, or how their bytes come.
    """
    changed = features if layer == "events" else delivery
    few, _ = split([Case(s, d) for s, d in LEGAL_SCENARIOS if d == dialect], changed)
    return frozenset((*(case.scenario.id for case in few), "any/replacement-character"))


def _varied() -> Iterator[Any]:
    """Parameters: each dialect with a variation, and whether a few scenarios are enough for it."""
    for dialect in STREAM_RULES:
        for name, variation in VARIATIONS.items():
            if not variation.applies_to(dialect):
                continue
            yield pytest.param(dialect, name, True, id=f"{dialect}-{name}-few")
            yield pytest.param(dialect, name, False, id=f"{dialect}-{name}", marks=pytest.mark.long)


@pytest.mark.parametrize(("dialect", "name", "few"), list(_varied()))
def test_a_variation_of_a_legal_scenario_breaks_only_the_rules_of_the_variation(
    dialect: str, name: str, few: bool
) -> None:
    represented = _few_legal(dialect, VARIATIONS[name].layer)
    varied = [
        Case(scenario, dialect, (name,))
        for scenario, spoken in LEGAL_SCENARIOS
        if spoken == dialect and not (few and scenario.id not in represented)
    ]
    changed = [case for case in varied if not misfit(case) and differs(case)]
    streams = [(case, data) for case in changed for data in recorded_streams(case)]
    assert not [case for case, data in streams if MARK in data]
    broken = set().union(*(musts_of(data, dialect) for _, data in streams))
    rare = VARIED[dialect].get("rare", {}).get(name, ()) if few else ()
    assert broken == {*VARIED[dialect]["breaks"].get(name, ())} - {*rare}


@given(case=cases())
def test_the_mock_streams_any_script_legally(case: Case) -> None:
    for name, dialect in DIALECTS.items():
        if why_not(dialect.unsupported, case.scenario.turns):
            continue
        spoken = Case(replace(case.scenario, dialects=(name,)), name)
        for form in dialect.forms.names:
            dump = recorded_turn(spoken, 0, form=form)
            findings = judge_stream(dump.events, dump.framing, name)
            musts = [finding for finding in findings if finding.level == "must"]
            assert lines_of(musts) == [], (name, form)
