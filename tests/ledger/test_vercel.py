"""What the parts of the AI SDK add to an answer, in each layer and generation.

Sources: stream-mapping § Tool Call Streaming, § Source/Citation Support, § Custom Data Passthrough;
ai 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
"""

import json
from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.transcript import SentEvent
from conformance.dialects.ledger import Entry, ledger
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.scenario.script import Citation
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
def test_every_layer_and_generation_has_the_same_content(of: str) -> None:
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
def test_a_source_is_a_citation_in_each_form(dialect: str, source: Json) -> None:
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
def test_a_document_is_identified_by_its_provider_metadata(dialect: str, document: Json) -> None:
    own = {"openai": {"fileId": "file_1", "containerId": "cntr_1"}}
    source = {**document, "title": "a.txt", "filename": "a.txt", "providerMetadata": own}
    ((piece,),) = (entry.adds for entry in read(source, dialect=dialect))
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
def test_a_file_is_entered_with_its_bytes(dialect: str, file: Json, data: Any) -> None:
    found = [value for _, kind, value in adds(part("file", **file), dialect=dialect) if kind]
    assert found == ([data] if data else [])


def test_custom_data_is_json_in_the_form_of_javascript() -> None:
    ((_, kind, value),) = adds(part("data-weather", data={"city": "Zürich", "t": 7}), dialect=UI)
    assert (kind, b64decode(value)) == ("data", '{"city":"Zürich","t":7}'.encode())


def test_a_call_is_entered_at_the_part_that_has_it_complete() -> None:
    assert adds(*streamed("call1", Q), call(), finish("tool-calls")) == [(3, "call", "call1")]


def test_a_call_is_announced_at_the_part_that_first_names_it() -> None:
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
def test_provider_executed_and_invalid_calls_are_not_entered(
    before: Json, of_call: Json, why: str
) -> None:
    begin, *rest = streamed("call1", Q)
    entries = read({**begin, **before}, *rest, call(**of_call), finish("tool-calls"))
    assert [entry.calls for entry in entries] == [[]] * 5
    assert entries[3].silent == why


def test_a_message_reports_an_invalid_call_in_another_part() -> None:
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
        "ended", "ended, and stop", "ended before the limit", "ended, and it failed",
        "ended, and it was interrupted", "no JSON", "not ended", "ai 4", "ai 4, cut short",
        "ai 4, half of it",
    ],
)  # fmt: skip
def test_a_call_that_is_only_streamed_is_complete_at_the_end_of_its_step(
    events: list[Json], made: list[str]
) -> None:
    assert [value for _, _, value in adds(*events)] == made


def test_the_finish_reason_of_a_provider_is_an_object() -> None:
    over = part("finish", usage={}, finishReason={"unified": "error", "raw": "x"})
    well = part("finish", usage={}, finishReason={"unified": "tool-calls", "raw": "x"})
    assert adds(*streamed("c", Q), over, dialect=GATEWAY) == []
    assert adds(*streamed("c", Q), well, dialect=GATEWAY) == [(3, "call", "c")]


def test_a_result_settles_a_call_that_was_only_streamed() -> None:
    result = part("tool-result", toolCallId="c", toolName="f", output=1, providerExecuted=True)
    assert adds(*streamed("c", Q), result, finish("tool-calls")) == []


def test_a_repeated_call_is_entered_once_per_step() -> None:
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
def test_a_part_that_adds_nothing_has_a_reason(silent: Json) -> None:
    (entry,) = read(silent)
    assert entry.adds == ()
    assert entry.silent


@pytest.mark.parametrize("end", ["finish", "abort"])
def test_nothing_is_entered_after_the_end(end: str) -> None:
    entries = read(part(end), part("text-delta", id="t", text="a"), call())
    assert [entry.silent for entry in entries[1:]] == ["after the end"] * 2


def test_an_error_does_not_end_the_answer() -> None:
    assert adds(part("error", error="x"), part("text-delta", id="t", text="a")) == [
        (1, "text", "a")
    ]


ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, 1, -1.5, "", "x", [], ["x"], {}])
ANY_SENT = st.sampled_from([event for _, events in STREAMS.values() for event in events])


@st.composite
def with_odd_value(draw: st.DrawFn) -> Json:
    """A part with one field, at the top or nested, replaced by an odd value."""
    event = draw(ANY_SENT)
    name = draw(st.sampled_from(sorted(event)))
    inner = event[name]
    if isinstance(inner, dict) and inner and draw(st.booleans()):
        return {**event, name: {**inner, draw(st.sampled_from(sorted(inner))): draw(ODD)}}
    return event if name == "type" else {**event, name: draw(ODD)}


@given(st.lists(with_odd_value(), max_size=8), st.sampled_from([GATEWAY, FULLSTREAM, UI]))
def test_a_part_with_any_values_is_entered(events: list[Json], dialect: str) -> None:
    entries = read(*events, dialect=dialect)
    assert all(bool(entry.adds) != bool(entry.silent) for entry in entries)


def test_the_changed_streams_have_every_kind_of_content() -> None:
    assert {kind for _, kind, _ in adds(*AI_6)} == {"text", "reasoning", "call", "citation", "data"}
