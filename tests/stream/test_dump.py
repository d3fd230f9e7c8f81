"""Recorded streams as events: what is kept of the wire, and which files are refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.contract.framing import Framing
from conformance.dialects import recording as module
from conformance.dialects.recording import read_dump
from mockserver.foundation.faults import UserError
from tests.stream import LEGAL, WIRE, Wire, json_lines, numbered


def _types(data: bytes) -> list[str]:
    return [event.type for event in read_dump(data, "stream").events]


def test_server_sent_events_keep_names_comments_ids_lines_and_the_end() -> None:
    dump = read_dump(
        b": hello\n"
        b"event: a\n"
        b'data: {"type": "b"}\n'
        b"\n"
        b"id: 7\n"
        b'data: {"type":\n'
        b'data:"c"}\n'
        b"\n"
        b"event: d\n"
        b'data: {"type": 5}\n'
        b"\n"
        b"data: [DONE]\n"
        b"\n",
        "stream",
    )
    assert [(event.n, event.kind, event.type, event.data) for event in dump.events] == [
        (0, "comment", "comment", "hello"),
        (1, "event", "b", {"type": "b"}),
        (2, "event", "c", {"type": "c"}),
        (3, "event", "d", {"type": 5}),
        (4, "done", "[DONE]", None),
    ]
    assert dump.framing == Framing(
        names={1: "a", 3: "d"}, lines=(1, 2, 5, 9, 12), ids=(2,), newlines=frozenset({"\n"})
    )


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
def test_every_line_end_ends_a_line(newline: str) -> None:
    events = numbered(LEGAL)
    dump = read_dump(Wire(newline=newline).bytes(events), "stream")
    assert [event.data for event in dump.events] == [*events, None]
    assert dump.framing is not None
    assert dump.framing.newlines == {newline}
    assert dump.framing.unterminated is None


def test_json_lines_are_one_event_per_line_without_framing() -> None:
    events = numbered(LEGAL)
    dump = read_dump(b"\n" + json_lines(events) + b"\n[DONE]\n", "stream")
    assert [event.data for event in dump.events] == [*events, None]
    assert dump.events[-1].kind == "done"
    assert dump.framing is None


def test_headers_before_the_events_give_the_content_type() -> None:
    head = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: Text/Plain; a=b\r\n\r\n"
    dump = read_dump(head + b'data: {"type": "a"}\n\n', "stream")
    assert dump.framing is not None
    assert dump.framing.content_type == "text/plain"
    assert dump.framing.lines == (6,)


def test_an_event_without_a_final_blank_line_is_kept_and_marked() -> None:
    dump = read_dump(b'data: {"type": "a"}\n\ndata: {"type": "b"}', "stream")
    assert [event.type for event in dump.events] == ["a", "b"]
    assert dump.framing is not None
    assert dump.framing.unterminated == 1


def test_data_that_is_not_json_keeps_its_place() -> None:
    dump = read_dump(b'data: {"type": "a"}\n\ndata: {"type"\n\n', "stream")
    assert [(event.kind, event.data) for event in dump.events][1] == ("raw", '{"type"')


def test_bytes_that_are_not_utf_8_are_marked() -> None:
    dump = read_dump(b'data: {"type": "a", "delta": "\xc3"}\n\n', "stream")
    assert dump.framing is not None
    assert dump.framing.garbled == (0,)


@pytest.mark.parametrize(
    ("data", "where", "why"),
    [
        (b'{"type": "a", "n": NaN}\n', "stream", "nothing in it is JSON"),
        (b'{"type": "\xff"}\n', "stream", "nothing in it is JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", "stream", "nothing in it is JSON"),
        (
            b'{"type": "a", "n": ' + b"[" * 600 + b"]" * 600 + b"}\n",
            "stream",
            "nothing in it is JSON",
        ),
        (
            b"<!doctype html>\n",
            "stream:1:1",
            "neither a field of an event stream nor a JSON object",
        ),
        (b'HTTP/1.1 200 OK\r\n\r\n{"id": "resp_1"}', "stream:3:1", "neither a field"),
        (b"\x89PNG\r\n\x1a\n", "stream:1:1", "neither a field"),
    ],
)
def test_a_file_that_is_no_stream_is_refused_at_its_line(data: bytes, where: str, why: str) -> None:
    with pytest.raises(UserError) as refused:
        read_dump(data, "stream")
    (problem,) = refused.value.problems
    assert str(problem.place) == where
    assert why in problem.message


@pytest.mark.parametrize(
    "data", [b"", b" \n\n", b"HTTP/1.1 204 No Content\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"]
)
def test_an_empty_recording_is_an_empty_stream(data: bytes) -> None:
    assert read_dump(data, "stream").events == ()


def test_a_broken_line_of_json_lines_is_kept_verbatim() -> None:
    dump = read_dump(b'{"type": "a"}\n\n{"type": \n', "stream")
    assert [(e.n, e.kind, e.data) for e in dump.events] == [
        (0, "event", {"type": "a"}),
        (1, "raw", '{"type": '),
    ]


def test_the_size_of_a_dump_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    data = WIRE.bytes(numbered(LEGAL))
    monkeypatch.setattr(module, "MAX_BYTES", len(data))
    assert len(read_dump(data, "stream").events) == len(LEGAL) + 1
    with pytest.raises(UserError, match="more than"):
        read_dump(data + b"\n", "stream")


_PIECES = (b"data:", b"event: x", b"id: 1", b"\n", b"\r", b"\r\n", b"[DONE]", b"{", b'"type"', b":")
_MORE = (b'"a"', b"}", b" ", b"\xff", b"\xef\xbb\xbf", b"HTTP/1.1 200 OK")


@given(st.lists(st.sampled_from((*_PIECES, *_MORE))).map(b"".join))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        dump = read_dump(data, "stream")
    except UserError:
        return
    assert [event.n for event in dump.events] == list(range(len(dump.events)))
    json.dumps([event.data for event in dump.events])
