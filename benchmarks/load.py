"""Generates load: raw connections that send a request, read the stream to its end, and repeat.

Runs in a process of its own, so that it takes no time from the server, and reads as little of a
stream as possible: a slow reader would make all servers equally fast, and a late one would make
them look late. So all connections read into one buffer, and the garbage collector is off.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

HELLO = "Hello"

_END = b"0\r\n\r\n"
# Whatever has been read is examined before anything else is read.
_BUFFER = bytearray(1 << 20)


@dataclass(frozen=True, slots=True)
class Load:
    """A load: ``streams`` requests in total over so many connections.

    With ``spacing`` in seconds, the deviation of each delta from its schedule is measured too. The
    first requests are spread evenly over ``ramp`` seconds.
    """

    url: str
    connections: int
    streams: int
    spacing: float = 0.0
    ramp: float = 0.0


@dataclass(slots=True)
class Measured:
    """The figures of a load: seconds for all streams, bytes, seconds to each first event, drifts.

    ``asked_within`` are the seconds in which every connection sent its first request, ``cpu`` the
    CPU seconds that the load itself has taken.
    """

    seconds: float = 0.0
    cpu: float = 0.0
    asked_within: float = 0.0
    size: int = 0
    first: list[float] = field(default_factory=list)
    drifts: list[float] = field(default_factory=list)


def request(url: str) -> bytes:
    """The bytes of a streaming request as an SDK sends it."""
    parts = urlsplit(url)
    body = json.dumps({"model": "bench", "input": HELLO, "stream": True}).encode()
    head = (
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer any\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Client(asyncio.BufferedProtocol):
    """One connection; it closes when all streams have been requested."""

    def __init__(self, load: Load, left: Iterator[int], result: Measured) -> None:
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._request, self._spacing = request(load.url), load.spacing
        self._left, self._result = left, result
        self._buffer = _BUFFER
        self._asked = self._paced_from = 0.0
        self._headed, self._begun, self._tail, self._deltas = False, False, b"", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def ask(self) -> None:
        """Request the next stream, or close the connection if none is left."""
        if next(self._left, None) is None:
            self.over.set_result(None)
            self._transport.close()
            return
        self._headed, self._begun, self._tail, self._deltas = False, False, b"", 0
        self._asked = time.perf_counter()
        self._transport.write(self._request)

    def get_buffer(self, _sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, size: int) -> None:
        self._result.size += size
        body = 0 if self._headed else self._head(size)
        if not self._begun and body < size:
            self._result.first.append(time.perf_counter() - self._asked)
            self._begun = True
        if self._spacing and self._buffer.find(b"output_text.delta", 0, size) >= 0:
            self._drift(time.perf_counter())
        self._tail = (self._tail + self._buffer[max(body, size - len(_END)) : size])[-len(_END) :]
        if self._tail == _END:
            self.ask()

    def _head(self, size: int) -> int:
        """The offset of the body in the buffer; the servers send their headers in one piece."""
        end = self._buffer.find(b"\r\n\r\n", 0, size)
        if end < 0 or not self._buffer.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(bytes(self._buffer[:size]).decode(errors="replace"))
        self._headed = True
        return end + 4

    def _drift(self, now: float) -> None:
        self._paced_from = self._paced_from if self._deltas else now
        due = self._paced_from + self._deltas * self._spacing
        self._result.drifts.append(abs(now - due))
        self._deltas += 1

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.over.done():
            self.over.set_exception(exc or ConnectionError("a stream broke off"))


async def measure(load: Load) -> Measured:
    """Open all connections, then request all streams and measure them."""
    result, left = Measured(), iter(range(load.streams))
    loop, at = asyncio.get_running_loop(), urlsplit(load.url)
    clients = []
    for _ in range(load.connections):
        _, client = await loop.create_connection(
            lambda: _Client(load, left, result), at.hostname, at.port
        )
        clients.append(client)
    began, used = time.perf_counter(), time.process_time()
    for n, client in enumerate(clients):
        due = began + load.ramp * n / load.connections
        if due > (now := time.perf_counter()):
            await asyncio.sleep(due - now)
        client.ask()
    result.asked_within = time.perf_counter() - began
    await asyncio.gather(*(client.over for client in clients))
    result.seconds, result.cpu = time.perf_counter() - began, time.process_time() - used
    return result


def main() -> None:
    """Read a load as JSON from the command line, and print the figures as JSON."""
    gc.disable()
    print(json.dumps(asdict(asyncio.run(measure(Load(**json.loads(sys.argv[1])))))))


if __name__ == "__main__":
    main()
