"""The server from outside: scenarios in a folder of their own, and real connections."""

import asyncio
import json
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientSession

from mockserver.cases.case import Case, CaseId, make_case
from mockserver.server.state import State

PATIENCE = 10.0

REQUEST: dict[str, Any] = {"model": "mock", "input": "Hello", "stream": True}

SCENARIOS = {
    "any/hello": """
title: A greeting
turns:
  - says: [{text: Hello there, in: 2}]
""",
    "any/goodbye": """
title: A farewell
turns:
  - says: [{text: Good bye}]
""",
    "any/slow": """
title: A pause of a minute after the first words
turns:
  - says:
      - start: {text: t}
      - delta: {t: "One moment"}
      - pause: 60s
      - end: t
""",
    "any/gated": """
title: A checkpoint after the first words
turns:
  - says:
      - start: {text: t}
      - delta: {t: "First"}
      - checkpoint: first
      - delta: {t: ", second"}
      - end: t
""",
    "openresponses/silent-end": """
title: The stream ends whole but says no ending
dialects: [openresponses]
conduct: violation
turns:
  - sends: [response.created]
    expect: {parts: [], outcome: failed}
""",
}
_CLOSES = {
    "cut": "The connection is cut in the middle",
    "reset": "The connection is reset in the middle",
    "half-close": "The upstream ends its side of the connection in the middle",
    "stall": "Nothing more comes, and nothing ends",
}
SCENARIOS |= {
    f"openresponses/{how}": f"""
title: {title}
dialects: [openresponses]
conduct: violation
turns:
  - sends: [response.created, close: {how}]
    expect: {{parts: [], outcome: failed}}
"""
    for how, title in _CLOSES.items()
}

# Each text is sent five times: some ten megabytes, more than a socket's buffers hold.
MUCH = (
    "title: More than any buffer holds\nturns:\n  - says:\n"
    f"    - text: &big {'word ' * 100_000!r}\n" + "    - text: *big\n" * 3
)


def write(root: Path, id_: str, text: str) -> Path:
    path = root / f"{id_}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def events(body: bytes) -> list[dict[str, Any]]:
    """The JSON of each event in the body of a stream, without ``[DONE]``."""
    lines = [line.removeprefix("data: ") for line in body.decode().split("\n")]
    return [json.loads(line) for line in lines if line.startswith("{")]


def answer_text(body: bytes) -> str:
    """The answer text, joined from a stream's deltas."""
    return "".join(
        event["delta"] for event in events(body) if event["type"] == "response.output_text.delta"
    )


async def text(client: ClientSession, path: str, **headers: str) -> str:
    """The answer text of a stream that is played at a path."""
    async with client.post(path, json=REQUEST, headers=headers) as response:
        assert response.status == 200
        return answer_text(await response.read())


async def open_run(client: ClientSession, case: str) -> dict[str, Any]:
    """Open a run of a case; returns what the server says of it."""
    async with client.post("/_mock/runs", json={"case": case}) as response:
        run: dict[str, Any] = await response.json()
        assert response.status == 201, run
    return run


def is_log(error: bytes) -> bool:
    """Whether every line on stderr is one of the log of requests."""
    return all(re.match(rb"\d\d:\d\d:\d\d  (\d{3}|---)  \S", line) for line in error.splitlines())


def choose_case(state: State, id_: str) -> Case:
    """A scenario of the state's catalogue in its first dialect."""
    scenario = state.catalogue.get(id_)
    assert scenario is not None
    return make_case(scenario, CaseId(id_))


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 (nothing tells when)
            await asyncio.sleep(0.005)


class Connection:
    """A TCP connection that reads raw bytes and sees how it ends."""

    def __init__(self, raw: socket.socket) -> None:
        self.raw = raw

    async def post(self, path: str, body: Any = REQUEST, version: str = "1.1") -> None:
        data = json.dumps(body).encode()
        head = [f"POST {path} HTTP/{version}", "Host: localhost", f"Content-Length: {len(data)}"]
        await self.send("\r\n".join([*head, "", ""]).encode() + data)

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.raw, data)

    async def read(self) -> bytes:
        """The next bytes; empty at the end. Raises ConnectionResetError after a reset."""
        return await asyncio.wait_for(
            asyncio.get_running_loop().sock_recv(self.raw, 1 << 16), PATIENCE
        )

    async def read_until(self, end: bytes) -> bytes:
        data = bytearray()
        while not data.endswith(end):
            piece = await self.read()
            assert piece, f"the stream ended after {data[-200:]!r}"
            data += piece
        return bytes(data)

    async def read_to_end(self) -> bytes:
        data = bytearray()
        while piece := await self.read():
            data += piece
        return bytes(data)

    def leave(self, *, reset: bool = False) -> None:
        if reset:
            linger = struct.pack("ii", 1, 0)
            self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.raw.close()


@asynccontextmanager
async def connection(url: str, receive_buffer: int = 0) -> AsyncIterator[Connection]:
    """A raw connection to the server."""
    raw = socket.socket()
    try:
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.setblocking(False)
        at = urlsplit(url)
        await asyncio.get_running_loop().sock_connect(raw, (at.hostname, at.port))
        yield Connection(raw)
    finally:
        raw.close()
