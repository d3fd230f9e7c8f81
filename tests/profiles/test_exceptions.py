"""Each exception allows exactly the deviation that it describes, and nothing similar."""

import json
from dataclasses import replace

import pytest

from conformance.dialects.contracts import CONTRACTS, contract, contracts_of
from conformance.dialects.recording import read_dump
from conformance.rules.streams import STREAM_RULES
from mockserver.dialects import PROFILES
from tests.profiles import Example, breaks, examples, musts, rules
from tests.stream import lines_of
from tests.stream.tables import Events, Stream, base_streams

EXAMPLES = tuple(examples())
NEIGHBOURS = [(example, stream) for example in EXAMPLES for stream in example.neighbours]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_exception_is_excused_by_its_profile_and_a_finding_without_it(example: Example) -> None:
    known = contract(example.profile, example.stream.dialect)
    (exception,) = (each for each in known.exceptions if each.id == example.exception)
    others = replace(
        known, exceptions=tuple(each for each in known.exceptions if each is not exception)
    )
    assert lines_of(breaks(example, known)) == []
    assert breaks(example, others)
    assert breaks(example)
    assert rules(breaks(example)) <= set(exception.rules)


@pytest.mark.parametrize(
    ("example", "stream"), NEIGHBOURS, ids=[f"{each}-{stream.rule}" for each, stream in NEIGHBOURS]
)
def test_a_stream_that_only_resembles_an_exception_has_a_finding_under_its_profile(
    example: Example, stream: Stream
) -> None:
    known = contract(example.profile, stream.dialect)
    assert stream.rule in rules(musts(stream.data, stream.dialect, known))


def test_every_exception_has_an_example() -> None:
    shown = {(each.stream.dialect, each.profile, each.exception) for each in EXAMPLES}
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


@pytest.mark.parametrize("stream", base_streams(), ids=str)
def test_a_legal_stream_has_no_exceptions(stream: Stream) -> None:
    dump = read_dump(stream.data, "stream")
    for each in contracts_of(stream.dialect):
        reading = each.read(dump.events, dump.framing)
        assert reading.observed == ()
        assert reading.events == dump.events


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_reading_a_stream_does_not_change_it(example: Example) -> None:
    dump = read_dump(example.stream.data, "stream")
    before = json.dumps([event.data for event in dump.events])
    known = contract(example.profile, example.stream.dialect)
    (kept, *_) = known.read(dump.events, dump.framing).observed
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
