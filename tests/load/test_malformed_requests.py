"""Ten thousand hostile requests: each is refused, and nothing grows.

They are made from a seed, so that a failure can be repeated. By default a fifth of each kind is
sent; of invalid JSON that is still more than the journal keeps.
"""

import asyncio
import gzip
import json
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.server.request_body import MAX_BODY_BYTES
from mockserver.server.serving import Server
from mockserver.server.state import State
from tests.load import Answer, Line, line, post
from tests.representative import REACHES
from tests.server import PATIENCE, SCENARIOS, until, write

LINES = 8
RESPONSES = "/v1/responses"
GOOD: dict[str, Any] = {"model": "m", "input": "Hello", "stream": True}
WRONG: dict[str, list[Any]] = {
    "input": [7, True, {}, {"role": "user"}],
    "temperature": ["warm", [], {}, True, "\ud83d"],
    "tools": [7, "x" * 3000, {}, [7], [[]], [{"type": "function"}]],
    "stream": ["yes", 7, [], {}],
    "max_output_tokens": ["x", 1.5, [], {}],
    "metadata": [7, [], "x" * 3000, {"a": {}}],
    "instructions": [7, [], {"a": []}],
}
METHODS = ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "LOCK", "REPORT")


@pytest.fixture
async def server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Server]:
    """A server; after the test it must still answer, hold no run, and have logged no failure."""
    for id_ in ("any/hello", "any/slow"):
        write(tmp_path, id_, SCENARIOS[id_])
    state = State(Catalogue([tmp_path]))
    tasks = len(asyncio.all_tasks())
    async with Server(state) as running:
        yield running
        async with line(running.url) as client:
            health = b"GET /_mock/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            assert (await client.ask(health)).status == 200
        assert state.local.open_runs.all() == []
        assert len(list(state.local.exchanges)) <= 1000
        assert len(state.renderings._kept) <= 512
        await until(lambda: all(exchange.ended for exchange in state.local.exchanges))
    await until(lambda: len(asyncio.all_tasks()) == tasks)
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


def bad_json(luck: random.Random) -> bytes:
    """A request's JSON with a few bytes lost, repeated or changed so that it is invalid."""
    data = bytearray(json.dumps({**GOOD, "metadata": {"a": "b"}}).encode())
    while _is_json(data):
        at = luck.randrange(len(data))
        data[at : at + luck.randrange(3)] = luck.randbytes(luck.randrange(3))
    return bytes(data)


def _is_json(data: bytes | bytearray) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def wrong_types(luck: random.Random) -> bytes:
    field = luck.choice([*WRONG])
    return json.dumps({**GOOD, field: luck.choice(WRONG[field])}).encode()


def deep(luck: random.Random) -> bytes:
    depth = luck.choice([101, 500, 5000, 50_000])
    opened, closed = luck.choice([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
    return opened * depth + b"1" + closed * luck.choice([0, depth])


NO_OBJECTS = [b"", b"null", b"[]", b'"x"', b"1", b"{}", b'{"input": null}', b"\0" * 9]

BODIES: dict[str, tuple[Callable[[random.Random], bytes], int]] = {
    "invalid JSON": (bad_json, 6000),
    "wrong types": (wrong_types, 1200),
    "deep nesting": (deep, 300),
    "no object": (lambda luck: luck.choice(NO_OBJECTS), 1000),
}


def count(of_all: int, reach: str) -> int:
    """How many requests of a kind are sent: a fifth, unless all of them are asked for."""
    return of_all if reach == "all" else of_all // 5


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize(("make", "of_all"), BODIES.values(), ids=BODIES)
async def test_a_malformed_body_is_refused_in_the_shape_of_the_dialect(
    server: Server, make: Callable[[random.Random], bytes], of_all: int, reach: str
) -> None:
    luck = random.Random(7)
    bodies = [make(luck) for _ in range(count(of_all, reach))]
    for answer in await _asked(server, [post(RESPONSES, body) for body in bodies]):
        _is_refusal(answer, 400)


def _is_refusal(answer: Answer, status: int) -> None:
    assert (answer.status, answer.error["type"]) == (status, "invalid_request_error"), answer
    assert answer.error.keys() == {"message", "type", "param", "code"}
    assert len(answer.body) < 5000
    assert b"Traceback" not in answer.body


async def _asked(server: Server, requests: list[bytes]) -> list[Answer]:
    """Send requests over a few kept-alive connections; returns the answers in order of arrival."""
    left, answers = iter(requests), []

    async def client() -> None:
        async with line(server.url) as connection:
            for request in left:
                answers.append(await connection.ask(request))

    await asyncio.gather(*(client() for _ in range(LINES)))
    assert len(answers) == len(requests)
    return answers


JUNK = ("..", "%2e%2e", "%2e%2e%2f", "..%2f", "%00", "%ff%fe", "etc", "passwd", "s", "r", "v1", "")


def junk_path(luck: random.Random) -> str:
    return "/" + "/".join(luck.choices(JUNK, k=luck.randrange(1, 12))) + luck.choice(["", "?a=%zz"])


@pytest.mark.parametrize("reach", REACHES)
async def test_an_unknown_path_is_refused(server: Server, reach: str) -> None:
    luck = random.Random(7)
    body = json.dumps(GOOD).encode()
    paths = [junk_path(luck) for _ in range(count(2000, reach))]
    for path, answer in zip(paths, await _in_order(server, paths, body), strict=True):
        assert answer.status == 404, path
        assert b"root:" not in answer.body
        assert answer.error["message"]


async def _in_order(server: Server, paths: list[str], body: bytes) -> list[Answer]:
    async with line(server.url) as connection:
        return [await connection.ask(post(path, body)) for path in paths]


@pytest.mark.parametrize(
    "id_",
    [
        "../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd",
        "any%2f..%2f..%2fhello", "%252e%252e%252fhello", "any/hello%00",
        "any/hello+" + "crlf" * 1000, "any/" + "x" * 5000, "any/%ff%fe",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "form", ["/s/{}/v1/responses", "/_mock/scenarios/{}", "/r/{}/v1/responses"]
)
async def test_no_path_leads_out_of_the_scenarios(server: Server, form: str, id_: str) -> None:
    method = "GET" if form.startswith("/_mock") else "POST"
    request = post(form.format(id_), json.dumps(GOOD).encode(), method=method)
    (answer,) = await _asked(server, [request])
    assert 400 <= answer.status < 500
    assert answer.error["message"]
    assert len(answer.body) < 7000
    assert b"root:" not in answer.body


@pytest.mark.parametrize("reach", REACHES)
async def test_a_wrong_method_is_refused_with_the_right_one(server: Server, reach: str) -> None:
    luck = random.Random(7)
    paths = [RESPONSES, "/s/any/hello/v1/responses", "/_mock/runs/x/journal", "/_mock/scenarios"]
    asked = [(luck.choice(METHODS[1:]), luck.choice(paths)) for _ in range(count(1300, reach))]
    headers = ("Content-Type: application/json",)
    requests = [post(path, b"{}", *headers, method=method) for method, path in asked]
    for answer in await _asked(server, requests):
        assert answer.status == 405
        assert answer.error["hint"].startswith("allowed: ")


async def test_a_huge_body_is_refused_before_it_is_read(server: Server) -> None:
    head = post(RESPONSES, b"").replace(b"Content-Length: 0", b"Content-Length: %d")
    for size in (MAX_BODY_BYTES + 1, 1 << 40, 1 << 62):
        async with line(server.url) as connection:
            _is_refusal(await connection.ask(head % size), 413)


async def test_a_small_body_that_decompresses_to_a_huge_one_is_refused(server: Server) -> None:
    packed = gzip.compress(b" " * (4 * MAX_BODY_BYTES))
    async with line(server.url) as connection:
        request = post(RESPONSES, packed, "Content-Encoding: gzip")
        _is_refusal(await connection.ask(request), 413)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_body_that_cannot_be_decompressed_is_refused(server: Server, encoding: str) -> None:
    for body in (b"no such thing", gzip.compress(b"{}")[:-4] + b"junk"):
        async with line(server.url) as connection:
            request = post(RESPONSES, body, f"Content-Encoding: {encoding}")
            _is_refusal(await connection.ask(request), 400)


BROKEN = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/1.1 and more\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET / HTTP/1.1\r\nX: a\0b\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
    b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"POST http://[::1/v1/responses HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
]


@pytest.mark.parametrize("reach", REACHES)
async def test_broken_http_is_refused_and_its_connection_closed(server: Server, reach: str) -> None:
    luck = random.Random(7)
    await _each(
        server, _refused_and_closed, (luck.choice(BROKEN) for _ in range(count(400, reach)))
    )


async def _refused_and_closed(connection: Line, data: bytes) -> None:
    connection.writer.write(data)
    try:
        answer = await connection.rest()
    except ConnectionResetError:
        return
    assert answer.startswith(b"HTTP/1.0 400 "), (data[:80], answer[:200])
    assert b"Traceback" not in answer
    assert len(answer) < 1000


@pytest.mark.parametrize("reach", REACHES)
async def test_random_bytes_do_not_stop_the_server(server: Server, reach: str) -> None:
    luck = random.Random(7)
    whole = post(RESPONSES, json.dumps({**GOOD, "stream": False}).encode(), "Connection: close")
    await _each(server, _any_answer, (_edited(whole, luck) for _ in range(count(400, reach))))


def _edited(data: bytes, luck: random.Random) -> bytes:
    edited = bytearray(data)
    for _ in range(luck.randrange(1, 4)):
        at = luck.randrange(len(edited))
        edited[at : at + luck.randrange(4)] = luck.randbytes(luck.randrange(4))
    return bytes(edited)


async def _any_answer(connection: Line, data: bytes) -> None:
    connection.writer.write(data)
    connection.writer.write_eof()
    try:
        answer = await connection.rest()
    except ConnectionResetError:
        return
    assert not answer or 100 <= int(answer.split(b" ", 2)[1]) < 500, (data, answer)
    assert b"Traceback" not in answer


async def test_half_requests_of_clients_that_disconnect_leave_no_trace(server: Server) -> None:
    luck = random.Random(7)
    whole = post("/s/any/slow/v1/responses", json.dumps(GOOD).encode())
    halves = (whole[: luck.randrange(1, len(whole) + 1)] for _ in range(400))
    await _each(server, _hang_up, halves)


async def _hang_up(connection: Line, data: bytes) -> None:
    connection.writer.write(data)
    await connection.writer.drain()


async def _each(
    server: Server, act: Callable[[Line, bytes], Awaitable[None]], data: Iterator[bytes]
) -> None:
    async def client() -> None:
        for one in data:
            async with line(server.url) as connection:
                await act(connection, one)

    async with asyncio.timeout(3 * PATIENCE):
        await asyncio.gather(*(client() for _ in range(LINES)))


async def test_junk_after_good_requests_is_refused_after_their_answers(server: Server) -> None:
    good = post(RESPONSES, b"{}")
    async with line(server.url) as connection:
        connection.writer.write(good * 99)
        for _ in range(99):
            _is_refusal(await connection.ask(b""), 400)
        connection.writer.write(good + b"junk junk junk\r\n\r\n")
        rest = await connection.rest()
    assert b"Traceback" not in rest
    assert rest.endswith(b"^") or rest == b""
