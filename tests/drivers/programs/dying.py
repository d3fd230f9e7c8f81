"""The reference adapter as a drive/1 program that dies when no single run is to blame.

Its arguments are the way in which it dies and a folder for the mark that it has done so.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway

ADAPTER = gateway()
THIRD = 3
OF_TWO = "of two runs"

Run = dict[str, Any]


def say(message: Run) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def dies_now(way: str, mark: Path, begun: int, in_flight: int) -> bool:
    if way == OF_TWO:
        if in_flight > 1:
            mark.touch()
        return in_flight > 1
    if begun != THIRD or mark.exists():
        return False
    mark.touch()
    return True


def waits_for_another(way: str, mark: Path) -> bool:
    """Whether a run waits for the one beside it, of which the program has not died yet."""
    return way == OF_TWO and not mark.exists()


async def play(run: Run, waits: bool) -> None:
    """Play a run; one that waits ends with the program, which another run will end."""
    if waits:
        await asyncio.Event().wait()
    count = 0

    def emit(part: Any) -> None:
        nonlocal count
        say({"type": "part", "id": run["id"], "n": count, "part": part})
        count += 1

    say(await ADAPTER.run(run, emit, asyncio.Event()))


async def main(way: str, mark: Path) -> None:
    lines = asyncio.StreamReader(limit=1 << 22)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    tasks: list[asyncio.Task[None]] = []
    async for line in lines:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say(ADAPTER.hello())
            case "run":
                in_flight = 1 + sum(not task.done() for task in tasks)
                if dies_now(way, mark, len(tasks) + 1, in_flight):
                    print("out of luck", file=sys.stderr, flush=True)
                    os._exit(9)
                tasks.append(asyncio.ensure_future(play(message, waits_for_another(way, mark))))
            case "bye":
                return


asyncio.run(main(sys.argv[1], Path(sys.argv[2], "died")))
