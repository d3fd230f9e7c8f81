"""The decoder of server-sent events: WHATWG HTML § 9.2.5 and § 9.2.6, with its examples."""

import time

import pytest

from conformance.dialects.client.sse import Decoder, Message

TWO = [Message("a", '{"n":1}'), Message("b", '{"n":2}')]


def unnamed(*data: str) -> list[Message]:
    return [Message("message", value) for value in data]


STREAMS: dict[str, tuple[bytes, list[Message]]] = {
    "LF": (b'event: a\ndata: {"n":1}\n\nevent: b\ndata: {"n":2}\n\n', TWO),
    "CR": (b'event: a\rdata: {"n":1}\r\revent: b\rdata: {"n":2}\r\r', TWO),
    "CRLF": (b'event: a\r\ndata: {"n":1}\r\n\r\nevent: b\r\ndata: {"n":2}\r\n\r\n', TWO),
    "mixed": (b'event: a\rdata: {"n":1}\n\r\nevent: b\r\ndata: {"n":2}\r\n\r', TWO),
    "no space": (b'event:a\ndata:{"n":1}\n\nevent:b\ndata:{"n":2}\n\n', TWO),
    "data before event": (b'data: {"n":1}\nevent: a\n\ndata: {"n":2}\nevent: b\n\n', TWO),
    "BOM": (b"\xef\xbb\xbfdata: x\n\n", unnamed("x")),
    "BOM elsewhere": (b"data: x\n\xef\xbb\xbfdata: y\n\n", unnamed("x")),
    "example stock": (b"data: YHOO\ndata: +2\ndata: 10\n\n", unnamed("YHOO\n+2\n10")),
    "example comment": (
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
        b"data:  third event\n\n",
        unnamed("first event", "second event", " third event"),
    ),
    "example empty": (b"data\n\ndata\ndata\n\n", unnamed("", "\n")),
    "example space": (b"data:test\n\ndata: test\n\n", unnamed("test", "test")),
    "keepalives": (b":\n\n: ping\n\n:x\ndata: a\n:y\ndata: b\n\n:\n\n", unnamed("a\nb")),
    "other fields": (b"retry: 10\nid: 7\nfoo: bar\nData: no\ndata: x\n\n", unnamed("x")),
    "colons": (b"data: a: b:c\n\n", unnamed("a: b:c")),
    "event without data": (b"event: a\n\ndata: x\n\n", unnamed("x")),
    "UTF-8": ("data: é€😀\n\n".encode(), unnamed("é€😀")),
    "not a line end": (
        "data: a\u2028b\x0bc\x1cd\x85e\n\n".encode(),
        unnamed("a\u2028b\x0bc\x1cd\x85e"),
    ),
    "broken UTF-8": (b"data: a\xf0\x9f\ndata: b\n\n", unnamed("a\ufffd\nb")),
    "unterminated line": (b"data: x\n\ndata: y", unnamed("x", "y")),
    "unterminated event": (b"event: a\ndata: x\n", [Message("a", "x")]),
    "nothing": (b"", []),
    "only an event name": (b"event: a", []),
}

every_stream = pytest.mark.parametrize(("stream", "expected"), STREAMS.values(), ids=STREAMS.keys())


def decode(*chunks: bytes) -> list[Message]:
    decoder = Decoder()
    return [message for chunk in chunks for message in decoder.feed(chunk)] + decoder.end()


@every_stream
def test_a_stream_in_one_read_gives_its_messages(stream: bytes, expected: list[Message]) -> None:
    assert decode(stream) == expected


@every_stream
def test_a_stream_read_byte_by_byte_gives_the_same_messages(
    stream: bytes, expected: list[Message]
) -> None:
    assert decode(*(stream[n : n + 1] for n in range(len(stream)))) == expected


@every_stream
def test_a_stream_cut_in_two_at_any_place_gives_the_same_messages(
    stream: bytes, expected: list[Message]
) -> None:
    for cut in range(len(stream) + 1):
        assert decode(stream[:cut], b"", stream[cut:]) == expected, cut


@every_stream
def test_a_stream_cut_in_three_at_any_place_gives_the_same_messages(
    stream: bytes, expected: list[Message]
) -> None:
    for second in range(len(stream) + 1):
        for first in range(second):
            chunks = stream[:first], stream[first:second], stream[second:]
            assert decode(*chunks) == expected, (first, second)


@pytest.mark.parametrize("blank", [b"\n", b"\r", b"\r\n"])
def test_a_message_is_returned_as_soon_as_its_blank_line_is_read(blank: bytes) -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: x" + blank) == []
    assert decoder.feed(blank) == unnamed("x")


def test_a_cr_ends_a_line_without_waiting_for_an_lf() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: x\r\r") == unnamed("x")
    assert decoder.feed(b"\ndata: y\r\n\r") == unnamed("y")


def test_a_large_event_in_small_chunks_takes_linear_time() -> None:
    stream = b"data: " + b"x" * 2**20 + b"\n\n"
    pieces = [stream[n : n + 4] for n in range(0, len(stream), 4)]
    started = time.perf_counter()
    (message,) = decode(*pieces)
    # A decoder that joins or searches all of its buffer at each chunk copies 128 GiB here.
    assert time.perf_counter() - started < 10
    assert len(message.data) == 2**20


def test_many_data_lines_in_one_event_take_linear_time() -> None:
    started = time.perf_counter()
    (message,) = decode(b"data: x\n" * 200_000 + b"\n")
    assert time.perf_counter() - started < 10
    assert message.data.count("\n") == 199_999
