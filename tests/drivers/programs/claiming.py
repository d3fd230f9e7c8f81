"""The reference adapter as a drive/1 program that breaks a claim, as its argument says.

``hoards``: all parts are emitted at the end of the run. A number: only so many runs are played at
the same time. ``crowds``: a run fails if another one is in flight.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway

ADAPTER = gateway()
MODE = sys.argv[1]
ROOM = asyncio.Semaphore(int(MODE) if MODE.isdigit() else 99)
INSIDE: list[str] = []


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


async def play(run: dict[str, Any]) -> None:
    parts: list[Any] = []

    def tell(since: int) -> None:
        for n, part in list(enumerate(parts))[since:]:
            say({"type": "part", "id": run["id"], "n": n, "part": part})

    def emit(part: Any) -> None:
        parts.append(part)
        if MODE != "hoards":
            tell(len(parts) - 1)

    INSIDE.append(run["id"])
    async with ROOM:
        done = await ADAPTER.run(run, emit, asyncio.Event())
    if MODE == "hoards":
        tell(0)
    if MODE == "crowds" and len(INSIDE) > 1:
        done = {"type": "error", "id": run["id"], "message": "a second run came"}
    INSIDE.remove(run["id"])
    say(done)


async def main() -> None:
    lines = asyncio.StreamReader(limit=1 << 22)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks = []
    async for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            say(ADAPTER.hello())
        elif message["type"] == "run":
            tasks.append(asyncio.ensure_future(play(message)))
        elif message["type"] == "bye":
            return


asyncio.run(main())
