"""A legal stream of the AI SDK breaks no rule; each broken one breaks its rule and no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects.own_stream import recorded_turn
from conformance.dialects.recognition import dialect_of
from conformance.dialects.recording import Dump, read_dump
from conformance.findings.words import message_of
from conformance.rules.streams import STREAM_RULES, judge_stream
from mockserver.cases.case import Case, misfit
from mockserver.dialects import DIALECTS
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, KNOWN, SEED, UI
from mockserver.dialects.vercel.variations.generations import GENERATIONS
from mockserver.wire.variation import Variation
from tests.dialects.ai_sdk.recording import RELEASES, recorded
from tests.rules.scripts import cases
from tests.stream import Events, json_lines, judged, lines_of
from tests.stream.broken_vercel import BROKEN, ERROR, UNKNOWN
from tests.stream.vercel import (
    RESULT,
    STREAMS,
    V3_USAGE,
    Broken,
    Change,
    after,
    again,
    block,
    both,
    called,
    drop,
    drop_all,
    edit,
    first,
    part,
    put,
    streamed,
    upto,
    written,
)

LAYERS = {"full": FULLSTREAM, "ui": UI}


@pytest.mark.parametrize("of", STREAMS)
def test_a_legal_stream_breaks_no_rule(of: str) -> None:
    dialect, events = STREAMS[of]
    assert lines_of(judged(written(events))) == []
    assert lines_of(judged(json_lines(events))) == []
    dump = read_dump(written(events), "stream")
    assert lines_of(judge_stream(dump.events, dump.framing, dialect)) == []


@pytest.mark.parametrize("generation", RELEASES)
def test_what_the_sdk_streams_breaks_no_rule(generation: str) -> None:
    for name, streams in recorded(generation).items():
        for layer, parts in streams.items():
            dump = read_dump(written(parts), "stream")
            findings = judge_stream(dump.events, dump.framing, LAYERS[layer])
            assert lines_of(findings) == [], (name, layer)


@pytest.mark.parametrize("of", STREAMS)
def test_the_dialect_of_a_stream_is_recognised_by_its_parts(of: str) -> None:
    dialect, events = STREAMS[of]
    assert dialect_of(read_dump(written(events), "stream").events) == dialect
    assert dialect_of(read_dump(json_lines(events), "stream").events) == dialect


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
    assert dialect_of(read_dump(json_lines(events), "stream").events) == dialect


ALLOWED = ("V3", "ai 6", "messages")
_ANYWHERE: dict[str, Change] = {
    "unknown fields": lambda events: [{**event, "x_new": {"a": [None]}} for event in events],
    "no blocks": drop_all("text-start", "text-delta", "text-end"),
    "a call without a streamed input": drop_all(
        "tool-input-start", "tool-input-delta", "tool-input-end"
    ),
    "an input without a piece": drop_all("tool-input-delta"),
    "a block without text": drop_all("text-delta"),
    "two blocks side by side": both(
        drop("reasoning-end"), put("text-end", 0, part("reasoning-end", id="r1"))
    ),
    "an id comes again": put("text-start", 0, *block("text", "t1", "delta")),
}

_V6_ABORT = part("abort", reason="user")
_DEFERRED = part("tool-result", toolCallId="c0", toolName="search", output=1)
_INVALID = {
    "toolCallId": "call2",
    "toolName": "search",
    "input": '{"q"',
    "dynamic": True,
    "error": "not JSON",
}

LEGAL: dict[str, tuple[str, Change]] = {
    **{f"{name}, {of}": (of, change) for of in ALLOWED for name, change in _ANYWHERE.items()},
    "V3 without stream-start": ("V3", drop("stream-start")),
    "V3 begins with metadata": ("V3", first("response-metadata")),
    "V3 with an error before the finish": ("V3", put("finish", 0, ERROR)),
    "V3 that an error ends": ("V3", upto("tool-input-start", 0, ERROR)),
    "V3 with only an error": ("V3", lambda _: [ERROR]),
    "V3 with only a finish": ("V3", lambda events: events[-1:]),
    "V3 without counts": ("V3", edit("finish", usage={"inputTokens": {}, "outputTokens": {}})),
    "V2 without counts": ("V2", edit("finish", usage={})),
    "V2 with unknown": ("V2", edit("finish", finishReason="unknown")),
    "V4 interrupted": ("V4", edit("finish", finishReason={"unified": "interrupted"})),
    "V4 with a file elsewhere": ("V4", edit("file", data={"type": "url", "url": "https://a.b"})),
    "V4 with pings": ("V4", put("text-end", 0, part("ping"))),
    "V3 with raw parts": ("V3", put("text-end", 0, part("raw", rawValue={"a": 1}))),
    "V3 cut off in an input": (
        "V3",
        upto(
            "tool-input-end", 0, part("finish", usage=V3_USAGE, finishReason={"unified": "length"})
        ),
    ),
    "V3 with an empty input": (
        "V3",
        both(drop_all("tool-input-delta"), edit("tool-call", input="")),
    ),
    "V3 whose input has another order": (
        "V3",
        both(
            drop("tool-input-delta"),
            edit("tool-input-delta", delta='{"a":1,"b":2}'),
            edit("tool-call", input='{"b":2,"a":1}'),
        ),
    ),
    "V3 whose custom tool takes a text": (
        "V3",
        both(
            drop("tool-input-delta"),
            edit("tool-input-start", inputEncoding="text"),
            edit("tool-input-delta", delta="*** Begin"),
            edit("tool-call", input='"*** Begin"'),
        ),
    ),
    "V3 with the result of its own tool": (
        "V3",
        put("finish", 0, part("tool-result", toolCallId="call1", toolName="search", result="y")),
    ),
    "ai 6 that could not ask": ("ai 6", lambda _: [part("start"), ERROR]),
    "ai 6 that was aborted": ("ai 6", upto("text-end", 1, _V6_ABORT)),
    "ai 5 that was aborted": ("ai 5", upto("text-end", 1, part("abort"))),
    "ai 6 with an error in a step": ("ai 6", put("text-end", 0, ERROR)),
    "ai 6 that an error ends": ("ai 6", upto("text-end", 0, ERROR)),
    "ai 6 with unknown parts": ("ai 6", put("text-end", 0, UNKNOWN)),
    "ai 6 with one after the finish": ("ai 6", after(UNKNOWN)),
    "ai 6 with raw parts": ("ai 6", put("start-step", 0, part("raw", rawValue=1))),
    "ai 5 of an empty answer": (
        "ai 5",
        lambda events: [
            part("start"),
            {**events[-2], "finishReason": "unknown"},
            {**events[-1], "finishReason": "unknown"},
        ],
    ),
    "ai 6 that begins with what became of calls": ("ai 6", put("start-step", 0, _DEFERRED)),
    "ai 6 with an invalid call": (
        "ai 6",
        put(
            "finish-step",
            0,
            part("tool-call", **_INVALID, invalid=True),
            part("tool-error", **_INVALID),
        ),
    ),
    "ai 6 with preliminary results": (
        "ai 6",
        put("finish-step", 0, {**RESULT, "preliminary": True}),
    ),
    "ai 6 with a null result": ("ai 6", edit("tool-result", output=None)),
    "ai 6 with a question": (
        "ai 6",
        put(
            "finish-step",
            0,
            part("tool-approval-request", approvalId="a1", toolCall=called("call1", input={})),
        ),
    ),
    "ai 6 whose steps have the same ids": (
        "ai 6",
        put("finish-step", 1, *streamed("call1", "{}"), called("call1", input={})),
    ),
    "ai 6 whose getters were not read": (
        "ai 6",
        edit("file", file={"base64Data": "AA==", "mediaType": "image/png"}),
    ),
    "ai 6 with no counts": ("ai 6", edit("finish", totalUsage={})),
    "ai 7 interrupted": (
        "ai 7",
        both(
            edit("finish-step", -1, finishReason="interrupted"),
            edit("finish", finishReason="interrupted"),
        ),
    ),
    "ai 4 with an error in between": ("ai 4", put("tool-call", 0, ERROR)),
    "ai 4 with only an error": ("ai 4", lambda _: [part("error", error="It broke.")]),
    "ai 4 with unknown": ("ai 4", edit("finish", finishReason="unknown")),
    "a message without steps": ("messages", drop_all("start-step", "finish-step")),
    "a message of data first": ("messages", lambda e: [part("data-a", data=1, transient=True), *e]),
    "a message with data after it": ("messages", after(part("data-a", data=1))),
    "a message with text between steps": (
        "messages",
        put("start-step", 1, *block("text", "t5", "delta", "a")),
    ),
    "a message with an error": ("messages", put("finish-step", 0, part("error", errorText="a"))),
    "a message that was aborted": ("messages", upto("text-end", 1, part("abort"))),
    "a message without a reason": ("messages", edit("finish", finishReason=None)),
    "a message that goes on from another": (
        "messages",
        put("start-step", 0, part("tool-output-available", toolCallId="c0", output=1)),
    ),
    "a message with an invalid call": (
        "messages",
        put(
            "finish-step",
            0,
            part("tool-input-error", toolCallId="c2", toolName="f", input='{"q"', errorText="a"),
            part("tool-output-error", toolCallId="c2", errorText="a"),
        ),
    ),
    "a message whose output is undefined": ("messages", edit("tool-output-available", output=None)),
}


@pytest.mark.parametrize("name", LEGAL)
def test_an_unusual_legal_stream_breaks_no_rule(name: str) -> None:
    of, change = LEGAL[name]
    dialect, events = STREAMS[of]
    dump = read_dump(written(change(list(events))), "stream")
    assert lines_of(judge_stream(dump.events, dump.framing, dialect)) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: f"{b.rule}-{b.of}-{b.name}")
def test_a_broken_stream_breaks_its_rule_and_no_other(
    broken: Broken,
) -> None:
    dump = read_dump(broken.data, "stream")
    findings = judge_stream(dump.events, dump.framing, broken.dialect)
    assert [(f.rule, f.level) for f in findings] == [(broken.rule, broken.level)], lines_of(
        findings
    )


@pytest.mark.parametrize(
    ("of", "change", "event", "message"),
    [
        (
            "ai 6",
            put("text-end", 0, part("text-delta", textDelta="a")),
            8,
            "text-delta has textDelta of v4, and the rest is of v5 or v6 or v7",
        ),
        (
            "ai 6",
            edit("reasoning-delta", delta="think"),
            3,
            "reasoning-delta has delta as no release has it",
        ),
        (
            "V4",
            edit("finish", finishReason="stop"),
            17,
            "finish has finishReason 'stop' of V2, and the rest is of V4",
        ),
        ("ai 6", drop("finish"), 22, "the stream ends behind finish-step, and nothing says how"),
        ("ai 6", drop("start"), 0, "start-step comes as the first part"),
        ("ai 6", drop("finish-step"), 17, "start-step comes in a step that has not finished"),
        ("V3", again("finish"), 18, "finish comes behind finish"),
        ("messages", drop("text-start"), 5, "comes when the block of text 't1' has not started"),
        ("V3", again("tool-call"), 17, "tool-call of the call 'call1' comes when it was called al"),
        (
            "ai 6",
            edit("tool-call", toolName="find"),
            15,
            "the call 'call1' is of 'find' here, and its input was streamed for 'search'",
        ),
        (
            "messages",
            edit("tool-output-available", toolCallId="c7"),
            15,
            "tool-output-available is about 'c7', which nobody has called",
        ),
        (
            "V3",
            put("finish", 0, UNKNOWN, UNKNOWN),
            17,
            "the type 'future-part' is none of the SDK's (and 1 more): its client ends the stream",
        ),
    ],
)
def test_a_finding_says_which_parts_came_where(
    of: str, change: Change, event: int, message: str
) -> None:
    dialect, events = STREAMS[of]
    dump = read_dump(written(change(list(events))), "stream")
    (finding,) = judge_stream(dump.events, dump.framing, dialect)
    assert message in message_of(finding)
    assert finding.event == event


@given(case=cases(), dialect=st.sampled_from([GATEWAY, FULLSTREAM, UI]))
def test_the_mock_streams_any_script_legally(case: Case, dialect: str) -> None:
    script = replace(case.scenario, dialects=(dialect,))
    for form in DIALECTS[dialect].forms.names:
        dump = recorded_turn(Case(script, dialect), 0, form=form)
        findings = judge_stream(dump.events, dump.framing, dialect)
        assert lines_of([finding for finding in findings if finding.level == "must"]) == []


@pytest.mark.parametrize("generation", GENERATIONS, ids=lambda variation: variation.name)
@given(case=cases())
def test_a_generation_of_the_mock_is_legal_unless_it_is_a_mixture(
    generation: Variation, case: Case
) -> None:
    script = replace(case.scenario, dialects=(FULLSTREAM,))
    asked = Case(script, FULLSTREAM, (generation.name,))
    assume(not misfit(asked))
    findings = judge_stream(*_judged(recorded_turn(asked, 0)))
    blend = {"one-generation"} if generation.name == SEED else set()
    assert {finding.rule for finding in findings if finding.level == "must"} <= blend


def _judged(dump: Dump) -> tuple[Sequence[SentEvent], Framing | None, str]:
    return dump.events, dump.framing, FULLSTREAM


@pytest.mark.parametrize("dialect", KNOWN)
def test_every_rule_has_a_stream_that_breaks_it(dialect: str) -> None:
    broken = {broken.rule for broken in BROKEN if broken.dialect == dialect}
    assert {rule.id for rule in STREAM_RULES[dialect]} == broken
