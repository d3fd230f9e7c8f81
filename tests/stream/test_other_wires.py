"""Streams of other APIs are refused, and never judged as a dialect that has events called alike."""

import json
from pathlib import Path

import pytest

from conformance.dialects.recognition import recognise_dialect
from conformance.dialects.recording import read_dump
from mockserver.dialects import DIALECTS
from streamproof import UserError, judge
from tests.commands import call
from tests.data import DATA, needs_data
from tests.stream.tables import Events, events_of, json_lines

_START, _DELTA = "content_block_start", "content_block_delta"
_TEXT = {"type": "text_delta", "text": "Hi."}
MESSAGES: Events = [
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "content": []}},
    {"type": _START, "index": 0, "content_block": {"type": "text", "text": ""}},
    *[{"type": "ping"}] * 20,
    {"type": _DELTA, "index": 0, "delta": _TEXT},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
]
OTHERS: dict[str, Events] = {
    "Anthropic's Messages": MESSAGES,
    "Cohere's own API": [
        {"type": "message-start", "id": "1"},
        {"type": "content-delta", "index": 0},
        {"type": "message-end"},
    ],
    "Gemini's own API": [{"candidates": [{"content": {"parts": [{"text": "Hi."}]}}]}] * 2,
    "Gemini's Interactions": [{"event_type": "interaction.created", "interaction": {}}],
    "Ollama's own API": [{"model": "m", "message": {"content": "Hi."}, "done": False}] * 2,
    "Bedrock's Converse": [{"messageStart": {}}, {"contentBlockDelta": {}}, {"messageStop": {}}],
    "OpenAI's Realtime API": [
        {"type": "session.created", "event_id": "e1", "session": {}},
        {"type": "response.created", "event_id": "e2", "response": {"object": "realtime.response"}},
        {"type": "response.output_text.delta", "event_id": "e3", "delta": "Hi."},
        {"type": "response.done", "event_id": "e4", "response": {}},
    ],
    "OpenAI's legacy Completions": [
        {"id": "cmpl-1", "object": "text_completion", "choices": [{"text": "Hi.", "index": 0}]}
    ],
    "JSON-RPC, such as MCP": [{"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}}] * 2,
}
UNKNOWN: dict[str, Events] = {
    "'finish' beside types of its own": [
        *({"type": f"agent.step.{n}"} for n in range(9)),
        {"type": "finish", "finishReason": "stop"},
    ],
    "an error beside fields of its own": [*({"token": {"id": n}} for n in range(9)), {"error": {}}],
}


@pytest.mark.parametrize("api", OTHERS)
def test_a_stream_of_another_api_is_named_and_refused(api: str, tmp_path: Path) -> None:
    events = OTHERS[api]
    assert recognise_dialect(read_dump(json_lines(events), "stream").events) == ""
    file = tmp_path / "stream.jsonl"
    file.write_bytes(json_lines(events))
    for ran in (call("judge", "--stream", file), call("import", file)):
        assert (ran.code, ran.out) == (4, "")
        assert f"these are events of {api}, which streamproof does not play: " in ran.err
        assert f"it plays {', '.join(DIALECTS)}" in ran.err
    with pytest.raises(UserError, match="which streamproof does not play"):
        judge(json_lines(events))


@pytest.mark.parametrize("events", UNKNOWN.values(), ids=UNKNOWN)
def test_a_stream_of_an_unknown_wire_is_refused_with_what_was_seen(events: Events) -> None:
    with pytest.raises(UserError, match=r"of no dialect that streamproof plays: .* and \d+ more|{"):
        judge(json_lines(events))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pings_and_extensions_do_not_hide_the_dialect(dialect: str) -> None:
    woven = [
        event for each in events_of(dialect) for event in (each, {"type": "x:a"}, {"type": "ping"})
    ]
    assert recognise_dialect(read_dump(json_lines(woven), "stream").events) == dialect


@needs_data
def test_every_recording_of_anthropic_is_refused() -> None:
    found = sorted((DATA / "recordings").glob("*.messages.jsonl"))
    assert found
    for file in found:
        framed = "".join(
            f"event: {json.loads(line)['type']}\ndata: {line}\n\n"
            for line in file.read_text("utf-8").splitlines()
        )
        for data in (file.read_bytes(), framed.encode()):
            with pytest.raises(UserError, match="events of Anthropic's Messages"):
                judge(data)
