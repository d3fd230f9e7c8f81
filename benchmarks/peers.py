"""Bare asyncio and aiohttp servers that stream the same bytes, to compare with.

``python benchmarks/peers.py asyncio|aiohttp BODY_FILE`` prints its port and serves until ended.
"""

import asyncio
import sys
from pathlib import Path

from aiohttp import web

HOST = "127.0.0.1"
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


def chunked(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


async def serve_asyncio(body: bytes) -> int:
    """A writer that reads a request up to its body's end and answers with fixed bytes."""
    answer = _HEAD + chunked(body) + b"0\r\n\r\n"

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, HOST, 0, backlog=1024)
    port: int = server.sockets[0].getsockname()[1]
    return port


async def serve_aiohttp(body: bytes) -> int:
    """A handler that reads the request's JSON and writes fixed bytes as a stream."""

    async def handle(request: web.Request) -> web.StreamResponse:
        await request.json()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(body)
        await response.write_eof()
        return response

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, 0, backlog=1024)
    await site.start()
    port: int = runner.addresses[0][1]
    return port


SERVERS = {"asyncio": serve_asyncio, "aiohttp": serve_aiohttp}


async def main(name: str, body: bytes) -> None:
    """Serve until the process is ended."""
    print(await SERVERS[name](body), flush=True)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]).read_bytes()))
