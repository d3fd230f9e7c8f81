"""Streams of the AI SDK and of the mock break no rule, and findings say which parts came where."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from conformance.dialects.recognition import recognise_dialect
from conformance.dialects.recording import read_dump, recorded_turn
from conformance.findings.words import message_of
from conformance.rules.streams import judge_stream
from mockserver.cases.case import Case, misfit
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, SEED, UI
from mockserver.dialects.vercel.variations.generations import GENERATIONS
from tests.dialects.ai_sdk.recording import RELEASES, recorded
from tests.rules.scripts import cases
from tests.stream import Events, json_lines, lines_of
from tests.stream.tables import changed
from tests.stream.vercel import STREAMS, part, written

ERROR = part("error", error={"message": "It broke."})
UNKNOWN = part("future-part", id="f1", text="not for you")
LAYERS = {"full": FULLSTREAM, "ui": UI}


@pytest.mark.parametrize("generation", RELEASES)
def test_what_the_sdk_streams_breaks_no_rule(generation: str) -> None:
    for name, streams in recorded(generation).items():
        for layer, parts in streams.items():
            dump = read_dump(written(parts), "stream")
            findings = judge_stream(dump.events, dump.framing, LAYERS[layer])
            assert lines_of(findings) == [], (name, layer)


@pytest.mark.parametrize(
    ("events", "dialect"),
    [
        ([part("start"), ERROR], FULLSTREAM),
        ([part("start", messageId="m"), part("error", errorText="It broke.")], UI),
        ([part("error", errorText="It broke.")], UI),
        ([part("stream-start", warnings=[]), ERROR], GATEWAY),
        ([part("text-delta", textDelta="a")], FULLSTREAM),
        ([UNKNOWN, *STREAMS["V2"][1]], GATEWAY),
        # An error alone may be of any of the three, and of OpenResponses.
        ([ERROR], ""),
        ([part("acme:trace"), part("response.created")], "openresponses"),
    ],
)
def test_a_few_parts_are_enough_to_recognise_a_dialect(events: Events, dialect: str) -> None:
    assert recognise_dialect(read_dump(json_lines(events), "stream").events) == dialect


@pytest.mark.parametrize(
    ("of", "change", "event", "message"),
    [
        (
            "ai 6",
            {"before": {"text-end": [part("text-delta", textDelta="a")]}},
            8,
            "text-delta has textDelta of v4, and the rest is of v5, v6 or v7",
        ),
        (
            "ai 6",
            {"edit": {"reasoning-delta": {"delta": "think"}}},
            3,
            "reasoning-delta has delta as no release has it",
        ),
        (
            "V4",
            {"edit": {"finish": {"finishReason": "stop"}}},
            17,
            "finish has finishReason 'stop' of V2, and the rest is of V4",
        ),
        (
            "ai 6",
            {"drop": "finish"},
            22,
            "the stream ends behind finish-step, and nothing says how",
        ),
        ("ai 6", {"drop": "start"}, 0, "start-step comes as the first part"),
        ("ai 6", {"drop": "finish-step"}, 17, "start-step comes in a step that has not finished"),
        ("V3", {"repeat": "finish"}, 18, "finish comes behind finish"),
        (
            "messages",
            {"drop": "text-start"},
            5,
            "comes when the block of text 't1' has not started",
        ),
        (
            "V3",
            {"repeat": "tool-call"},
            17,
            "tool-call of the call 'call1' comes when it was called al",
        ),
        (
            "ai 6",
            {"edit": {"tool-call": {"toolName": "find"}}},
            15,
            "the call 'call1' is of 'find' here, and its input was streamed for 'search'",
        ),
        (
            "messages",
            {"edit": {"tool-output-available": {"toolCallId": "c7"}}},
            15,
            "tool-output-available is about 'c7', which nobody has called",
        ),
        (
            "V3",
            {"before": {"finish": [UNKNOWN, UNKNOWN]}},
            17,
            "the type 'future-part' is none of the SDK's (and 1 more): its client ends the stream",
        ),
    ],
)
def test_a_finding_says_which_parts_came_where(
    of: str, change: Mapping[str, Any], event: int, message: str
) -> None:
    dialect, events = STREAMS[of]
    dump = read_dump(written(changed(events, change)), "stream")
    (finding,) = judge_stream(dump.events, dump.framing, dialect)
    assert message in message_of(finding)
    assert finding.event == event


@given(case=cases())
def test_a_generation_of_the_mock_is_legal_unless_it_is_a_mixture(case: Case) -> None:
    script = replace(case.scenario, dialects=(FULLSTREAM,))
    for generation in GENERATIONS:
        varied = Case(script, FULLSTREAM, (generation.name,))
        if misfit(varied):
            continue
        dump = recorded_turn(varied, 0)
        findings = judge_stream(dump.events, dump.framing, FULLSTREAM)
        blend = {"one-generation"} if generation.name == SEED else set()
        musts = {finding.rule for finding in findings if finding.level == "must"}
        assert musts <= blend, generation.name
