"""What people have captured is recognised: curl's output, JSON Lines, HAR, journals, results."""

import gzip
import json
import zlib
from importlib import import_module
from typing import Any

import pytest

from mockserver.foundation.faults import UserError
from streamproof._captures.conversation import find_conversations
from streamproof._captures.formats import read_exchanges
from streamproof._captures.importing import require_dialects

brotli: Any = import_module("brotli")

TEXT = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None}]}
END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
CHUNKS = [{"id": "c", "object": "chat.completion.chunk", **chunk} for chunk in (TEXT, END)]
SSE = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in CHUNKS) + "data: [DONE]\n\n"
HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
URL = "https://api.example.com/v1/chat/completions"


def _asked(*texts: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"model": "m", "stream": True, "messages": said}


def _entry(body: Any = None, answer: str = SSE, **response: Any) -> dict[str, Any]:
    asked = {"method": "POST", "url": URL, "postData": {"text": json.dumps(body)}}
    content = {"mimeType": "text/event-stream", "text": answer}
    return {"request": asked, "response": {"status": 200, "content": content, **response}}


def _har(*entries: dict[str, Any]) -> bytes:
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


MESSAGES = [{"eventName": "message", "data": json.dumps(chunk)} for chunk in CHUNKS]
OTHER = {
    "request": {"method": "GET", "url": "https://example.com/"},
    "response": {"status": 404, "content": {"mimeType": "text/html", "text": "<p>"}},
}
WHOLE = {
    "request": {"method": "POST", "url": "https://example.com/v1/chat/completions"},
    "response": {
        "status": 200,
        "content": {
            "mimeType": "application/json",
            "text": '{"object": "chat.completion", "choices": []}',
        },
    },
}


def _compressed(encoding: str, body: bytes) -> bytes:
    return f"{HEAD[:-2]}content-encoding: {encoding}\r\n\r\n".encode() + body


RAW_DEFLATE = zlib.compress(SSE.encode(), wbits=-zlib.MAX_WBITS)

CAPTURES = {
    "curl -N": SSE.encode(),
    "curl -iN": (HEAD + SSE).encode(),
    "JSON Lines": "\n".join(map(json.dumps, CHUNKS)).encode(),
    "a JSON list": json.dumps(CHUNKS).encode(),
    "JSON values as jq prints them": "\n".join(json.dumps(c, indent=2) for c in CHUNKS).encode(),
    "an event stream without its blank lines": SSE.replace("\n\n", "\n").encode(),
    "curl -iN without its blank lines": (HEAD + SSE.replace("\n\n", "\n")).encode(),
    "a compressed file": gzip.compress(SSE.encode()),
    "two compressed files in one": gzip.compress(SSE[:9].encode())
    + gzip.compress(SSE[9:].encode()),
    "UTF-16 as PowerShell writes it": SSE.replace("\n", "\r\n").encode("utf-16"),
    "curl -iN of gzip": _compressed("gzip", gzip.compress(SSE.encode())),
    "curl -iN of deflate": _compressed("deflate", zlib.compress(SSE.encode())),
    "curl -iN of deflate without a header": _compressed("deflate", RAW_DEFLATE),
    "curl -iN of br": _compressed("br", brotli.compress(SSE.encode())),
    "curl -iN --compressed": _compressed("br", SSE.encode()),
    "HAR": _har(OTHER, _entry(_asked("Hello"))),
    "HAR with a byte order mark": b"\xef\xbb\xbf" + _har(_entry(_asked("Hello"))),
    "HAR with an event stream apart": _har({**_entry(answer=""), "_eventSourceMessages": MESSAGES}),
}


@pytest.mark.parametrize("name", list(CAPTURES))
def test_the_events_of_a_capture_are_read(name: str) -> None:
    (exchange,) = require_dialects(read_exchanges(CAPTURES[name], "x"))
    events = [event.data for event in exchange.dump.events if event.kind == "event"]
    assert (exchange.dialect, events) == ("chat", CHUNKS)


def test_an_error_that_curl_prints_is_a_plain_answer() -> None:
    head = "HTTP/2 429\r\nretry-after: 2\r\ncontent-type: application/json\r\n\r\n"
    (exchange,) = read_exchanges(f'{head}{{"error": {{}}}}'.encode(), "x")
    assert (exchange.status, exchange.plain) == (429, b'{"error": {}}')
    assert exchange.headers["retry-after"] == "2"


def test_a_compressed_stream_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    long = SSE.encode() + b"".join(b'data: {"n": %d}\n\n' % n for n in range(9000))
    (exchange,) = read_exchanges(gzip.compress(long)[:-2000], "x")
    assert 1000 < len(exchange.dump.events) < 9000
    assert "The compressed data breaks off" in exchange.notes[0]


@pytest.mark.parametrize(
    ("end", "rest"), [('data: {"id":"chatcm', '{"id":"chatcm'), ("data: [DO", "[DO"), ("data", "")]
)
def test_a_cut_off_log_without_blank_lines_is_read_as_far_as_it_goes(end: str, rest: str) -> None:
    whole = "".join(f"data: {json.dumps(chunk)}\n" for chunk in CHUNKS)
    (exchange,) = read_exchanges((whole + end).encode(), "x")
    events = exchange.dump.events
    assert [event.data for event in events if event.kind == "event"] == CHUNKS
    assert [event.data for event in events if event.kind != "event"] == [rest]


def test_data_of_several_lines_in_a_dump_without_a_last_blank_line_is_one_event() -> None:
    text = json.dumps(CHUNKS[0], indent=1)
    (exchange,) = read_exchanges("\n".join(f"data: {x}" for x in text.split("\n")).encode(), "x")
    assert [event.data for event in exchange.dump.events] == [CHUNKS[0]]


LEFT_OUT = {
    b"100  7153    0  7105 --:--:-- 1126k\r"
    + SSE.encode(): "no field of an event stream: line 1, ",
    b"> POST / HTTP/1.1\n> x: y\n" + SSE.encode(): "of an event stream: line 1 and 1 more, ",
    f"{HEAD}{SSE}{{}}\n".encode(): "of an event stream: line 10, ",
    SSE.encode("utf-16"): "The file is in UTF-16",
    SSE.replace("\n\n", "\n").encode(): "The capture has no blank lines",
    SSE.encode(): "",
}


@pytest.mark.parametrize(("data", "note"), LEFT_OUT.items())
def test_what_is_not_of_the_stream_is_left_out_and_noted(data: bytes, note: str) -> None:
    (exchange,) = read_exchanges(data, "x")
    assert len(exchange.dump.events) == 3
    assert note in "".join(exchange.notes)
    assert bool(note) == bool(exchange.notes)


def test_whole_answers_beside_a_stream_are_left_out_and_noted() -> None:
    streamed = {**WHOLE, "_eventSourceMessages": MESSAGES, "response": {"status": 200}}
    (exchange,) = read_exchanges(_har(WHOLE, streamed, OTHER, WHOLE), "x.har")
    assert len(exchange.dump.events) == len(MESSAGES)
    (note,) = exchange.notes
    assert note == (
        "x.har: 2 whole answers of the dialect chat, which came without a stream, left out."
    )


def test_the_dialect_of_a_whole_answer_with_its_headers_is_recognised_by_the_answer() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    data = head + b'{"object": "response", "output": []}'
    (exchange,) = require_dialects(read_exchanges(data, "x"))
    assert exchange.dialect == "openresponses"


MISTAKES = {
    b"": "the file is empty",
    b" \n": "the file is empty",
    b"<p>": "this is no stream",
    b"12:00:00 data: {}\n12:00:01 data: {}\n": "sed 's/\\^\\.\\*data:/data:/' the-capture",
    b'{"log": {"entries": []}}': "it has no response of a model",
    _har(OTHER): "it has no response of a model",
    b'{"log": {"entries": [': "not JSON",
    b'{"log": {}}': "looks like a HAR file, but its log has no list of entries",
    _har(WHOLE): 'it has a whole answer of the dialect chat, and no stream\n.*"stream": true',
    _har(OTHER, WHOLE, WHOLE): "it has 2 whole answers of the dialect chat, and no stream",
    b"# A page\n\nIt says `data: {}`.\n": "like Markdown, and is no capture\n.*a HAR file",
    b"<!DOCTYPE html>\n<p>": "this looks like a page in HTML, and is no capture",
    b'{"type": "message", "role": "assistant"}': "whole answer of Anthropic's Messages, which stre",
    b'{"exchanges": [{"path": "/", "writes": [], "turn": 0}]}': "it has no events",
    b'{"type": "message_start"}\n{"type": "message_stop"}': "events of Anthropic's Messages",
    b'{"type": ' + b"[" * 200 + b"]" * 200 + b"}": "nested in more than 100 levels",
    b'{"candidates": []}\n{"candidates": []}': "events of Gemini's own API",
    b'{"a": 1}\n{"b": 2}': "its events are of no dialect that streamproof plays: {a}, {b}",
    b'{\n"a": 1}\n{"b":\n': "not JSON",
    b'{"error": {"message": "no key"}}': "the body of an error, .* not there: 'no key'",
    b": c\n" * 2_000_001: "more than 2,000,000 lines",
    b'{"object": "chat.completion", "choices": []}': "this is a whole answer of the dialect chat,",
    b"HTTP/1.1 401 Unauthorized\n\n{}": "it is a plain answer with the status 401",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": "binary data",
    b"\x1f\x8b\x08 no gzip": "damaged",
    gzip.compress(b"data: 1", mtime=0)[:10]: "gzip, with nothing in it",
    _compressed("zstd", b"\x28\xb5\x2f\xfd\xff"): "zstd|damaged",
}


@pytest.mark.parametrize(("data", "why"), MISTAKES.items())
def test_what_cannot_be_read_is_refused_with_the_name_of_the_file(data: bytes, why: str) -> None:
    with pytest.raises(UserError, match=why) as raised:
        require_dialects(read_exchanges(data, "the-capture"))
    assert all(problem.place for problem in raised.value.problems)
    assert "the-capture" in str(raised.value)


def _turns(*entries: dict[str, Any]) -> list[list[int]]:
    """The number of attempts at each turn of each conversation in a HAR file."""
    found = find_conversations(require_dialects(read_exchanges(_har(*entries), "x")))
    return [[len(turn) for turn in each.turns] for each in found]


def test_requests_that_repeat_what_was_said_are_turns_of_one_conversation() -> None:
    first, second = _entry(_asked("Hello")), _entry(_asked("Hello", "Hi", "And now?"))
    assert _turns(first, second) == [[1, 1]]


def test_another_question_begins_another_conversation() -> None:
    assert _turns(_entry(_asked("Hello")), _entry(_asked("Goodbye"))) == [[1], [1]]


def test_conversations_at_the_same_time_are_told_apart() -> None:
    one, other = _asked("One"), _asked("Two")
    more = [
        _entry(_asked(*(m["content"] for m in x["messages"]), "Hi", "Go on")) for x in (one, other)
    ]
    assert _turns(_entry(one), _entry(other), *more) == [[1, 1], [1, 1]]


def test_a_request_that_is_sent_again_after_an_error_is_another_attempt() -> None:
    error = _entry(_asked("Hello"), '{"error": {"message": "busy"}}', status=503)
    assert _turns(error, _entry(_asked("Hello"))) == [[2]]


def test_a_request_that_is_sent_again_after_a_success_is_another_conversation() -> None:
    assert _turns(_entry(_asked("Hello")), _entry(_asked("Hello"))) == [[1], [1]]
