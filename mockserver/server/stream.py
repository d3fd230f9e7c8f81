"""Streams a rendered turn over a real connection, and closes it in each of the ways."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from typing import TYPE_CHECKING

from aiohttp import web

from mockserver.server.answers import SERVER
from mockserver.wire.playback import Clock, Wire, play

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mockserver.render import Rendered
    from mockserver.scenario.script import CloseHow
    from mockserver.server.journal import Exchange
    from mockserver.wire.playback import Gatekeeper

EVENT_STREAM = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
}
"""HTTP headers of every stream."""

# SO_LINGER with a time of zero: closing the socket sends RST instead of FIN.
_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_FLUSH_POLL = 0.002


class Streamed(web.StreamResponse):
    """A response that sends its headers together with the first bytes of its body."""

    _send_headers_immediately = False


async def stream(
    request: web.Request,
    response: Streamed,
    exchange: Exchange,
    rendered: Rendered,
    gatekeeper: Gatekeeper | None,
) -> None:
    """Play a turn as the body of ``response``.

    HTTP/1.1 sends it chunked, so that a client can distinguish a truncated stream from a complete
    one. Raises ConnectionError if the client has disconnected.
    """
    response.headers.update({**EVENT_STREAM, "Server": SERVER})
    exchange.plan, exchange.status = rendered.plan, response.status
    plan = rendered.plan.filled(exchange.values)
    await response.prepare(request)
    if not plan.starts_immediately:
        await response.write(b"")  # only the headers
    clock = Clock(time.monotonic)
    closes = closings(request, response.write_eof)
    wire = Wire(response.write, closes, finish=response.write_eof)
    await play(plan, exchange.values, exchange, wire, clock, gatekeeper)


def closings(
    request: web.Request, clean: Callable[[], Awaitable[None]]
) -> dict[CloseHow, Callable[[], Awaitable[None]]]:
    """A function for each way to close the connection; ``clean`` is the one for a clean end."""

    async def cut() -> None:
        transport = await _flushed(request)
        transport.close()

    async def reset() -> None:
        transport = await _flushed(request)
        connection: socket.socket | None = transport.get_extra_info("socket")
        if connection is not None:
            await _received(connection)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        transport.abort()

    async def half_close() -> None:
        transport = await _flushed(request)
        transport.write_eof()
        await _stall()

    return {
        "clean": clean,
        "cut": cut,
        "reset": reset,
        "half-close": half_close,
        "stall": _stall,
    }


async def _stall() -> None:
    """Wait until the client disconnects, which cancels the handler of its request."""
    await asyncio.get_running_loop().create_future()


async def _received(connection: socket.socket) -> None:
    """Wait until the peer's kernel has all bytes, since a reset discards those on their way."""
    while _is_sending(connection):  # noqa: ASYNC110 (there is no event for an acknowledgement)
        await asyncio.sleep(_FLUSH_POLL)


def _is_sending(connection: socket.socket) -> bool:
    """Whether bytes were not acknowledged yet; False where the system does not say it."""
    try:
        import fcntl
        import termios

        count = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
    except (ImportError, OSError):
        return False
    return any(count)


async def _flushed(request: web.Request) -> asyncio.Transport:
    """The transport, after all its data has been passed to the kernel."""
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client has left")
    while transport.get_write_buffer_size():  # noqa: ASYNC110 (there is no event for an empty buffer)
        await asyncio.sleep(_FLUSH_POLL)
    return transport
