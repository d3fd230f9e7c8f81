"""A scripted upstream on a real socket, for tests of the HTTP client."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

Json = dict[str, Any]


def sse(each: Json, end: str = "\n", head: str = "data: ", indent: int | None = None) -> str:
    lines = json.dumps(each, ensure_ascii=False, indent=indent).split("\n")
    return "".join(f"{head}{line}{end}" for line in lines) + end


Script = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Upstream:
    """A server that answers with the function ``script``, and records requests and disconnects."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.base_url = ""
        self.asked: list[Json] = []
        self.headers: list[str | None] = []
        self.left = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json())
        self.headers.append(request.headers.get("Authorization"))
        try:
            return await self.script(request)
        except (asyncio.CancelledError, ConnectionError):
            self.left.set()
            raise


@asynccontextmanager
async def upstream(script: Script) -> AsyncIterator[Upstream]:
    served = Upstream(script)
    app = web.Application()
    app.router.add_post("/v1/{operation:.+}", served.answer)
    async with TestServer(app) as server:
        served.base_url = str(server.make_url("/v1/"))
        yield served


async def burst(request: web.Request, *events: Json | str) -> web.StreamResponse:
    """Answer a request with all events in one write."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    chunks = [each if isinstance(each, str) else sse(each) for each in events]
    await response.write("".join(chunks).encode())
    return response


def streaming(*events: Json | str, then: Script | None = None) -> Script:
    async def script(request: web.Request) -> web.StreamResponse:
        response = await burst(request, *events)
        return await then(request) if then else response

    return script


def answering(status: int, body: str, content_type: str = "application/json") -> Script:
    async def script(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, text=body, content_type=content_type)

    return script


async def silence(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("unreachable")
