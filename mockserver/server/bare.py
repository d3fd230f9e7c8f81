"""A response that is written to the connection by hand, for HTTP that frameworks do not send."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp.abc import AbstractStreamWriter

    from mockserver.wire.frames import Transfer

# A client that does not read may hold up so many bytes in the server.
_MOST_WAITING = 64 << 10
_POLL = 0.002


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
        early = [
            f"HTTP/1.1 {each} {HTTPStatus(each).phrase}\r\n\r\n" for each in transfer.informational
        ]
        lines = [
            f"HTTP/{version} {self.status} {self.reason}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
            "Connection: close",
            *self._ending(),
        ]
        return "".join([*early, *(f"{line}\r\n" for line in lines), "\r\n"]).encode()

    def _ending(self) -> list[str]:
        """The header fields that say where the body ends."""
        transfer = self._transfer
        match transfer.delimited:
            case "length":
                length = self._length if transfer.length is None else transfer.length
                return [f"Content-Length: {length}"]
            case "chunks":
                announced = [f"Trailer: {transfer.trailer[0]}"] if transfer.trailer else []
                return ["Transfer-Encoding: chunked", *announced]
            case "close":
                return []

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write a part of the body. Raises ConnectionError if the client has left."""
        if data:
            self._send(self._chunk(bytes(data)))
            await self._drained()

    def _chunk(self, data: bytes) -> bytes:
        if self._transfer.delimited != "chunks":
            return data
        extension = f";{self._transfer.extension}" if self._transfer.extension else ""
        return b"%x%b\r\n%b\r\n" % (len(data), extension.encode(), data)

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the last part of the body and its end; later calls do nothing."""
        if self._over or not self.prepared:
            return
        self._over = True
        await self.write(data)
        self._send(self._end())
        await self._drained()

    def _end(self) -> bytes:
        if self._transfer.delimited != "chunks":
            return b""
        trailer = self._transfer.trailer
        fields = f"{trailer[0]}: {trailer[1]}\r\n" if trailer else ""
        return f"0\r\n{fields}\r\n".encode()

    def _send(self, data: bytes) -> None:
        assert self._transport is not None
        assert self._writer is not None
        if self._transport.is_closing():
            raise ConnectionResetError("the client has left")
        if data:
            self._transport.write(data)
            # So the connection knows that the answer has begun.
            self._writer.output_size += len(data)

    async def _drained(self) -> None:
        assert self._transport is not None
        while self._transport.get_write_buffer_size() > _MOST_WAITING:  # noqa: ASYNC110
            await asyncio.sleep(_POLL)
