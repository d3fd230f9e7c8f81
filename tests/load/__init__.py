"""Load tests: many streams, slow readers, and hostile requests and files."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.server import PATIENCE

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = json.loads(self.body)["error"]
        return error


@dataclass(frozen=True, slots=True)
class Line:
    """A connection that sends raw bytes, and reads answers with a Content-Length."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, request: bytes, *, has_body: bool = True) -> Answer:
        self.writer.write(request)
        async with asyncio.timeout(PATIENCE):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            assert length, head
            body = await self.reader.readexactly(int(length[1])) if has_body else b""
        return Answer(int(head.split(b" ", 2)[1]), body)

    async def rest(self) -> bytes:
        """Read until the server closes the connection."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read()


@asynccontextmanager
async def line(url: str) -> AsyncIterator[Line]:
    at = urlsplit(url)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    try:
        yield Line(reader, writer)
    finally:
        writer.close()


def post(path: str, body: bytes, *headers: str, method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    return head.encode("latin-1") + body


def unchunked(answer: bytes) -> bytes:
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    body = b""
    while True:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            assert rest == b"\r\n"
            return body
        body, rest = body + rest[:length], rest[length + 2 :]


def room_for(files: int) -> None:
    """Raise the limit of open files of this process, or skip the test if that is impossible."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= files or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < files:
        pytest.skip(f"this machine allows {hard} open files for a process, {files} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
