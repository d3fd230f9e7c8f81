"""Every lost or repeated event of a legal stream is a finding, and no data breaks the judge."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.findings.words import finding_json
from conformance.rules.streams import judge_stream
from tests.rows import row
from tests.schemas import VALUES, places, replaced
from tests.stream import LEGAL, LEGAL_TOOLS, WIRE, Wire, json_lines, judged, lines_of, numbered

# A completed part may have citations without an event.
_MAY_MISS = "response.output_text.annotation.added"
_PLACES = range(len(LEGAL))


def test_a_lost_event_is_a_finding() -> None:
    for place in _PLACES:
        with row(LEGAL[place]):
            findings = judged(WIRE.bytes(numbered([*LEGAL[:place], *LEGAL[place + 1 :]])))
            missed = 0 if LEGAL[place]["type"] == _MAY_MISS else 1
            assert len(findings) == missed, lines_of(findings)


def test_a_repeated_event_is_a_finding() -> None:
    for place in _PLACES:
        with row(LEGAL[place]):
            findings = judged(WIRE.bytes(numbered([*LEGAL[: place + 1], *LEGAL[place:]])))
            assert len(findings) == 1, lines_of(findings)


def test_a_lost_event_leaves_a_gap_in_the_sequence_numbers() -> None:
    for place in _PLACES[:-1]:
        with row(LEGAL[place]):
            events = numbered(LEGAL)
            findings = judged(WIRE.bytes([*events[:place], *events[place + 1 :]]))
            assert "stream-sequence" in {finding.rule for finding in findings}


def test_what_follows_from_an_event_without_a_type_is_no_other_finding() -> None:
    for place in _PLACES:
        with row(LEGAL[place]):
            events = numbered(LEGAL)
            del events[place]["type"]
            findings = judged(json_lines(events))
            assert [finding.rule for finding in findings] == ["stream-types"], lines_of(findings)


def test_what_follows_from_data_that_is_not_json_is_no_other_finding() -> None:
    for place in _PLACES:
        with row(LEGAL[place]):
            blocks = [Wire(done=False).bytes([event]) for event in numbered(LEGAL)]
            blocks[place] = b'data: {"type": \n\n'
            findings = judged(b"".join(blocks) + b"data: [DONE]\n\n")
            assert [finding.rule for finding in findings] == ["framing"], lines_of(findings)


_FIELDS = [
    (place, field)
    for place, event in enumerate(LEGAL)
    for field in event
    if field not in ("type", "sequence_number")
]


def test_what_follows_from_a_missing_field_is_no_other_finding() -> None:
    for place, field in _FIELDS:
        with row((place, field)):
            events = numbered(LEGAL)
            del events[place][field]
            findings = judged(json_lines(events))
            assert [finding.rule for finding in findings] == ["stream-types"], lines_of(findings)


@pytest.mark.parametrize("id_", [[], {}, None, 1, ""])
def test_an_item_id_that_is_no_string_is_judged(id_: object) -> None:
    events = numbered(LEGAL)
    done = next(event for event in events if event["type"] == "response.output_item.done")
    del done["output_index"]
    done["item"]["id"] = id_
    assert "stream-types" in {finding.rule for finding in judged(json_lines(events))}


@given(data=st.data())
def test_a_field_may_have_any_value_and_is_judged(data: st.DataObject) -> None:
    events = numbered(data.draw(st.sampled_from([LEGAL, LEGAL_TOOLS])))
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
    json.dumps([finding_json(finding) for finding in findings])
    assert all(finding.event in range(len(sent)) for finding in findings)


def test_events_out_of_order_are_reported_although_one_has_no_number() -> None:
    events = [*reversed(numbered(LEGAL)[:-1]), numbered(LEGAL)[-1]]
    del events[3]["sequence_number"]
    found = {(finding.rule, finding.level) for finding in judged(WIRE.bytes(events))}
    assert {("stream-types", "must"), ("stream-sequence", "must")} <= found
