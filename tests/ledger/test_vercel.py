"""What the parts of the AI SDK add to an answer, in each layer and generation.

Sources: stream-mapping § Tool Call Streaming, § Source/Citation Support, § Custom Data Passthrough;
ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.scenario.model import Citation
from tests.stream.vercel import AI_4, AI_6, PNG, STREAMS, part, streamed

Json = dict[str, Any]
Q = '{"q":"x"}'


def read(*events: Json, dialect: str = FULLSTREAM) -> list[Entry]:
    sent = [SentEvent(n, 0.0, "event", event["type"], event) for n, event in enumerate(events)]
    return ledger(dialect, sent)


def adds(*events: Json, dialect: str = FULLSTREAM) -> list[tuple[int, str, str]]:
    """Event, kind and value of each piece."""
    entries = read(*events, dialect=dialect)
    return [(entry.event, p.kind, p.value) for entry in entries for p in entry.adds]


def finish(reason: str, type_: str = "finish-step") -> Json:
    return part(type_, finishReason=reason)


def call(**fields: Any) -> Json:
    known = {"toolCallId": "call1", "toolName": "search", "input": {"q": "x"}}
    return part("tool-call", **{**known, **fields})


@pytest.mark.parametrize("of", STREAMS)
def test_every_layer_and_generation_says_the_same(of: str) -> None:
    dialect, events = STREAMS[of]
    said: dict[str, str] = {}
    for _, kind, value in adds(*events, dialect=dialect):
        said[kind] = said.get(kind, "") + value
    weather = said["data"].removeprefix(PNG)
    assert said["text"] in ("Hello", "HelloDone.")
    assert (said["reasoning"], said["call"]) == ("think", "call1")
    assert json.loads(b64decode(weather) or "{}") == ({"city": "Zürich"} if dialect == UI else {})


@pytest.mark.parametrize(
    ("dialect", "source"),
    [
        (FULLSTREAM, part("source", sourceType="url", id="s", url="https://a.b", title="A")),
        (FULLSTREAM, part("source", source={"id": "s", "url": "https://a.b", "title": "A"})),
        (FULLSTREAM, part("source", sourceId="s", url="https://a.b", title="A")),
        (GATEWAY, part("source", sourceType="url", id="s", url="https://a.b", title="A")),
        (UI, part("source-url", sourceId="s", url="https://a.b", title="A")),
    ],
)
def test_a_source_is_a_citation_however_it_is_spelled(dialect: str, source: Json) -> None:
    ((piece,),) = (entry.adds for entry in read(source, dialect=dialect))
    assert piece.source == Citation("https://a.b", "A")
    assert piece.value == " [A](https://a.b)"


@pytest.mark.parametrize(
    ("dialect", "document"),
    [
        (FULLSTREAM, part("source", sourceType="document", id="s", mediaType="a/b")),
        (UI, part("source-document", sourceId="s", mediaType="a/b")),
    ],
)
def test_a_document_is_known_by_what_its_provider_says(dialect: str, document: Json) -> None:
    own = {"openai": {"fileId": "file_1", "containerId": "cntr_1"}}
    told = {**document, "title": "a.txt", "filename": "a.txt", "providerMetadata": own}
    ((piece,),) = (entry.adds for entry in read(told, dialect=dialect))
    assert piece.source == Citation(file_id="file_1", container_id="cntr_1", filename="a.txt")


@pytest.mark.parametrize(
    ("dialect", "file", "data"),
    [
        (GATEWAY, {"mediaType": "image/png", "data": PNG}, PNG),
        (GATEWAY, {"mediaType": "image/png", "data": {"type": "data", "data": PNG}}, PNG),
        (GATEWAY, {"mediaType": "image/png", "data": {"type": "url", "url": "https://a.b"}}, None),
        (FULLSTREAM, {"file": {"base64": PNG, "mediaType": "image/png"}}, PNG),
        (FULLSTREAM, {"base64": PNG, "mimeType": "image/png"}, PNG),
        (UI, {"url": f"data:image/png;base64,{PNG}", "mediaType": "image/png"}, PNG),
        (UI, {"url": "https://a.b/c.png", "mediaType": "image/png"}, None),
    ],
)
def test_a_file_is_its_bytes_where_it_holds_them(dialect: str, file: Json, data: Any) -> None:
    found = [value for _, kind, value in adds(part("file", **file), dialect=dialect) if kind]
    assert found == ([data] if data else [])


def test_custom_data_is_json_as_javascript_writes_it() -> None:
    ((_, kind, value),) = adds(part("data-weather", data={"city": "Zürich", "t": 7}), dialect=UI)
    assert (kind, b64decode(value)) == ("data", '{"city":"Zürich","t":7}'.encode())


def test_a_call_belongs_to_the_part_that_has_it_whole() -> None:
    assert adds(*streamed("call1", Q), call(), finish("tool-calls")) == [(3, "call", "call1")]


def test_a_call_is_announced_where_it_is_first_spoken_of() -> None:
    streams = read(*streamed("call1", Q), call(), call(toolCallId="call2"))
    assert [entry.announces for entry in streams] == [("call1",), (), (), (), ("call2",)]


@pytest.mark.parametrize(
    ("before", "of_call", "why"),
    [
        ({}, {"providerExecuted": True}, "run by the provider"),
        ({"providerExecuted": True}, {"providerExecuted": True}, "run by the provider"),
        ({}, {"invalid": True, "dynamic": True, "error": "no such tool"}, "invalid"),
    ],
)
def test_nobody_is_asked_for_what_the_provider_runs_or_for_what_is_invalid(
    before: Json, of_call: Json, why: str
) -> None:
    begin, *rest = streamed("call1", Q)
    entries = read({**begin, **before}, *rest, call(**of_call), finish("tool-calls"))
    assert [entry.calls for entry in entries] == [[]] * 5
    assert entries[3].silent == why


def test_a_message_says_of_a_call_that_it_is_invalid_by_another_part() -> None:
    known = {"toolCallId": "c", "toolName": "f"}
    begun = (
        part("tool-input-start", **known),
        part("tool-input-delta", inputTextDelta="{}", **known),
    )
    wrong = part("tool-input-error", input={}, errorText="no such tool", **known)
    assert adds(*begun, wrong, finish("tool-calls", "finish"), dialect=UI) == []


@pytest.mark.parametrize(
    ("events", "made"),
    [
        ([*streamed("c", Q), finish("tool-calls")], ["c"]),
        ([*streamed("c", Q), finish("stop")], ["c"]),
        ([*streamed("c", Q), finish("length")], ["c"]),
        ([*streamed("c", Q), finish("error")], []),
        ([*streamed("c", Q), finish("interrupted")], []),
        ([*streamed("c", '{"q":'), finish("tool-calls")], []),
        ([*streamed("c", Q)[:-1], finish("tool-calls")], []),
        ([*AI_4[8:11], finish("tool-calls", "step-finish")], ["call1"]),
        ([*AI_4[8:11], finish("length", "step-finish")], []),
        ([*AI_4[8:10], finish("tool-calls", "step-finish")], []),
    ],
    ids=[
        "ended",
        "ended, and stop",
        "ended before the limit",
        "ended, and it failed",
        "ended, and it was interrupted",
        "no JSON",
        "not ended",
        "ai 4",
        "ai 4, cut short",
        "ai 4, half of it",
    ],
)
def test_a_call_that_is_only_streamed_is_made_when_its_step_is_over(
    events: list[Json], made: list[str]
) -> None:
    assert [value for _, _, value in adds(*events)] == made


def test_a_providers_finish_says_why_in_an_object() -> None:
    over = part("finish", usage={}, finishReason={"unified": "error", "raw": "x"})
    well = part("finish", usage={}, finishReason={"unified": "tool-calls", "raw": "x"})
    assert adds(*streamed("c", Q), over, dialect=GATEWAY) == []
    assert adds(*streamed("c", Q), well, dialect=GATEWAY) == [(3, "call", "c")]


def test_a_result_settles_a_call_that_was_only_streamed() -> None:
    result = part("tool-result", toolCallId="c", toolName="f", output=1, providerExecuted=True)
    assert adds(*streamed("c", Q), result, finish("tool-calls")) == []


def test_a_call_that_comes_twice_is_made_once_in_its_step_and_again_in_the_next() -> None:
    twice = [call(), call(), finish("tool-calls"), part("start-step"), call()]
    assert adds(*twice) == [(0, "call", "call1"), (4, "call", "call1")]


@pytest.mark.parametrize(
    "silent",
    [
        part("tool-result", toolCallId="c", toolName="f", output=PNG, preliminary=True),
        part("tool-output-available", toolCallId="c", output=PNG, preliminary=True),
        part("tool-error", toolCallId="c", toolName="f", error="x"),
        part("raw", rawValue={"choices": [{"delta": {"content": "x"}}]}),
        part("reasoning-signature", signature="c2ln"),
        part("custom", kind="a.b"),
        part("text-start", id="t", text="x"),
        part("text-end", id="t", text="x"),
        part("data-nothing"),
        part("finish", finishReason="stop"),
    ],
    ids=lambda silent: silent["type"],
)
def test_what_adds_nothing_says_why(silent: Json) -> None:
    (entry,) = read(silent)
    assert entry.adds == ()
    assert entry.silent


@pytest.mark.parametrize("end", ["finish", "abort"])
def test_nothing_is_added_behind_the_end(end: str) -> None:
    entries = read(part(end), part("text-delta", id="t", text="a"), call())
    assert [entry.silent for entry in entries[1:]] == ["behind the end"] * 2


def test_an_error_ends_nothing() -> None:
    assert adds(part("error", error="x"), part("text-delta", id="t", text="a")) == [
        (1, "text", "a")
    ]


ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, 1, -1.5, "", "x", [], ["x"], {}])
ANY_SENT = st.sampled_from([event for _, events in STREAMS.values() for event in events])


@st.composite
def spoilt(draw: st.DrawFn) -> Json:
    """A part with one field, outside or inside, exchanged for an odd value."""
    event = draw(ANY_SENT)
    name = draw(st.sampled_from(sorted(event)))
    inner = event[name]
    if isinstance(inner, dict) and inner and draw(st.booleans()):
        return {**event, name: {**inner, draw(st.sampled_from(sorted(inner))): draw(ODD)}}
    return event if name == "type" else {**event, name: draw(ODD)}


@given(st.lists(spoilt(), max_size=8), st.sampled_from([GATEWAY, FULLSTREAM, UI]))
@settings(max_examples=300, deadline=None)
def test_values_of_any_type_have_their_place(events: list[Json], dialect: str) -> None:
    entries = read(*events, dialect=dialect)
    assert all(bool(entry.adds) != bool(entry.silent) for entry in entries)


def test_the_streams_that_are_spoilt_hold_every_kind_of_piece() -> None:
    assert {kind for _, kind, _ in adds(*AI_6)} == {"text", "reasoning", "call", "citation", "data"}
