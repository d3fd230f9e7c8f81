"""``Connection``: HTTP on one connection, whose client may end its side after the request.

A client that ends its side (FIN) has either sent all that it will send and waits for the answer, or
has left; the server sees the same. Before the first byte of the answer it waits; after that, it has
left, as a client does that cancels a stream. Whoever left before the first byte resets the
connection as soon as it is sent anything, which is looked for.
"""

from __future__ import annotations

import asyncio
import socket

from aiohttp.web_protocol import RequestHandler

_POLL = 0.05
_TCP_CLOSE = 7  # of Linux, in the first byte of TCP_INFO


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
