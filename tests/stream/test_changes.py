"""No event of a legal stream can be left out or doubled unnoticed, and nothing breaks the judge."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.rules.streams import judge_stream
from tests.schemas import VALUES, places, replaced
from tests.stream import LEGAL, WIRE, Wire, json_lines, judged, numbered, told

# A finished part may hold citations that no event spoke of.
_MAY_MISS = "response.output_text.annotation.added"
_PLACES = range(len(LEGAL))


def _name(place: int) -> str:
    return f"{place}-{LEGAL[place]['type']}"


@pytest.mark.parametrize("place", _PLACES, ids=_name)
def test_an_event_that_is_left_out_is_missed(place: int) -> None:
    findings = judged(WIRE.bytes(numbered([*LEGAL[:place], *LEGAL[place + 1 :]])))
    missed = 0 if LEGAL[place]["type"] == _MAY_MISS else 1
    assert len(findings) == missed, told(findings)


@pytest.mark.parametrize("place", _PLACES, ids=_name)
def test_an_event_that_comes_twice_is_noticed(place: int) -> None:
    findings = judged(WIRE.bytes(numbered([*LEGAL[: place + 1], *LEGAL[place:]])))
    assert len(findings) == 1, told(findings)


@pytest.mark.parametrize("place", _PLACES[:-1], ids=_name)
def test_an_event_that_was_lost_on_the_way_leaves_a_gap_in_the_numbers(place: int) -> None:
    events = numbered(LEGAL)
    findings = judged(WIRE.bytes([*events[:place], *events[place + 1 :]]))
    assert "stream-sequence" in {finding.rule for finding in findings}


@pytest.mark.parametrize("place", _PLACES, ids=_name)
def test_what_hangs_on_an_event_without_a_type_is_not_told_again(place: int) -> None:
    events = numbered(LEGAL)
    del events[place]["type"]
    findings = judged(json_lines(events))
    assert [finding.rule for finding in findings] == ["stream-types"], told(findings)


@pytest.mark.parametrize("place", _PLACES, ids=_name)
def test_what_hangs_on_data_that_is_not_json_is_not_told_again(place: int) -> None:
    blocks = [Wire(done=False).bytes([event]) for event in numbered(LEGAL)]
    blocks[place] = b'data: {"type": \n\n'
    findings = judged(b"".join(blocks) + b"data: [DONE]\n\n")
    assert [finding.rule for finding in findings] == ["framing"], told(findings)


_FIELDS = [
    (place, field)
    for place, event in enumerate(LEGAL)
    for field in event
    if field not in ("type", "sequence_number")
]


@pytest.mark.parametrize(("place", "field"), _FIELDS)
def test_what_hangs_on_a_field_that_is_missing_is_not_told_again(place: int, field: str) -> None:
    events = numbered(LEGAL)
    del events[place][field]
    findings = judged(json_lines(events))
    assert [finding.rule for finding in findings] == ["stream-types"], told(findings)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_whatever_stands_in_a_field_is_judged(data: st.DataObject) -> None:
    events = numbered(LEGAL)
    for _ in range(data.draw(st.integers(1, 3))):
        every = list(places(events))
        place = every[data.draw(st.integers(0, len(every) - 1))]
        events = replaced(events, place, data.draw(st.sampled_from(VALUES)))
    sent = [
        SentEvent(n, 0.0, "event", event["type"], event)
        if isinstance(event, dict) and isinstance(event.get("type"), str)
        else SentEvent(n, 0.0, "event", "", event)
        for n, event in enumerate(events)
    ]
    findings = judge_stream(sent, None, "openresponses")
    json.dumps([finding.to_json() for finding in findings])
    assert all(finding.event in range(len(sent)) for finding in findings)


def test_events_out_of_order_are_told_although_one_has_no_number() -> None:
    events = [*reversed(numbered(LEGAL)[:-1]), numbered(LEGAL)[-1]]
    del events[3]["sequence_number"]
    found = {(finding.rule, finding.level) for finding in judged(WIRE.bytes(events))}
    assert {("stream-types", "must"), ("stream-sequence", "must")} <= found
