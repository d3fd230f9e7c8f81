"""A proxy to a real upstream that passes everything on as it comes, and hands over what it saw.

Bytes, status and headers are passed on as they are, but for headers that belong to one connection
(RFC 9110 § 7.6.1), and for encodings that a client accepts and that cannot be read here. A client
that leaves ends the request to the upstream, and an upstream that breaks off breaks off the answer.
What is kept of an exchange is bounded: it is passed on in any case.
"""

import asyncio
import errno
import os
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from socket import gaierror
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.proxies import is_local
from mockserver.foundation.visible import visible
from mockserver.scenario.script import CloseHow
from mockserver.scenario.turns import CONNECTION_HEADERS
from mockserver.server.control import is_trusted
from mockserver.server.options import url_of
from mockserver.server.serving import open_socket
from streamproof._captures.decoding import readable_encodings

MAX_KEPT = 64 << 20
"""The bytes of a request or an answer that are kept."""

MAX_KEPT_OF_ALL = 256 << 20
"""The bytes that are kept of all exchanges that have not ended."""

_CONNECT_SECONDS = 30.0
_STOP_SECONDS = 2.0


@dataclass(slots=True)
class Seen:
    """A request and its answer, as far as they have come; ``chunks`` are pieces of the body.

    Each chunk has the seconds since the request. ``left`` is whether the client left before the
    end, or the proxy was stopped, and ``cut`` whether not all of the bodies was kept.
    """

    method: str
    path: str
    url: str
    at: float
    request_headers: list[tuple[str, str]]
    request: bytearray = field(default_factory=bytearray)
    status: int = 0
    reason: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    close: CloseHow = "clean"
    left: bool = False
    cut: bool = False
    kept: int = 0

    @property
    def body(self) -> bytes:
        """The bytes of the answer's body that were kept."""
        return b"".join(data for _, data in self.chunks)


class Proxy:
    """Passes requests on to an upstream.

    ``seen`` is called with each exchange that has ended, in a thread of its own, one at a time.
    """

    def __init__(
        self, upstream: str, seen: Callable[[Seen], None], log: Callable[[str], None]
    ) -> None:
        """Raises UserError if the upstream is not an HTTP URL."""
        self._upstream = parse_upstream(upstream)
        self._seen = seen
        self._log = log
        self._kept = 0
        self._open = 0
        self._passed_on_bytes = 0
        self._writer = ThreadPoolExecutor(1, "streamproof-record")
        self._bound = ""
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.ServerRunner | None = None

    @property
    def progress(self) -> str:
        """How much is passed on right now, in words."""
        answers = "1 answer" if self._open == 1 else f"{self._open} answers"
        return f"{answers} under way, {self._passed_on_bytes:,} bytes passed on so far"

    async def start(self, host: str, port: int) -> str:
        """Listen at an address and return the URL. Raises UserError if that is not possible."""
        upstream = self._upstream
        if upstream.port == port and (is_local(upstream.host or "") or upstream.host == host):
            message = f"{upstream} is where this proxy listens itself"
            raise UserError(Problem(message, hint="--port 0 takes any port that is free"))
        accepting = await open_socket(host, port)
        self._bound = host
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        server = web.Server(self._handle, handler_cancellation=True, access_log=None)
        self._runner = runner = web.ServerRunner(server, shutdown_timeout=_STOP_SECONDS)
        await runner.setup()
        await web.SockSite(runner, accepting).start()
        return url_of(*accepting.getsockname()[:2])

    async def stop(self) -> None:
        """End every exchange and stop listening."""
        if self._runner:
            await self._runner.cleanup()
        if self._session:
            await self._session.close()
        await asyncio.to_thread(self._writer.shutdown)
        self._runner = self._session = None

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if not is_trusted(host := request.headers.get("Host", ""), self._bound):
            # It may be a page of another host that resolves to this machine.
            text = f"it is called by the host name {visible(host)!r:.100}; use its address"
            self._log(f"{request.method} {request.path}: refused: {text}")
            return web.Response(status=403, text=f"streamproof record: {text}\n")
        url = join_url(self._upstream, request.raw_path)
        seen = Seen(
            request.method, request.path, str(url), time.time(), list(request.headers.items())
        )
        began = time.monotonic()
        self._open += 1
        try:
            return await self._passed_on(request, url, seen, began)
        except asyncio.CancelledError:
            seen.left = True
            raise
        finally:
            self._open -= 1
            if seen.status:
                self._hand_over(seen)
            else:
                self._kept -= seen.kept

    def _hand_over(self, seen: Seen) -> None:
        """Have an exchange written by another thread, so that no other stream waits for that."""
        written = asyncio.get_running_loop().run_in_executor(self._writer, self._seen, seen)

        def forget(_: object) -> None:
            self._kept -= seen.kept

        written.add_done_callback(forget)

    async def _passed_on(
        self, request: web.BaseRequest, url: URL, seen: Seen, began: float
    ) -> web.StreamResponse:
        assert self._session is not None
        has_body = request.body_exists
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport:
            # The client waits for this before it sends the body; curl does so with long ones.
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        proxy = find_proxy(url)
        try:
            upstream = await self._session.request(
                request.method,
                url,
                headers=make_upstream_headers(request.headers),
                data=self._body(request, seen) if has_body else None,
                allow_redirects=False,
                proxy=proxy,
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            problem = explain_unreachable(url, proxy, error)
            self._log(f"{request.method} {request.path}: {problem}")
            return web.Response(status=502, text=f"streamproof record: {problem}\n")
        try:
            return await self._answered(request, upstream, seen, began)
        finally:
            upstream.close()

    async def _body(self, request: web.BaseRequest, seen: Seen) -> AsyncIterator[bytes]:
        async for data in request.content.iter_any():
            if self._keeps(seen, len(data)):
                seen.request += data
            yield data

    async def _answered(
        self, request: web.BaseRequest, upstream: aiohttp.ClientResponse, seen: Seen, began: float
    ) -> web.StreamResponse:
        seen.status, seen.reason = upstream.status, upstream.reason or ""
        seen.headers = list(upstream.headers.items())
        headers = pass_on_headers(upstream.headers)
        response = web.StreamResponse(status=seen.status, reason=upstream.reason, headers=headers)
        await response.prepare(request)
        try:
            async for data in upstream.content.iter_any():
                if self._keeps(seen, len(data)):
                    seen.chunks.append((time.monotonic() - began, data))
                await response.write(data)
                self._passed_on_bytes += len(data)
        except (aiohttp.ClientError, OSError) as error:
            client = request.transport
            has_left = client is None or client.is_closing()
            if has_left and isinstance(error, aiohttp.ClientConnectionError):
                seen.left = True
                raise
            # Break the client's connection as the upstream has broken the answer.
            is_reset = getattr(error, "errno", None) == errno.ECONNRESET
            seen.close = "reset" if is_reset else "cut"
            self._log(f"{request.method} {request.path}: the upstream broke off its answer")
            if client is not None:
                client.abort() if is_reset else client.close()
            return response
        await response.write_eof()
        return response

    def _keeps(self, seen: Seen, size: int) -> bool:
        if seen.cut or seen.kept + size > MAX_KEPT or self._kept + size > MAX_KEPT_OF_ALL:
            seen.cut = True
            return False
        seen.kept += size
        self._kept += size
        return True


# aiohttp writes these by itself.
_OWN_OF_REQUEST = frozenset(("host", "expect"))


def parse_upstream(text: str) -> URL:
    """The URL of an upstream. Raises UserError if it is not an HTTP URL."""
    with suppress(ValueError):
        url = URL(text)
        if url.scheme in ("http", "https") and url.host and not url.query_string:
            return url
    hint = "--upstream https://api.openai.com"
    raise UserError(Problem(f"{text!r:.100} is not the URL of an HTTP server", hint=hint))


def join_url(upstream: URL, raw_path: str) -> URL:
    """The URL below the upstream's own path; what is escaped in the request stays as it is."""
    base = str(upstream.with_query(None).with_fragment(None)).rstrip("/")
    return URL(base + raw_path, encoded=True)


def make_upstream_headers(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    """The headers of a request, without encodings in which the answer could not be recorded."""
    found = pass_on_headers(headers, _OWN_OF_REQUEST)
    if accepted := ",".join(found.getall("Accept-Encoding", ())):
        readable = readable_encodings()
        names = (each.strip() for each in accepted.split(","))
        kept = [each for each in names if each.partition(";")[0].strip().lower() in readable]
        found["Accept-Encoding"] = ", ".join(kept) or "identity"
    return found


def pass_on_headers(
    headers: CIMultiDictProxy[str], own: frozenset[str] = frozenset()
) -> CIMultiDict[str]:
    """The headers of a message without those of its connection."""
    named = {
        name.strip().lower()
        for value in headers.getall("Connection", ())
        for name in value.split(",")
    }
    left_out = CONNECTION_HEADERS | named | own
    return CIMultiDict(
        (name, value) for name, value in headers.items() if name.lower() not in left_out
    )


def find_proxy(url: URL) -> str | None:
    """The proxy that the environment names for a URL, as in ``HTTPS_PROXY``.

    None if there is none that speaks HTTP, if ``NO_PROXY`` has the host, and for this machine.
    """
    host = url.host or ""
    if is_local(host) or proxy_bypass(host):
        return None
    named = getproxies().get(url.scheme, "")
    with_scheme = named if "://" in named or not named else f"http://{named}"
    return with_scheme if with_scheme.startswith(("http://", "https://")) else None


_PROXY = "HTTPS_PROXY and HTTP_PROXY name the proxy, NO_PROXY the hosts that need none"
_STARTED = "is it running there? --upstream has its URL"
_SPELLED = "is the host in --upstream spelled right, and is there a network?"
_SCHEME = "do http:// or https:// in --upstream and the port fit the upstream?"
_TRUSTED = "SSL_CERT_FILE names a file with the certificates of your own authority"


def explain_unreachable(upstream: URL, proxy: str | None, error: Exception) -> Problem:
    """Whose fault an error of a request is, the upstream's or that of the proxy on the way."""
    _, is_first_hop, says, hint = next(row for row in _KINDS if isinstance(error, row[0]))
    if is_first_hop and proxy:
        what = f"the proxy {URL(proxy).origin()} on the way to {upstream.origin()}"
        return Problem(f"{what} {says(error)}", hint=_PROXY)
    return Problem(f"the upstream {upstream.origin()} {says(error)}", hint=hint)


def _describe_no_connection(error: Any) -> str:
    """With the operating system's own words, which asyncio replaces by the address."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    number = 0 if isinstance(cause, gaierror) else getattr(cause, "errno", 0)
    why = os.strerror(number) if number else getattr(cause, "strerror", "") or str(cause)
    return f"cannot be reached: {why or type(error).__name__}"


def _describe_untrusted(error: aiohttp.ClientConnectorCertificateError) -> str:
    cause = error.certificate_error
    why = getattr(cause, "verify_message", "") or cause
    return f"has a certificate that is not trusted: {why}"


def _describe_refusal(error: aiohttp.ClientHttpProxyError) -> str:
    phrases = {each.value: f" {each.phrase}" for each in HTTPStatus}
    return f"refuses to connect: {error.status}{phrases.get(error.status, '')}"


_Row = tuple[type[Exception], bool, Callable[[Any], str], str]

# The error, whether it is that of the first server on the way, what is wrong, and what to do;
# specific errors are before general ones.
_KINDS: tuple[_Row, ...] = (
    (aiohttp.ClientHttpProxyError, True, _describe_refusal, ""),
    (aiohttp.ClientProxyConnectionError, True, _describe_no_connection, ""),
    (aiohttp.ClientConnectorCertificateError, False, _describe_untrusted, _TRUSTED),
    (aiohttp.ClientConnectorSSLError, False, lambda _: "does not speak TLS at this port", _SCHEME),
    (aiohttp.ClientConnectorDNSError, True, _describe_no_connection, _SPELLED),
    (TimeoutError, True, lambda _: "did not accept a connection in time", _STARTED),
    (aiohttp.ServerDisconnectedError, True, lambda _: "closed the connection unanswered", _SCHEME),
    (aiohttp.ClientResponseError, True, lambda _: "did not answer in HTTP", _SCHEME),
    (Exception, False, _describe_no_connection, _STARTED),
)
