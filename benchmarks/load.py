"""The load: raw connections that ask, read to the end of the stream, and ask again.

Runs in a process of its own, so that it takes no time from the server that it measures.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

_END = b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Load:
    """How many connections ask for how many streams in all."""

    url: str
    connections: int
    streams: int


@dataclass(slots=True)
class Measured:
    """Seconds for all streams, bytes and events read, and each stream's time to its first byte."""

    seconds: float
    size: int
    events: int
    first: list[float]
    drifts: list[float]


def request(url: str) -> bytes:
    """A streaming request as an SDK makes it."""
    parts = urlsplit(url)
    body = json.dumps({"model": "bench", "input": "Hello", "stream": True}).encode()
    head = (
        f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer any\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def measure(load: Load, spacing: float = 0.0) -> Measured:
    """Ask for all streams; with ``spacing``, also how far each event is off its schedule."""
    asked = request(load.url)
    left = iter(range(load.streams))
    result = Measured(0.0, 0, 0, [], [])

    async def client() -> None:
        parts = urlsplit(load.url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=1 << 22)
        for _ in left:
            writer.write(asked)
            await _stream(reader, result, spacing)
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(load.connections)))
    result.seconds = time.perf_counter() - began
    return result


async def _stream(reader: asyncio.StreamReader, result: Measured, spacing: float) -> None:
    asked = time.perf_counter()
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(head.decode(errors="replace"))
    tail, first, deltas = b"", 0.0, 0
    start = 0.0
    while not tail.endswith(_END):
        data = await reader.read(1 << 18)
        if not data:
            raise RuntimeError("the stream broke off")
        now = time.perf_counter()
        first = first or now
        result.size += len(data)
        result.events += data.count(b"\ndata: ") + data.startswith(b"data: ")
        if spacing and b"output_text.delta" in data:
            start = start or now
            result.drifts.append(abs(now - start - deltas * spacing))
            deltas += 1
        tail = (tail + data)[-len(_END) :]
    result.first.append(first - asked)


def main() -> None:
    """Read a load as JSON from the command line, print what was measured as JSON."""
    what = json.loads(sys.argv[1])
    spacing = what.pop("spacing", 0.0)
    print(json.dumps(asdict(asyncio.run(measure(Load(**what), spacing)))))


if __name__ == "__main__":
    main()
