"""The reference adapter as a drive/1 program that breaks a claim, as its argument says.

``hoards``: all parts are emitted at the end of the run. A number: only so many runs are played at
the same time. ``crowds``: a run fails if another one is in flight. ``mixes``: a call is emitted for
the run that began last. ``drops``: calls are left out of every run. ``breaks``: every run fails.
"""

import asyncio
import json
import sys
from collections import Counter
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway

ADAPTER = gateway()
MODE = sys.argv[1]
ROOM = asyncio.Semaphore(int(MODE) if MODE.isdigit() else 99)
INSIDE: list[str] = []
EMITTED: Counter[str] = Counter()


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def say_part(id_: str, part: Any) -> None:
    say({"type": "part", "id": id_, "n": EMITTED[id_], "part": part})
    EMITTED[id_] += 1


async def play(run: dict[str, Any]) -> None:
    parts: list[Any] = []

    def emit(part: Any) -> None:
        mixed_up = MODE == "mixes" and part["type"] == "toolCall"
        if MODE == "drops" and part["type"] == "toolCall":
            return
        if MODE == "hoards":
            parts.append(part)
        else:
            say_part(INSIDE[-1] if mixed_up else run["id"], part)

    INSIDE.append(run["id"])
    async with ROOM:
        done = await ADAPTER.run(run, emit, asyncio.Event())
    for part in parts:
        say_part(run["id"], part)
    if MODE == "crowds" and len(INSIDE) > 1:
        done = {"type": "error", "id": run["id"], "message": "a second run came"}
    if MODE == "breaks":
        done = {"type": "error", "id": run["id"], "message": "it always breaks"}
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
