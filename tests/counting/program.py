"""A counting adapter that speaks drive/1. Its argument: ``well``, ``hangs`` or ``forgets``."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

# Its working directory is the folder of its description.
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.counting.counting_adapter import CountingAdapter

MODE = sys.argv[1]


def adapter() -> CountingAdapter:
    if MODE != "forgets":
        return CountingAdapter()
    from tests.counting.broken_adapters import KeepsStateInMemory  # imports the suite

    return KeepsStateInMemory()


ADAPTER = adapter()


def say(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


async def play(run: dict[str, Any]) -> None:
    parts: list[Any] = []

    def emit(part: Any) -> None:
        say({"type": "part", "id": run["id"], "n": len(parts), "part": part})
        parts.append(part)

    say(await ADAPTER.run(run, emit, asyncio.Event()))


async def count(asked: dict[str, Any]) -> None:
    if MODE == "hangs":
        await asyncio.Event().wait()
    say(await ADAPTER.count(asked))


async def main() -> None:
    lines = asyncio.StreamReader(limit=1 << 22)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    verbs = {"run": play, "count": count}
    async for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            say(ADAPTER.hello())
        elif message["type"] == "bye":
            return
        else:
            await verbs[message["type"]](message)


asyncio.run(main())
