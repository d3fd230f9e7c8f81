"""Each exception allows exactly the deviation that it describes, and nothing similar."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.dialects.contracts import CONTRACTS, contract, contracts_of
from conformance.dialects.recording import read_dump
from conformance.rules.streams import STREAM_RULES
from mockserver.dialects.profiles import PROFILES
from tests.profiles import Change, Example, chat, musts, responses, rules
from tests.stream import LEGAL, Events, Wire, lines_of, numbered
from tests.stream.chat import LEGAL as CHUNKS
from tests.stream.chat import written

RESPONSES, CHAT = "openresponses", "chat"

EXAMPLES = [
    *((RESPONSES, example) for example in responses.EXAMPLES),
    *((CHAT, example) for example in chat.EXAMPLES),
]
_STREAMS: dict[str, Callable[[Change, bool], bytes]] = {
    RESPONSES: lambda change, done: Wire(done=done).bytes(numbered(change(list(LEGAL)))),
    CHAT: lambda change, _done: written(change(list(CHUNKS))),
}
NEIGHBOURS = [
    (dialect, example, rule, change)
    for dialect, example in EXAMPLES
    for rule, change in example.neighbours
]


def _id(dialect: str, example: Example) -> str:
    return f"{dialect}-{example.profile}-{example.exception}"


@pytest.mark.parametrize(("dialect", "example"), EXAMPLES, ids=[_id(*each) for each in EXAMPLES])
def test_an_exception_is_excused_by_its_profile_and_a_finding_without_it(
    dialect: str, example: Example
) -> None:
    data = _STREAMS[dialect](example.change, example.done)
    known = contract(example.profile, dialect)
    (exception,) = (each for each in known.exceptions if each.id == example.exception)
    others = replace(
        known, exceptions=tuple(each for each in known.exceptions if each is not exception)
    )
    assert lines_of(musts(data, dialect, known)) == []
    assert musts(data, dialect)
    assert musts(data, dialect, others)
    assert rules(musts(data, dialect)) <= set(exception.rules)


@pytest.mark.parametrize(
    ("dialect", "example", "rule", "change"),
    NEIGHBOURS,
    ids=[f"{_id(d, e)}-{rule}" for d, e, rule, _ in NEIGHBOURS],
)
def test_a_stream_that_only_resembles_an_exception_has_a_finding_under_its_profile(
    dialect: str, example: Example, rule: str, change: Change
) -> None:
    data = _STREAMS[dialect](change, example.done)
    assert rule in rules(musts(data, dialect, contract(example.profile, dialect)))


def test_every_exception_has_an_example() -> None:
    shown = {(dialect, example.profile, example.exception) for dialect, example in EXAMPLES}
    known = {
        (each.profile.dialect, each.profile.name, exception.id)
        for each in CONTRACTS
        for exception in each.exceptions
    }
    assert shown == known


def test_every_profile_has_a_contract() -> None:
    assert tuple(each.profile for each in CONTRACTS) == PROFILES


def test_every_exception_says_which_upstream_has_it_and_which_rules_it_would_break() -> None:
    for each in CONTRACTS:
        ids = {rule.id for rule in STREAM_RULES[each.profile.dialect]}
        for exception in each.exceptions:
            assert exception.source or exception.shown_by, exception.id
            assert set(exception.rules) <= ids, exception.id


@pytest.mark.parametrize("dialect", [RESPONSES, CHAT])
def test_a_legal_stream_has_no_exceptions(dialect: str) -> None:
    dump = read_dump(_STREAMS[dialect](lambda events: events, True), "stream")
    for each in contracts_of(dialect):
        reading = each.read(dump.events, dump.framing)
        assert reading.observed == ()
        assert reading.events == dump.events


@pytest.mark.parametrize(("dialect", "example"), EXAMPLES, ids=[_id(*each) for each in EXAMPLES])
def test_reading_a_stream_does_not_change_it(dialect: str, example: Example) -> None:
    dump = read_dump(_STREAMS[dialect](example.change, example.done), "stream")
    before = json.dumps([event.data for event in dump.events])
    (kept, *_) = contract(example.profile, dialect).read(dump.events, dump.framing).observed
    assert json.dumps([event.data for event in dump.events]) == before
    assert set(kept.events) <= {event.n for event in dump.events}


ODD: list[Events] = [
    [{"choices": [None, 5, {"delta": None, "finish_reason": []}], "created": "x", "id": 1}],
    [{"choices": [{"delta": {"tool_calls": [None, {}, {"function": []}]}}], "usage": 5}],
    [{"choices": [], "usage": {"a": 1}}, {"choices": [{"finish_reason": "stop"}], "usage": []}],
]
ODD_RESPONSES: list[Events] = [
    [
        {"type": ["response.created"], "response": {}},
        {"type": "response.created", "output_index": 0},
    ],
    [{"type": "response.created", "response": []}, {"type": "response.completed", "response": {}}],
    [{"type": "response.output_item.added", "output_index": "0", "item": {"id": [], "type": {}}}],
    [{"type": "response.completed", "response": {"id": {}, "output": [None, {"id": 5}]}}],
]


@pytest.mark.parametrize("events", [*ODD, *ODD_RESPONSES])
def test_any_data_can_be_read(events: Events) -> None:
    dump = read_dump("".join(json.dumps(event) + "\n" for event in events).encode(), "odd")
    for each in CONTRACTS:
        each.read(dump.events, dump.framing)
