"""The mock upstream without sockets: adapters in Python call its handlers in their own event loop.

HTTP's own layers are left out: sockets, parsers, connection pools. The server's routes and handlers
are the real ones. Both sides are on the adapter's event loop, which is in virtual time, so adapters
that block it or have an HTTP client of their own cannot be used.
"""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Self, cast
from unittest.mock import patch

import aiohttp
from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http import HttpVersion11, RawRequestMessage
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from conformance.suite.upstream import Upstream
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Renderings
from mockserver.server.request_body import MAX_BODY_BYTES
from mockserver.server.runs import Run
from mockserver.server.serving import build_application
from mockserver.server.state import State
from mockserver.wire.playback import Gatekeeper
from tests.virtual_time import virtual_time

ORIGIN = "http://mock.invalid"
# The whole catalogue in every dialect, since every adapter is played the same cases.
RENDERINGS = Renderings(most=4096, most_bytes=1 << 30)

Json = Any


class Wireless(Upstream):
    """An upstream to which all requests of the reference adapters go inside its ``with`` block."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.state = State(catalogue, RENDERINGS)
        self.app = build_application(self.state)
        self.app.freeze()
        self._asking = ExitStack()

    @property
    def url(self) -> str:
        return ORIGIN

    def open(self, case: Case, gatekeeper: Gatekeeper | None = None) -> Run:
        return self.state.local.open_runs.open(case, gatekeeper)

    def close(self, run: Run) -> None:
        self.state.local.open_runs.close(run.id)

    def settle(self, run: Run, seconds: float) -> None:
        if answering := {*run.answering}:
            (loop,) = {task.get_loop() for task in answering}
            loop.run_until_complete(asyncio.wait(answering, timeout=seconds))

    def __enter__(self) -> Self:
        self._asking.enter_context(virtual_time())
        without = SimpleNamespace(**{**vars(aiohttp), "ClientSession": partial(_Session, self.app)})
        # A mutant's module is another one than that of the first import.
        transport = import_module("conformance.dialects.client.transport")
        self._asking.enter_context(patch.object(transport, "aiohttp", without))
        return self

    def __exit__(self, *_: object) -> None:
        self._asking.close()


class _Session:
    """A fake of aiohttp's ClientSession, with the methods that adapters use."""

    def __init__(
        self, app: web.Application, timeout: object = None, headers: Mapping[str, str] | None = None
    ) -> None:
        del timeout
        self._app = app
        self._headers = dict(headers or {})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Do nothing: each exchange closes its own connection."""

    def post(self, url: str, *, json: Json, headers: Mapping[str, str] | None = None) -> _Exchange:
        return _Exchange(self._app, url, json, {**self._headers, **(headers or {})})


class _Exchange:
    """One request and its answer: the client's side, and the server's task."""

    def __init__(
        self, app: web.Application, url: str, body: Json, headers: Mapping[str, str]
    ) -> None:
        self._app, self._url, self._headers = app, URL(url), headers
        self._body = json.dumps(body).encode()
        self._line = _Line()

    async def __aenter__(self) -> _Answer:
        self._task = asyncio.ensure_future(self._answered())
        return _Answer(await self._line.head, self._line)

    async def __aexit__(self, *_: object) -> None:
        if not self._task.done():
            self._line.close()
            self._task.cancel()

    async def _answered(self) -> None:
        request = self._request()
        try:
            response = await self._app._handle(request)
            await response.prepare(request)
            await response.write_eof()
        except ConnectionError:
            self._line.close()
        except Exception:
            # As aiohttp does for a handler that raises: the connection ends, so nobody waits.
            self._line.abort()
            raise

    def _request(self) -> web.Request:
        loop = asyncio.get_running_loop()
        origin = str(self._url.authority)
        headers = CIMultiDict(
            {"Host": origin, **self._headers, "Content-Length": str(len(self._body))}
        )
        headers.setdefault("Content-Type", "application/json")
        message = RawRequestMessage(
            method="POST",
            path=self._url.raw_path_qs,
            version=HttpVersion11,
            headers=CIMultiDictProxy(headers),
            raw_headers=(),
            should_close=False,
            compression=None,
            upgrade=False,
            chunked=False,
            url=self._url.relative(),
        )
        content = aiohttp.StreamReader(BaseProtocol(loop), 2 * MAX_BODY_BYTES, loop=loop)
        content.feed_data(self._body)
        content.feed_eof()
        task = asyncio.current_task()
        assert task is not None
        return web.Request(
            message,
            content,
            cast("Any", _Connection(self._line)),
            _Writer(self._line),
            task,
            loop,
            client_max_size=MAX_BODY_BYTES,
        )


class _Line:
    """The connection of an exchange: bytes that the client has not read yet, and how it ends."""

    def __init__(self) -> None:
        self.head: asyncio.Future[tuple[str, CIMultiDict[str]]] = (
            asyncio.get_running_loop().create_future()
        )
        self.waiting: list[bytes] = []
        self.closed = False
        self._ended = False
        self._error: Exception | None = None
        self._changed = asyncio.Event()

    def begin(self, status_line: str, headers: CIMultiDict[str]) -> None:
        self.head.set_result((status_line, headers))

    def write(self, data: bytes) -> None:
        if self.closed:
            raise ConnectionResetError("the client has left")
        if data:
            self.waiting.append(data)
            self._changed.set()

    def end(self, error: Exception | None = None) -> None:
        """End the answer; with an ``error``, which ``read`` raises, it is incomplete."""
        if not self._ended:
            self._ended, self._error = True, error
            self._changed.set()

    def half_close(self) -> None:
        """End the direction to the client alone, in the middle of the answer."""
        self.end(aiohttp.ClientPayloadError("Response payload is not completed"))

    def close(self) -> None:
        """Close the connection, from either side."""
        self.closed = True
        self.half_close()
        if not self.head.done():
            self.head.set_exception(aiohttp.ServerDisconnectedError())

    def abort(self) -> None:
        """Close the connection as a server does that resets it."""
        self.end(aiohttp.ClientOSError(errno.ECONNRESET, "Connection reset by peer"))
        self.close()

    async def read(self) -> bytes:
        """Wait for bytes and return all that were not read yet; empty at the end."""
        while not self.waiting and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        if not self.waiting and self._error is not None:
            raise self._error
        data, self.waiting = b"".join(self.waiting), []
        return data


class _Answer:
    """A fake of aiohttp's ClientResponse and its content, with the members that adapters use."""

    def __init__(self, head: tuple[str, CIMultiDict[str]], line: _Line) -> None:
        status_line, headers = head
        _, status, self.reason = status_line.split(" ", 2)
        self.status = int(status)
        self.content_type = headers.get("Content-Type", "application/octet-stream").split(";")[0]
        self.content = self
        self._line = line

    async def iter_any(self) -> AsyncIterator[bytes]:
        while data := await self._line.read():
            yield data

    async def read(self) -> bytes:
        return b"".join([data async for data in self.iter_any()])


class _Writer(AbstractStreamWriter):
    """A fake of aiohttp's payload writer: the server's answer goes to the exchange's connection."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    async def write(self, chunk: bytes | bytearray | memoryview[Any]) -> None:
        self._line.write(bytes(chunk))

    async def write_eof(self, chunk: bytes = b"") -> None:
        self._line.write(chunk)
        self._line.end()

    async def drain(self) -> None:
        """Do nothing: nothing is buffered."""

    def enable_compression(self, encoding: str = "deflate", strategy: int | None = None) -> None:
        raise NotImplementedError

    def enable_chunking(self) -> None:
        """Do nothing: the body is not encoded."""

    async def write_headers(self, status_line: str, headers: CIMultiDict[str]) -> None:
        self._line.begin(status_line, headers)


class _Connection:
    """A fake of aiohttp's protocol and of its transport, with the members that the server uses."""

    ssl_context = peername = sockname = None

    def __init__(self, line: _Line) -> None:
        self.transport = self
        self._line = line

    def is_closing(self) -> bool:
        return self._line.closed

    def close(self) -> None:
        self._line.close()

    def abort(self) -> None:
        self._line.abort()

    def write_eof(self) -> None:
        self._line.half_close()

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, _name: str) -> None:
        return None
