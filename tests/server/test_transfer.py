"""The HTTP response around a stream as bytes on a socket, under each variation of it."""

import gzip
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from aiohttp import ClientSession

from mockserver.server.serving import Server
from mockserver.server.state import State
from mockserver.server.stream import accepts
from tests.server import REQUEST, answer_text, connection, until

brotli: Any = import_module("brotli")

CHUNK_END = b"0\r\n\r\n"


async def answer(server: Server, names: str) -> tuple[list[bytes], bytes]:
    """The lines of the head of a stream under these variations, and what follows it."""
    async with connection(server.url) as raw:
        await raw.post(f"/s/any/hello+{names}/v1/responses")
        head, _, rest = (await raw.read_to_end()).partition(b"\r\n\r\n")
    return head.split(b"\r\n"), rest


async def chunked(server: Server, name: str) -> bytes:
    """The body of a stream under a variation that leaves the connection open."""
    async with connection(server.url) as raw:
        await raw.post(f"/s/any/hello+{name}/v1/responses")
        _, _, body = (await raw.read_until(b"\r\n0\r\n\r\n")).partition(b"\r\n\r\n")
    return unchunked(body)[0]


def unchunked(body: bytes) -> tuple[bytes, list[bytes], bytes]:
    """The data of a chunked body, what stands behind each size, and what follows the last chunk."""
    data, extensions = b"", []
    while True:
        size, _, body = body.partition(b"\r\n")
        length, _, extension = size.partition(b";")
        extensions.append(extension)
        if not (count := int(length, 16)):
            return data, extensions, body
        data, body = data + body[:count], body[count + 2 :]


async def test_a_body_of_http_1_0_ends_with_the_connection(server: Server) -> None:
    head, body = await answer(server, "close-delimited")
    assert head[0] == b"HTTP/1.0 200 OK"
    assert b"Connection: close" in head
    assert not any(line.startswith((b"Transfer-Encoding", b"Content-Length")) for line in head)
    assert answer_text(body) == "Hello there"
    assert body.endswith(b"data: [DONE]\n\n")


async def test_the_length_of_a_body_is_announced(server: Server) -> None:
    head, body = await answer(server, "content-length")
    assert b"Content-Length: %d" % len(body) in head
    assert not any(line.startswith(b"Transfer-Encoding") for line in head)
    assert answer_text(body) == "Hello there"


async def test_each_chunk_has_an_extension_but_the_last(server: Server) -> None:
    _, body = await answer(server, "chunk-extensions")
    data, extensions, rest = unchunked(body)
    assert answer_text(data) == "Hello there"
    assert extensions == [b'to="x"'] * (len(extensions) - 1) + [b""]
    assert len(extensions) > 1
    assert rest == b"\r\n"


async def test_a_field_follows_the_last_chunk_and_is_announced(server: Server) -> None:
    head, body = await answer(server, "trailers")
    assert b"Trailer: X-Stream-Checksum" in head
    assert unchunked(body)[2] == b"X-Stream-Checksum: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("name", "line"),
    [("continue", b"HTTP/1.1 100 Continue"), ("early-hints", b"HTTP/1.1 103 Early Hints")],
)
async def test_informational_responses_come_first(server: Server, name: str, line: bytes) -> None:
    head, rest = await answer(server, name)
    assert head == [line]
    assert rest.startswith(b"HTTP/1.1 200 OK\r\n")
    assert rest.endswith(CHUNK_END)


@pytest.mark.parametrize(
    ("name", "decompress"),
    [("gzip", gzip.decompress), ("deflate", zlib.decompress), ("br", brotli.decompress)],
)
async def test_a_body_is_compressed_for_a_client_that_accepts_it_and_for_no_other(
    server: Server, name: str, decompress: Callable[[bytes], bytes]
) -> None:
    path = f"/s/any/hello+{name}/v1/responses"
    async with ClientSession(server.url, auto_decompress=False) as client:
        for accepted in (name, "identity"):
            headers = {"Accept-Encoding": accepted}
            async with client.post(path, json=REQUEST, headers=headers) as response:
                body = await response.read()
            compressed = accepted == name
            assert response.headers.get("Content-Encoding") == (name if compressed else None)
            assert answer_text(decompress(body) if compressed else body) == "Hello there"


async def test_each_write_can_be_decompressed_before_the_next_one_comes(server: Server) -> None:
    path = "/s/any/slow+gzip/v1/responses"
    headers = {"Accept-Encoding": "gzip"}
    async with (
        ClientSession(server.url) as client,
        client.post(path, json=REQUEST, headers=headers) as response,
    ):
        body = b""
        while b"One moment" not in body:
            body += await response.content.readany()


async def test_the_journal_has_the_text_before_compression(server: Server, state: State) -> None:
    path = "/s/any/hello+gzip/v1/responses"
    headers = {"Accept-Encoding": "gzip"}
    async with (
        ClientSession(server.url) as client,
        client.post(path, json=REQUEST, headers=headers) as response,
    ):
        read = await response.read()
    (exchange,) = state.local.exchanges
    await until(lambda: exchange.ended)
    assert b"".join(exchange.bodies() or []) == read


async def test_the_headers_are_late(server: Server, state: State) -> None:
    await chunked(server, "slow-headers")
    (exchange,) = state.local.exchanges
    assert exchange.writes[0].at - exchange.at >= 0.2


@pytest.mark.parametrize(
    ("name", "at_least"), [("long-event:1", 1 << 20), ("long-comment:2", 2 << 20)]
)
async def test_one_line_is_long(server: Server, name: str, at_least: int) -> None:
    data = await chunked(server, name)
    assert max(map(len, data.split(b"\n"))) > at_least
    assert answer_text(data) == "Hello there"


async def test_a_comment_has_bytes_that_are_not_utf_8(server: Server) -> None:
    first, _, rest = (await chunked(server, "invalid-utf8")).partition(b"\n")
    assert first == b": \xff\xc3( \xe6\x97"
    assert answer_text(rest) == "Hello there"


async def test_comments_come_before_the_first_event(server: Server) -> None:
    began = b": keep-alive\n\n: keep-alive\n\nevent: response.created\n"
    assert (await chunked(server, "early-comments")).startswith(began)


async def test_what_follows_the_last_event_is_none(server: Server) -> None:
    assert (await chunked(server, "bytes-after-end")).endswith(
        b"data: [DONE]\n\n\n\n: late\nretry: 5\n\n"
    )


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        ("gzip", True), ("GZip;q=0.5, br", True), ("br, gzip ; q=1", True), ("gzip;q=0", False),
        ("gzip;q=0.000", False), ("x-gzip, deflate", False), ("", False),
    ],
)  # fmt: skip
def test_a_coding_is_accepted_by_name_if_its_weight_is_not_0(accepted: str, expected: bool) -> None:
    assert accepts("gzip", accepted) is expected


async def test_the_announced_length_is_too_long(server: Server) -> None:
    head, body = await answer(server, "wrong-length:17")
    assert b"Content-Length: %d" % (len(body) + 17) in head
    assert answer_text(body) == "Hello there"
