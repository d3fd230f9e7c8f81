"""``Server``: the mock at one address, to be started and stopped, or used as a context manager.

Its application has the control interface, extra routes, and the upstream for all other paths.

A client that ends its side of a connection (FIN) has either sent all that it will send and waits
for the answer, or has left; the server sees the same. Before the first byte of the answer it waits;
after that, it has left, as a client does that cancels a stream. Whoever left before the first byte
resets the connection as soon as it is sent anything, which is looked for.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from mockserver.foundation.faults import Problem, UserError
from mockserver.server import control
from mockserver.server.answers import errors
from mockserver.server.control import BOUND, PREFIX, guard
from mockserver.server.journal import RequestLog
from mockserver.server.options import LOOPBACK, url_of
from mockserver.server.process import AcceptErrors
from mockserver.server.request_body import MAX_BODY_BYTES
from mockserver.server.state import ANSWERING, LOG, STATE, State
from mockserver.server.upstream import ROUTES, Routes, upstream

_STOP_SECONDS = 1.0
_BACKLOG = 1024
_POLL = 0.05
_TCP_CLOSE = 7  # of Linux, in the first byte of TCP_INFO
_log = logging.getLogger("streamproof.http")


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether to log a record: malformed HTTP is the client's fault and would flood the log."""
    thrown = record.exc_info[1] if record.exc_info else None
    return not isinstance(thrown, HttpProcessingError | web.RequestPayloadError)


_log.addFilter(_is_ours)


@dataclass(eq=False, slots=True)
class Server:
    """The mock at one address; port 0 lets the system choose one.

    ``log`` is called with every request to the upstream that has ended.
    """

    state: State
    host: str = LOOPBACK
    port: int = 0
    extra_routes: Iterable[web.AbstractRouteDef] = ()
    log: RequestLog | None = None
    _runner: web.AppRunner | None = None
    _listener: asyncio.Server | None = None
    _accept_errors: AcceptErrors | None = None
    _bound: tuple[str, int] | None = None
    _answering: set[asyncio.Task[object]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The URL of the server for clients on this machine, without a path."""
        assert self._bound is not None, "the server is not running"
        return url_of(*self._bound)

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return not self._answering

    async def start(self, accepting: socket.socket | None = None) -> None:
        """Start serving, at a socket that listens already or at the address.

        Raises UserError if the server cannot listen there.
        """
        accepting = accepting or await open_socket(self.host, self.port)
        app = build_application(self.state, self.extra_routes, self.host, self.log)
        self._answering = app[ANSWERING]
        self._runner = web.AppRunner(
            app,
            handler_cancellation=True,
            access_log=None,
            logger=_log,
            shutdown_timeout=_STOP_SECONDS,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        loop = asyncio.get_running_loop()
        self._accept_errors = AcceptErrors(loop)
        loop.set_exception_handler(self._accept_errors)
        options: dict[str, Any] = {"loop": loop, "access_log": None, "logger": _log}
        connection = partial(Connection, self._runner.server, **options)
        self._listener = await loop.create_server(connection, sock=accepting, backlog=_BACKLOG)
        self._bound = accepting.getsockname()[:2]

    async def stop(self) -> None:
        """Stop serving and close all connections, even stalled ones, within a few seconds."""
        if self._listener is not None:
            self._listener.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self.log is not None:
            self.log.write()
        if self._accept_errors is not None:
            self._accept_errors.restore(asyncio.get_running_loop())
        self._accept_errors = None
        self._runner = self._listener = self._bound = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


async def open_socket(host: str, port: int) -> socket.socket:
    """A socket at the first address of a host: with port 0, two addresses would get two ports.

    Raises UserError if there cannot be one.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "the port is in use" if taken else error.strerror or str(error)
        hint = "--port 0 takes any port that is free" if taken else ""
        raise UserError(
            Problem(f"cannot listen at {host}, port {port}: {why}", hint=hint)
        ) from error


def build_application(
    state: State,
    extra_routes: Iterable[web.AbstractRouteDef] = (),
    host: str = "127.0.0.1",
    log: RequestLog | None = None,
) -> web.Application:
    """The application for this state; ``host`` is the address that the server will be bound to.

    ``extra_routes`` take precedence over the upstream; those below ``/_mock/`` are guarded as the
    control interface is.
    """
    app = web.Application(middlewares=[errors, guard], client_max_size=MAX_BODY_BYTES)
    app[STATE], app[BOUND], app[ANSWERING] = state, host, set()
    app[ROUTES] = Routes()
    if log is not None:
        app[LOG] = log
    app.on_startup.append(lambda app: app[STATE].store.start())
    app.on_shutdown.append(_end_streams)
    app.on_cleanup.append(lambda app: app[STATE].store.stop())
    app.add_routes([*control.routes(), *extra_routes])
    app.router.add_route("*", rf"/{{path:(?!{PREFIX[1:]}(?:/|$)).*}}", upstream)
    return app


async def _end_streams(app: web.Application) -> None:
    """Cancel the open streams: a stalled one would never end by itself."""
    answering = {*app[ANSWERING]}
    for task in answering:
        task.cancel()
    if answering:
        await asyncio.wait(answering, timeout=_STOP_SECONDS)


class Connection(RequestHandler):
    """A connection of the server, which answers a request whose client sends nothing more."""

    __slots__ = ()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open for an answer; nothing is read after it."""
        request = self._current_request
        if request is not None:
            stays = request.content.is_eof() and not request.writer.output_size
        elif self._messages:
            stays = self._messages[0][1].is_eof()
        else:
            stays = self._waiter is None
        if not stays:
            return False
        self.close()
        # Between its arrival and its handling a request is in neither place.
        asyncio.get_running_loop().call_soon(self._watch, True)
        return True

    def _watch(self, arriving: bool = False) -> None:
        """Close the connection once it is answered or reset, or if the request is cut off."""
        transport, request = self.transport, self._current_request
        if transport is None or transport.is_closing():
            return
        answered = request is None and not arriving
        cut_off = request is not None and not request.content.is_eof()
        if answered or cut_off:
            transport.close()
        elif _is_reset(transport):
            transport.abort()
        else:
            asyncio.get_running_loop().call_later(_POLL, self._watch)


def _is_reset(transport: asyncio.BaseTransport) -> bool:
    connection = transport.get_extra_info("socket")
    if connection is None or not hasattr(socket, "TCP_INFO"):
        return False
    info: bytes = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return info[0] == _TCP_CLOSE
