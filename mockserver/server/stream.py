"""Streams a rendered turn over a real connection, and closes it in each of the ways."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import HttpVersion11, web

from mockserver.server.answers import SERVER
from mockserver.server.bare import Bare
from mockserver.server.coding import accepts, compressed
from mockserver.wire.frames import EVENT_STREAM
from mockserver.wire.playback import Clock, Wire, play

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mockserver.scenario.script import CloseHow
    from mockserver.server.journal import Exchange
    from mockserver.wire.frames import Plan
    from mockserver.wire.playback import Gatekeeper

# SO_LINGER with a time of zero: closing the socket sends RST instead of FIN.
_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_FLUSH_POLL = 0.002

# The most bytes that are written at once: what the server holds for a client that does not read is
# this and what asyncio and aiohttp hold before they make a writer wait.
_MAX_PIECE = 256 << 10


class Streamed(web.StreamResponse):
    """A response that sends its headers together with the first bytes of its body."""

    _send_headers_immediately = False


def response_for(
    request: web.Request, plan: Plan, headers: Mapping[str, str]
) -> tuple[web.StreamResponse, Plan]:
    """The response that carries a plan, and the plan as its bytes are encoded for the client.

    The values of a plan with a transfer of its own are filled in. HTTP/1.1 sends chunks by default,
    so that a client can distinguish a truncated stream from a complete one.
    """
    transfer = plan.transfer
    headers = {**headers, **EVENT_STREAM, "Server": SERVER}
    if transfer.coding and accepts(transfer.coding, request.headers.get("Accept-Encoding", "")):
        plan = compressed(plan, transfer.coding)
        headers["Content-Encoding"] = transfer.coding
    if transfer.is_written_by_hand and request.version >= HttpVersion11:
        return Bare(transfer, plan.size, headers), plan
    return Streamed(headers=headers), plan


async def stream(
    request: web.Request,
    response: web.StreamResponse,
    exchange: Exchange,
    plan: Plan,
    gatekeeper: Gatekeeper | None,
) -> None:
    """Play a plan as the body of ``response``. Raises ConnectionError if the client has left."""
    # At least once: a client that has ended its side by now is not one that left the stream.
    await asyncio.sleep(plan.transfer.headers_after)
    await response.prepare(request)
    if not plan.starts_immediately:
        await response.write(b"")  # only the headers
    closes = closings(request, response.write_eof)
    wire = Wire(partial(_write, response), closes, finish=partial(_finish, response))
    await play(plan, exchange.values, exchange, wire, Clock(time.monotonic), gatekeeper)


async def _write(response: web.StreamResponse, data: bytes) -> None:
    """Write a long event in several pieces, each after the client has read most of the others."""
    for begin in range(0, max(len(data), 1), _MAX_PIECE):
        await response.write(data[begin : begin + _MAX_PIECE])


async def _finish(response: web.StreamResponse, data: bytes) -> None:
    """Write the last bytes and end the stream, in one operation if they are short."""
    if len(data) > _MAX_PIECE:
        await _write(response, data)
        data = b""
    await response.write_eof(data)


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
