"""A streamed response on a real connection, and the ways in which it can end."""

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
    from mockserver.scenario.model import CloseHow
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Gatekeeper

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache",
    "Server": SERVER,
}

# SO_LINGER with a time of zero: closing the socket sends RST instead of FIN.
_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_FLUSH_POLL = 0.002


class Streamed(web.StreamResponse):
    """An answer whose headers wait for the first bytes of its body: together they are one write."""

    _send_headers_immediately = False


async def stream(
    request: web.Request,
    response: Streamed,
    exchange: Exchange,
    rendered: Rendered,
    gatekeeper: Gatekeeper | None,
) -> None:
    """Play a turn as the body of ``response``.

    HTTP/1.1 makes it chunked, so that a truncated stream can be told from a whole one.
    Raises ConnectionError where the client has left.
    """
    response.headers.update(_HEADERS)
    exchange.plan, exchange.status = rendered.plan, response.status
    await response.prepare(request)
    if not rendered.plan.begins_at_once:
        await response.write(b"")  # nothing but the headers
    clock = Clock(time.monotonic)
    closes = closings(request, response.write_eof)
    wire = Wire(response.write, closes, finish=response.write_eof)
    await play(rendered.plan, exchange.values, exchange, wire, clock, gatekeeper)


def closings(
    request: web.Request, clean: Callable[[], Awaitable[None]]
) -> dict[CloseHow, Callable[[], Awaitable[None]]]:
    """The ways to end, on the connection of this request; ``clean`` is the caller's."""

    async def cut() -> None:
        transport = await _flushed(request)
        transport.close()

    async def reset() -> None:
        transport = await _flushed(request)
        connection: socket.socket | None = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        transport.abort()

    return {"clean": clean, "cut": cut, "reset": reset, "stall": _stall}


async def _stall() -> None:
    await asyncio.get_running_loop().create_future()


async def _flushed(request: web.Request) -> asyncio.Transport:
    """The transport, once the kernel has all of what was written to it."""
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client has left")
    while transport.get_write_buffer_size():  # noqa: ASYNC110 (nothing tells when it is empty)
        await asyncio.sleep(_FLUSH_POLL)
    return transport
