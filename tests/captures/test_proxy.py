"""The proxy passes on what it gets, as it gets it, and keeps a bounded copy."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from yarl import URL

from mockserver.faults import UserError
from streamproof._captures import proxy as proxy_module
from streamproof._captures.proxy import Proxy, Seen, parse_upstream

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
WAIT = 10.0


class Setting:
    """A proxy to an upstream with one handler: where it is, and what it has seen and logged."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.seen: list[Seen] = []
        self.log: list[str] = []
        self.url = ""
        self._ended = asyncio.Event()

    def keep(self, seen: Seen) -> None:
        self.seen.append(seen)
        self._loop.call_soon_threadsafe(self._ended.set)

    async def one(self) -> Seen:
        """The first exchange, once it has ended."""
        await asyncio.wait_for(self._ended.wait(), WAIT)
        return self.seen[0]


@asynccontextmanager
async def proxied(handler: Handler, path: str = "") -> AsyncIterator[tuple[Setting, ClientSession]]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    setting = Setting()
    async with TestServer(app) as server:
        upstream = str(server.make_url(path or "/")).rstrip("/")
        proxy = Proxy(upstream, setting.keep, setting.log.append)
        setting.url = await proxy.start("127.0.0.1", 0)
        try:
            async with ClientSession(auto_decompress=False) as session:
                yield setting, session
        finally:
            await proxy.stop()


async def test_each_piece_is_passed_on_before_the_next_one_is_there() -> None:
    gates = [asyncio.Event() for _ in range(3)]

    async def streams(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for n, gate in enumerate(gates):
            await gate.wait()
            await response.write(f"data: {n}\n\n".encode())
        return response

    async with proxied(streams) as (setting, session):
        async with session.post(setting.url) as answer:
            for n, gate in enumerate(gates):
                gate.set()
                got = await asyncio.wait_for(answer.content.readuntil(b"\n\n"), WAIT)
                assert got == f"data: {n}\n\n".encode()
        seen = await setting.one()
    assert [data for _, data in seen.chunks] == [b"data: 0\n\n", b"data: 1\n\n", b"data: 2\n\n"]
    assert [at for at, _ in seen.chunks] == sorted(at for at, _ in seen.chunks)
    assert (seen.close, seen.left, seen.cut) == ("clean", False, False)


async def test_status_headers_path_and_bodies_are_passed_on_as_they_are() -> None:
    got: dict[str, Any] = {}

    async def answers(request: web.Request) -> web.StreamResponse:
        got.update(path=request.raw_path, body=await request.read(), headers=dict(request.headers))
        body = gzip.compress(b'{"error": {}}')
        headers = {
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
            "Retry-After": "7",
            "X-Mine": "1",
            "Connection": "X-Mine",
        }
        return web.Response(status=429, reason="Slow Down", headers=headers, body=body)

    sent = {"Authorization": "Bearer sk-secret", "Connection": "X-Hop", "X-Hop": "1", "X-End": "2"}
    async with proxied(answers, "/base/v1") as (setting, session):
        url = URL(f"{setting.url}/chat/completions?a=%2F&b=c", encoded=True)
        async with session.post(url, data=b'{"a": 1}', headers=sent) as answer:
            body = await answer.read()
            assert (answer.status, answer.reason) == (429, "Slow Down")
            assert answer.headers["Retry-After"] == "7"
            assert "X-Mine" not in answer.headers
            assert gzip.decompress(body) == b'{"error": {}}'
    assert (got["path"], got["body"]) == ("/base/v1/chat/completions?a=%2F&b=c", b'{"a": 1}')
    assert got["headers"]["Authorization"] == "Bearer sk-secret"
    assert got["headers"]["X-End"] == "2"
    assert "X-Hop" not in got["headers"]
    assert bytes((await setting.one()).request) == b'{"a": 1}'


@pytest.mark.parametrize(
    ("accepted", "asked"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate"),
        ("zstd;q=1, GZIP;q=0.5", "GZIP;q=0.5"),
        ("br", "identity"),
    ],
)
async def test_no_encoding_is_asked_for_that_cannot_be_recorded(
    monkeypatch: pytest.MonkeyPatch, accepted: str, asked: str
) -> None:
    monkeypatch.setattr(proxy_module, "readable_encodings", lambda: {"gzip", "deflate"})

    async def answers(request: web.Request) -> web.StreamResponse:
        return web.Response(text=request.headers["Accept-Encoding"])

    async with (
        proxied(answers) as (setting, session),
        session.get(setting.url, headers={"Accept-Encoding": accepted}) as answer,
    ):
        assert await answer.text() == asked


async def test_a_client_that_leaves_ends_the_request_to_the_upstream() -> None:
    left = asyncio.Event()

    async def stalls(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: 0\n\n")
        try:
            await asyncio.Event().wait()
        finally:
            left.set()
        return response

    async with proxied(stalls) as (setting, session):
        async with session.post(setting.url) as answer:
            await answer.content.readuntil(b"\n\n")
            answer.close()
        await asyncio.wait_for(left.wait(), WAIT)
        assert (await setting.one()).left


async def test_an_answer_that_breaks_off_breaks_off_for_the_client() -> None:
    async def breaks(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b"data: 0\n\n")
        assert request.transport
        request.transport.close()
        return response

    async with proxied(breaks) as (setting, session):
        with pytest.raises(aiohttp.ClientError):
            async with session.post(setting.url) as answer:
                await answer.read()
        seen = await setting.one()
    assert (seen.close, seen.body) == ("cut", b"data: 0\n\n")
    assert setting.log == ["POST /: the upstream broke off its answer"]


async def test_an_upstream_that_cannot_be_reached_is_said_to_the_client_and_in_the_log() -> None:
    setting = Setting()
    proxy = Proxy("http://127.0.0.1:1", setting.keep, setting.log.append)
    url = await proxy.start("127.0.0.1", 0)
    try:
        async with ClientSession() as session, session.post(f"{url}/v1/responses") as answer:
            assert answer.status == 502
            assert "cannot reach http://127.0.0.1:1" in await answer.text()
    finally:
        await proxy.stop()
    (line,) = setting.log
    assert line.startswith("POST /v1/responses: the upstream cannot be reached:")
    assert setting.seen == []


async def test_what_is_too_long_to_keep_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "MAX_KEPT", 1000)

    async def long(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x" * 100_000)

    async with proxied(long) as (setting, session):
        async with session.get(setting.url) as answer:
            assert len(await answer.read()) == 100_000
        seen = await setting.one()
    assert seen.cut
    assert len(seen.body) <= 1000


async def test_a_page_of_another_host_is_refused() -> None:
    async def never(_request: web.Request) -> web.StreamResponse:
        raise AssertionError

    async with (
        proxied(never) as (setting, session),
        session.get(setting.url, headers={"Host": "evil.example"}) as answer,
    ):
        assert answer.status == 403


@pytest.mark.parametrize("text", ["", "api.openai.com", "ftp://a", "http://", "http://a?b=c"])
def test_an_upstream_that_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not the URL of an HTTP server"):
        parse_upstream(text)
