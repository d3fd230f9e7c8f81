"""``Server``: the mock at one address, to be started and stopped, or used as a context manager."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from mockserver.foundation.faults import Problem, UserError
from mockserver.server.app import build
from mockserver.server.connection import Connection
from mockserver.server.listen_address import LOOPBACK, url_of
from mockserver.server.open_files import AcceptErrors
from mockserver.server.state import ANSWERING, Log, State

_STOP_SECONDS = 1.0
_BACKLOG = 1024
_log = logging.getLogger("streamproof.http")


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether to log a record: malformed HTTP is the client's fault and would flood the log."""
    thrown = record.exc_info[1] if record.exc_info else None
    return not isinstance(thrown, HttpProcessingError | web.RequestPayloadError)


_log.addFilter(_is_ours)


class Server:
    """The mock at one address; port 0 lets the system choose one."""

    def __init__(
        self,
        state: State,
        host: str = LOOPBACK,
        port: int = 0,
        extra_routes: Iterable[web.AbstractRouteDef] = (),
        log: Log | None = None,
    ) -> None:
        """``log`` is called with every request to the upstream that has ended."""
        self.state = state
        self._host = host
        self._port = port
        self._extra_routes = tuple(extra_routes)
        self._log = log
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._accept_errors: AcceptErrors | None = None
        self._bound: tuple[str, int] | None = None
        self._answering: set[asyncio.Task[object]] = set()

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
        accepting = accepting or await listening(self._host, self._port)
        app = build(self.state, self._extra_routes, self._host, self._log)
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
        if self._log is not None:
            self._log.write()
        if self._accept_errors is not None:
            self._accept_errors.restore(asyncio.get_running_loop())
        self._accept_errors = None
        self._runner = self._listener = self._bound = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()


async def listening(host: str, port: int) -> socket.socket:
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
