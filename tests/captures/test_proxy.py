"""The proxy passes on what it gets, as it gets it, and keeps a bounded copy."""

import asyncio
import errno
import gzip
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from socket import gaierror, socket
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientConnectorDNSError, ClientSession, web
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.test_utils import TestServer
from yarl import URL

from mockserver.foundation.faults import UserError
from streamproof._captures import proxy
from streamproof._captures import proxy as proxy_module
from streamproof._captures.proxy import Proxy, Seen, explain_unreachable, find_proxy, parse_upstream

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
    monkeypatch.setattr(proxy, "readable_encodings", lambda: {"gzip", "deflate"})

    async def answers(request: web.Request) -> web.StreamResponse:
        return web.Response(text=request.headers["Accept-Encoding"])

    async with (
        proxied(answers) as (setting, session),
        session.get(setting.url, headers={"Accept-Encoding": accepted}) as answer,
    ):
        assert await answer.text() == asked


async def test_a_client_that_waits_to_be_told_to_continue_is_told() -> None:
    async def answers(request: web.Request) -> web.StreamResponse:
        return web.Response(body=await request.read())

    async with (
        asyncio.timeout(WAIT),
        proxied(answers) as (setting, session),
        session.post(setting.url, data=b"a body", expect100=True) as answer,
    ):
        assert await answer.read() == b"a body"


async def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def is_a_proxy(request: web.Request) -> web.StreamResponse:
        return web.Response(text=f"for {request.headers['Host']}{request.path}")

    async with proxied(is_a_proxy) as (setting, session):
        async with session.get(setting.url) as answer:
            own = (await answer.text()).removeprefix("for ")
        monkeypatch.setenv("http_proxy", f"http://{own}")
        proxy = Proxy("http://api.example.com/v1", setting.keep, setting.log.append)
        url = await proxy.start("127.0.0.1", 0)
        try:
            async with session.get(f"{url}/models") as answer:
                assert await answer.text() == "for api.example.com/v1/models"
        finally:
            await proxy.stop()


PROXIES = {
    "http://api.example.com/v1": "http://proxy.example",
    "https://api.example.com/v1": None,
    "http://internal.example.org": None,
    "http://127.0.0.1:8000": None,
    "http://[::1]:8000": None,
    "http://localhost:8000": None,
}


@pytest.mark.parametrize(("url", "proxy"), PROXIES.items())
def test_a_proxy_is_for_its_scheme_and_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://proxy.example")
    monkeypatch.setenv("no_proxy", ".example.org")
    assert find_proxy(URL(url)) == proxy


@pytest.mark.parametrize(
    ("named", "proxy"),
    [("proxy.example:3128", "http://proxy.example:3128"), ("socks5://proxy.example", None)],
)
def test_a_proxy_is_named_with_its_scheme_or_without(
    monkeypatch: pytest.MonkeyPatch, named: str, proxy: str | None
) -> None:
    monkeypatch.setenv("https_proxy", named)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert find_proxy(URL("https://api.example.com/v1")) == proxy


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


# What an upstream sends at once, or nothing and closes; the scheme of its URL; what is said of it.
NO_ANSWERS = {
    "not TLS": (b"hello", "https", "does not speak TLS at this port\n    do http:// or https://"),
    "not HTTP": (
        b"SSH-2.0-x\r\n\r\n",
        "http",
        "did not answer in HTTP\n    do http:// or https://",
    ),
    "no answer": (b"", "http", "closed the connection unanswered\n    do http:// or https://"),
}


@pytest.mark.parametrize(("sent", "scheme", "said"), NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_a_silent_upstream_is_at_fault(sent: bytes, scheme: str, said: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(sent)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        upstream = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert f"the upstream {upstream} {said}" in await unanswered(upstream)


async def test_an_upstream_that_is_not_running_is_said_with_what_to_do() -> None:
    upstream = f"http://127.0.0.1:{closed_port()}"
    assert await unanswered(upstream) == (
        f"the upstream {upstream} cannot be reached: {os.strerror(errno.ECONNREFUSED)}\n"
        "    is it running there? --upstream has its URL"
    )


async def test_a_proxy_on_the_way_that_is_down_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy := f"http://127.0.0.1:{closed_port()}")
    assert await unanswered("http://api.example.com/v1") == (
        f"the proxy {proxy} on the way to http://api.example.com cannot be reached: "
        f"{os.strerror(errno.ECONNREFUSED)}\n"
        "    HTTPS_PROXY and HTTP_PROXY name the proxy, NO_PROXY the hosts that need none"
    )


def test_a_host_without_an_address_is_said_with_the_resolvers_own_words() -> None:
    key = ConnectionKey("api.exmple", 443, True, True, None, None, None, None)
    error = ClientConnectorDNSError(key, gaierror(-2, "Name or service not known"))
    assert str(explain_unreachable(URL("https://api.exmple/v1"), None, error)) == (
        "the upstream https://api.exmple cannot be reached: Name or service not known\n"
        "    is the host in --upstream spelled right, and is there a network?"
    )


async def unanswered(upstream: str) -> str:
    """What a client reads of an upstream that has no answer; the log has the same."""
    setting = Setting()
    proxy = Proxy(upstream, setting.keep, setting.log.append)
    url = await proxy.start("127.0.0.1", 0)
    try:
        async with ClientSession() as session, session.post(f"{url}/v1/responses") as answer:
            assert answer.status == 502
            said = (await answer.text()).removeprefix("streamproof record: ").removesuffix("\n")
    finally:
        await proxy.stop()
    assert setting.log == [f"POST /v1/responses: {said}"]
    assert setting.seen == []
    return said


def closed_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


async def test_a_proxy_to_itself_is_refused() -> None:
    proxy = Proxy("http://localhost:4199", lambda _: None, print)
    with pytest.raises(UserError, match="where this proxy listens itself"):
        await proxy.start("127.0.0.1", 4199)


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


async def test_a_page_of_another_host_is_refused_and_logged() -> None:
    async def never(_request: web.Request) -> web.StreamResponse:
        raise AssertionError

    async with (
        proxied(never) as (setting, session),
        session.get(setting.url, headers={"Host": "evil.example"}) as answer,
    ):
        assert answer.status == 403
        assert "use its address" in await answer.text()
        (line,) = setting.log
        assert line.startswith("GET /: refused: it is called by the host name 'evil.example'")


@pytest.mark.parametrize("text", ["", "api.openai.com", "ftp://a", "http://", "http://a?b=c"])
def test_an_upstream_that_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not the URL of an HTTP server"):
        parse_upstream(text)
