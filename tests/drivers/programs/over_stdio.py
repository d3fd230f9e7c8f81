"""The reference adapter as a drive/1 program that plays many runs at once.

With the name of a tool as its argument it exits as soon as a run offers that tool. With ``locks``
or ``works`` it waits for a lock, or computes, in its very first run until that is cancelled.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway

ADAPTER = gateway()


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def is_first_to_hang() -> bool:
    """Whether no process in this folder has hung before."""
    mark = Path("has-hung")
    is_first = not mark.exists()
    mark.touch()
    return is_first


def compute_until(event: asyncio.Event) -> None:
    while not event.is_set():
        pass


async def hang_once(cancel: asyncio.Event) -> None:
    if "works" in sys.argv and is_first_to_hang():
        await asyncio.to_thread(compute_until, cancel)
    if "locks" in sys.argv and is_first_to_hang():
        lock = asyncio.Lock()
        await lock.acquire()
        await lock.acquire()


async def play(run: dict[str, Any], cancel: asyncio.Event) -> None:
    count = 0
    await hang_once(cancel)

    def emit(part: Any) -> None:
        nonlocal count
        say({"type": "part", "id": run["id"], "n": count, "part": part})
        count += 1

    say(await ADAPTER.run(run, emit, cancel))


async def main() -> None:
    lines = asyncio.StreamReader(limit=1 << 22)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    cancels: dict[str, asyncio.Event] = {}
    tasks = []
    async for line in lines:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say(ADAPTER.hello())
            case "run" if {tool["name"] for tool in message["tools"]} & {*sys.argv[1:]}:
                os._exit(9)
            case "run":
                cancel = cancels[message["id"]] = asyncio.Event()
                tasks.append(asyncio.ensure_future(play(message, cancel)))
            case "cancel":
                cancels[message["id"]].set()
                say({"type": "cancelling", "id": message["id"]})
            case "bye":
                return


asyncio.run(main())
