"""A legal stream of chunks breaks no rule; each broken one breaks its rule and no other."""

from __future__ import annotations

import pytest

from conformance.dialects.recognition import dialect_of
from conformance.dialects.recording import read_dump
from conformance.rules.streams import STREAM_RULES
from tests.clients.chunks import is_invalid
from tests.data import DATA, needs_data
from tests.stream import Events, json_lines, judged, lines_of
from tests.stream.chat import (
    CUT,
    ERROR,
    FAILED,
    LEGAL,
    TWO,
    USAGE,
    Broken,
    Change,
    after,
    begun,
    chunk,
    delta,
    edited,
    finish,
    grown,
    in_call,
    in_choice,
    put,
    without,
    written,
)

STREAMS = {"finished": LEGAL, "failed": FAILED, "cut short": CUT, "two choices": TWO}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
def test_the_streams_of_these_tests_satisfy_the_published_schema_of_openai(stream: Events) -> None:
    assert not any(is_invalid(event) for event in stream if event is not ERROR)


@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
def test_a_legal_stream_breaks_no_rule(stream: Events) -> None:
    assert lines_of(judged(written(stream))) == []
    assert lines_of(judged(json_lines(stream))) == []


CHANGES: dict[str, Change] = {
    "no usage": without(12),
    "usage is null elsewhere": lambda events: [{"usage": None, **event} for event in events],
    "null beside content": in_choice(3, delta={"content": "Let me ", "tool_calls": None}),
    "an empty list beside content": in_choice(3, delta={"content": "Let me ", "tool_calls": []}),
    "unknown fields": lambda events: [{**event, "x_new": {"a": [None]}} for event in events],
    "names in every fragment": in_call(9, id="call_1", type="function"),
    "the finish beside the last fragment": lambda events: without(11)(
        in_choice(10, finish_reason="tool_calls")(events)
    ),
    "a call without arguments": without(7, 9),
    "a notice of Copilot's proxy": put(1, {"choices": None, "copilot_references": []}),
    "filters of the prompt first": put(0, chunk(prompt_filter_results=[])),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_an_unusual_legal_stream_breaks_no_rule(change: Change) -> None:
    events = change(list(LEGAL))
    assert events != LEGAL
    assert lines_of(judged(written(events))) == []


def _named(events: Events) -> bytes:
    return written(events).replace(b"data: {", b"event: chunk\ndata: {")


def _bare(data: bytes) -> bytes:
    return data.replace(b"data: [DONE]", b"data: {oops\n\ndata: [DONE]")


BROKEN = (
    Broken("nodone", "framing", written=lambda events: written(events, done=False)),
    Broken("named", "framing", level="should", written=_named),
    Broken("ids", "framing", level="should", written=lambda e: written(e, "id: 7\n")),
    Broken("no JSON", "framing", written=lambda events: _bare(written(events))),
    Broken("no blank line", "framing", written=lambda e: written(e, done=False)[:-1]),
    Broken("[DONE] twice", "framing", written=lambda e: written(e) + b"data: [DONE]\n\n"),
    Broken(
        "[DONE] too early",
        "framing",
        written=lambda e: written(e[:-1]) + written(e[-1:], done=False),
    ),
    Broken("no object", "chunk-types", edited(3, object=None)),
    Broken("no created", "chunk-types", edited(3, created=None)),
    Broken("another kind of object", "chunk-types", edited(3, object="chat.completion")),
    Broken("null delta", "chunk-types", in_choice(11, delta=None)),
    Broken("an index as a word", "chunk-types", in_choice(3, index="0")),
    Broken("a reason of its own", "chunk-types", in_choice(11, finish_reason="end_turn")),
    Broken("a call without index", "chunk-types", in_call(9, index=None)),
    Broken("arguments as an object", "chunk-types", in_call(7, function={"arguments": {"q": "x"}})),
    Broken("a type that is empty", "chunk-types", in_call(9, type="")),
    Broken("usage without a total", "chunk-types", edited(12, usage={"prompt_tokens": 1})),
    Broken("an error that is a word", "chunk-types", of=(*FAILED[:2], {"error": "It broke."})),
    Broken("choices are null", "chunk-types", put(1, {**chunk(), "choices": None})),
    Broken(
        "an error in a chunk", "chunk-types", of=(*FAILED[:2], {**chunk(), **ERROR}), level="must"
    ),
    Broken(
        "text after an error",
        "error-last",
        after(delta(content="more")),
        of=tuple(FAILED),
        level="should",
    ),
    Broken("a second error", "error-last", after(ERROR), of=tuple(FAILED), level="should"),
    Broken("no finish", "finish-once", without(11)),
    Broken("a choice without a finish", "finish-once", without(4), of=tuple(TWO)),
    Broken("no choice at all", "finish-once", lambda _: [chunk()]),
    Broken("finished twice", "finish-once", put(-1, finish("stop"))),
    Broken("text after the finish", "finish-once", put(-1, delta(content="more"))),
    Broken("another id", "chunk-stable", edited(4, id="chatcmpl-2")),
    Broken("another time", "chunk-stable", edited(4, created=1767225601)),
    Broken("another model", "chunk-stable", edited(4, model="other"), level="should"),
    Broken("no role", "role-first", without(0), level="should"),
    Broken(
        "a role that comes late",
        "role-first",
        lambda events: [events[1], events[0], *events[2:]],
        level="should",
    ),
    Broken("no id", "call-fragments", in_call(5, id=None)),
    Broken("an empty id", "call-fragments", in_call(5, id="")),
    Broken("no type", "call-fragments", in_call(6, type=None)),
    Broken("no name", "call-fragments", in_call(6, function={"arguments": ""})),
    Broken(
        "a name that comes late",
        "call-fragments",
        lambda events: in_call(8, function={"name": "search", "arguments": '{"city":'})(
            in_call(6, function={"arguments": ""})(events)
        ),
        level="should",
    ),
    Broken(
        "two calls at one index",
        "call-fragments",
        lambda _: [*LEGAL[:6], grown(0, '{"q":"x"}'), begun(0, "call_2", "search"), *LEGAL[11:]],
    ),
    Broken("one id for two calls", "call-fragments", in_call(6, id="call_1")),
    Broken(
        "calls counted from 1",
        "call-fragments",
        lambda _: [*LEGAL[:5], begun(1, "call_1", "search"), grown(1, "{}"), *LEGAL[11:]],
        level="should",
    ),
    Broken("arguments cut off", "arguments-parse", without(9), level="should"),
    Broken(
        "usage with the finish", "usage-once", lambda e: without(12)(edited(11, usage=USAGE)(e))
    ),
    Broken("usage twice", "usage-once", after(chunk(usage=USAGE))),
    Broken("usage first", "usage-once", lambda events: [events[-1], *events[:-1]]),
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.rule}-{broken.name}")
def test_a_broken_stream_breaks_its_rule_and_no_other(
    broken: Broken,
) -> None:
    findings = judged(broken.data)
    assert [(f.rule, f.level) for f in findings] == [(broken.rule, broken.level)], lines_of(
        findings
    )


def test_every_rule_about_chunks_has_a_stream_that_breaks_it() -> None:
    assert {rule.id for rule in STREAM_RULES["chat"]} == {broken.rule for broken in BROKEN}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=list(STREAMS))
def test_a_stream_of_chunks_is_recognised(stream: Events) -> None:
    assert dialect_of(read_dump(written(stream), "stream").events) == "chat"


RECORDED = {
    # The chunk with the prompt's filter results is not a valid chunk: its id is empty.
    "azure-model-router.1": [("chunk-types", "must")],
    "deepseek-tool-call": [("usage-once", "must")],
    "groq-tool-call": [("usage-once", "must")],
    # Its one call has no index.
    "mistral-tool-call": [("chunk-types", "must")],
    "xai-tool-call": [("chunk-stable", "must")],
}


@needs_data
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_stream_of_chunks_breaks_the_known_rules_of_its_server(name: str) -> None:
    findings = judged((DATA / "recordings" / f"{name}.chat.jsonl").read_bytes())
    assert [(f.rule, f.level) for f in findings] == RECORDED[name], lines_of(findings)


@needs_data
def test_the_table_has_every_recorded_stream_of_chunks() -> None:
    names = {path.name for path in (DATA / "recordings").glob("*.chat.jsonl")}
    assert names == {f"{name}.chat.jsonl" for name in RECORDED}
