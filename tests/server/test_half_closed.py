"""A client that ends its side after the request gets its answer; one that left is noticed."""

import json
import socket
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.server import REQUEST, SCENARIOS, answer_text, connection, until, write

PACED = """
title: Words with pauses between them, and one before the first
turns:
  - says:
      - pause: 60ms
      - start: {text: t}
      - delta: {t: "Hello"}
      - pause: 60ms
      - delta: {t: " there"}
      - end: t
"""
SILENT = """
title: A minute before the first word
turns:
  - says: [{pause: 60s}, {text: Hello}]
"""


@pytest.fixture
def state(tmp_path: Path) -> State:
    write(tmp_path, "any/paced", PACED)
    write(tmp_path, "any/silent", SILENT)
    write(tmp_path, "any/hello", SCENARIOS["any/hello"])
    return State(Catalogue([tmp_path]))


def request(id_: str, version: str, header: str, *, stream: bool) -> bytes:
    body = json.dumps({**REQUEST, "stream": stream}).encode()
    head = [f"POST /s/{id_}/v1/responses HTTP/{version}", "Host: localhost", header]
    lines = [*filter(None, head), f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


async def asked(server: Server, data: bytes) -> bytes:
    """Send bytes, end the client's side, and read until the server closes the connection."""
    async with connection(server.url) as raw:
        await raw.send(data)
        raw.raw.shutdown(socket.SHUT_WR)
        return await raw.read_to_end()


@pytest.mark.parametrize("header", ["", "Connection: close", "Connection: keep-alive"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("id_", ["any/hello", "any/paced"])
async def test_a_stream_goes_on_after_the_client_has_ended_its_side(
    server: Server, state: State, id_: str, version: str, header: str
) -> None:
    answer = await asked(server, request(id_, version, header, stream=True))
    assert answer.startswith(f"HTTP/{version} 200 OK\r\n".encode())
    assert answer_text(answer) == "Hello there"
    assert b"data: [DONE]\n\n" in answer
    (exchange,) = state.local.exchanges
    assert exchange.left is None


@pytest.mark.parametrize("header", ["", "Connection: close", "Connection: keep-alive"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_a_plain_answer_comes_after_the_client_has_ended_its_side(
    server: Server, version: str, header: str
) -> None:
    answer = await asked(server, request("any/hello", version, header, stream=False))
    assert answer.startswith(f"HTTP/{version} 200 OK\r\n".encode())
    body = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert body["output"][0]["content"][0]["text"] == "Hello there"


async def test_a_refusal_comes_after_the_client_has_ended_its_side(server: Server) -> None:
    answer = await asked(server, b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 404 Not Found\r\n")


@pytest.mark.parametrize("sent", [0, 10, 60, -1])
async def test_a_part_of_a_request_is_not_waited_for(server: Server, sent: int) -> None:
    answer = await asked(server, request("any/hello", "1.1", "", stream=True)[:sent])
    assert b" 200 " not in answer


async def test_a_client_gone_before_the_first_byte_is_noticed(server: Server, state: State) -> None:
    async with connection(server.url) as raw:
        await raw.send(request("any/silent", "1.1", "", stream=True))
        raw.leave()
        await until(lambda: [each for each in state.local.exchanges if each.ended])
    (exchange,) = state.local.exchanges
    assert exchange.left is not None
    assert exchange.ended is not None
    assert exchange.ended - exchange.at < 1
