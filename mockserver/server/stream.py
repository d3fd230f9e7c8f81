"""Streams a rendered turn over a real connection, and closes it in each of the ways.

The response is that of aiohttp, or one that is written by hand, for HTTP that frameworks do not
send. Its writes are compressed for clients that accept it, each so that it can be read at once.

Source: RFC 9110 § 8.4.1 (content codings) and § 12.5.3 (Accept-Encoding).
"""

from __future__ import annotations

import asyncio
import importlib
import os
import socket
import struct
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aiohttp import HttpVersion11, web

from mockserver.scenario.script import CloseHow
from mockserver.server.answers import SERVER
from mockserver.server.journal import Exchange
from mockserver.wire.frames import EVENT_STREAM, Coding, Plan, Transfer, Write
from mockserver.wire.playback import Clock, Gatekeeper, Wire, play
from mockserver.wire.slots import fill

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter

# SO_LINGER with a time of zero: closing the socket sends RST instead of FIN.
_LINGER = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
_FLUSH_POLL = 0.002

# The most bytes that are written at once: what the server holds for a client that does not read is
# this and what asyncio and aiohttp hold before they make a writer wait.
_MAX_PIECE = 256 << 10

# A client that does not read may hold up so many bytes in the server.
_MOST_WAITING = 64 << 10
_GZIP_WINDOW = 16 + zlib.MAX_WBITS

_Compressor = tuple[Callable[[bytes], bytes], Callable[[], bytes]]
"""Functions that compress a write so that it can be read at once, and that end the body."""


class Streamed(web.StreamResponse):
    """A response that sends its headers together with the first bytes of its body."""

    _send_headers_immediately = False


def make_response(
    request: web.Request, plan: Plan, headers: Mapping[str, str]
) -> tuple[web.StreamResponse, Plan]:
    """The response that carries a plan, and the plan as its bytes are encoded for the client.

    The values of a plan with a transfer of its own are filled in. HTTP/1.1 sends chunks by default,
    so that a client can distinguish a truncated stream from a complete one.
    """
    transfer = plan.transfer
    headers = {**headers, **EVENT_STREAM, "Server": SERVER}
    if transfer.coding and accepts(transfer.coding, request.headers.get("Accept-Encoding", "")):
        plan = compress(plan, transfer.coding)
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
        transport = await _flush(request)
        transport.close()

    async def reset() -> None:
        transport = await _flush(request)
        connection: socket.socket | None = transport.get_extra_info("socket")
        if connection is not None:
            # The peer's kernel has to have all bytes, since a reset discards those on their way.
            await _poll_while(lambda: _is_sending(connection))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER)
        transport.abort()

    async def half_close() -> None:
        transport = await _flush(request)
        transport.write_eof()
        await _stall()

    return {"clean": clean, "cut": cut, "reset": reset, "half-close": half_close, "stall": _stall}


async def _stall() -> None:
    """Wait until the client disconnects, which cancels the handler of its request."""
    await asyncio.get_running_loop().create_future()


async def _poll_while(holds: Callable[[], object]) -> None:
    """Wait while this holds, for what asyncio has no event."""
    while holds():  # noqa: ASYNC110
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


async def _flush(request: web.Request) -> asyncio.Transport:
    """The transport, after all its data has been passed to the kernel."""
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client has left")
    await _poll_while(transport.get_write_buffer_size)
    return transport


class Bare(web.StreamResponse):
    """A response whose head, body and end are written as a transfer says, and then closed.

    ``length`` is the length of the body, which is announced if that is what ends it.
    """

    def __init__(self, transfer: Transfer, length: int, headers: Mapping[str, str]) -> None:
        super().__init__(headers=headers)
        self._transfer = transfer
        self._length = length
        self._transport: asyncio.Transport | None = None
        self._writer: AbstractStreamWriter | None = None
        self._over = False
        self.force_close()

    @property
    def prepared(self) -> bool:
        """Whether its head was written."""
        return self._transport is not None

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write the head; later calls do nothing. Raises ConnectionError if the client has left."""
        if self.prepared:
            return None
        if request.transport is None:
            raise ConnectionResetError("the client has left")
        self._transport, self._writer = request.transport, request.writer
        self._send(self._head())
        return None

    def _head(self) -> bytes:
        transfer = self._transfer
        version = "1.0" if transfer.delimited == "close" else "1.1"
        length = self._length if transfer.length is None else transfer.length
        announced = [f"Trailer: {transfer.trailer[0]}"] if transfer.trailer else []
        # What says where the body ends
        ending = {
            "length": [f"Content-Length: {length}"],
            "chunks": ["Transfer-Encoding: chunked", *announced],
            "close": [],
        }[transfer.delimited]
        early = [
            f"HTTP/1.1 {each} {HTTPStatus(each).phrase}\r\n\r\n" for each in transfer.informational
        ]
        lines = [
            f"HTTP/{version} {self.status} {self.reason}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
            "Connection: close",
            *ending,
        ]
        return "".join([*early, *(f"{line}\r\n" for line in lines), "\r\n"]).encode()

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write a part of the body. Raises ConnectionError if the client has left."""
        if not data:
            return
        if self._transfer.delimited == "chunks":
            extension = f";{self._transfer.extension}" if self._transfer.extension else ""
            data = b"%x%b\r\n%b\r\n" % (len(data), extension.encode(), bytes(data))
        await self._send_all(bytes(data))

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the last part of the body and its end; later calls do nothing."""
        if self._over or not self.prepared:
            return
        self._over = True
        await self.write(data)
        trailer = self._transfer.trailer
        fields = f"{trailer[0]}: {trailer[1]}\r\n" if trailer else ""
        is_chunked = self._transfer.delimited == "chunks"
        await self._send_all(f"0\r\n{fields}\r\n".encode() if is_chunked else b"")

    def _send(self, data: bytes) -> None:
        assert self._transport is not None
        assert self._writer is not None
        if self._transport.is_closing():
            raise ConnectionResetError("the client has left")
        if data:
            self._transport.write(data)
            # So the connection knows that the answer has begun.
            self._writer.output_size += len(data)

    async def _send_all(self, data: bytes) -> None:
        """Write bytes, and wait while many of them are not sent yet."""
        self._send(data)
        transport = self._transport
        assert transport is not None
        await _poll_while(lambda: transport.get_write_buffer_size() > _MOST_WAITING)


def _deflate(window: int) -> _Compressor:
    stream = zlib.compressobj(wbits=window)
    return lambda data: stream.compress(data) + stream.flush(zlib.Z_SYNC_FLUSH), stream.flush


def _brotli() -> _Compressor:
    stream: Any = importlib.import_module("brotli").Compressor(quality=4)
    return lambda data: stream.process(data) + stream.flush(), stream.finish


_COMPRESSORS: dict[str, Callable[[], _Compressor]] = {
    "gzip": lambda: _deflate(_GZIP_WINDOW),
    "deflate": lambda: _deflate(zlib.MAX_WBITS),
    "br": _brotli,
}


def accepts(coding: Coding, accept_encoding: str) -> bool:
    """Whether the value of an Accept-Encoding header names a coding, and not with a weight of 0."""
    for named in accept_encoding.split(","):
        name, _, weight = (each.strip() for each in named.lower().partition(";"))
        if name == coding:
            return not weight.replace(" ", "").startswith("q=0") or weight.strip("q=0. ") != ""
    return False


def compress(plan: Plan, coding: Coding) -> Plan:
    """A plan whose writes are compressed as one body; it ends unless the stream is cut.

    The values of the plan must be filled in.
    """
    compress_write, end = _COMPRESSORS[coding]()
    writes = [*plan.map(lambda pieces: (compress_write(fill(pieces, {})),)).writes]
    last = next((n for n in reversed(range(len(writes))) if isinstance(writes[n], Write)), None)
    if plan.close == "clean" and last is not None and isinstance(write := writes[last], Write):
        writes[last] = replace(write, pieces=(write.data + end(),))
    return replace(plan, writes=tuple(writes))
