"""A Node program that speaks drive/1 in a child process; each line is validated."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.foundation.shipped import schema

PATIENCE = 30
"""The longest wait for anything, in seconds."""

ENDINGS = ("done", "counted", "unsupported", "error")

HELLO = {"type": "hello", "protocol": 1, "kit": {"name": "streamproof", "version": "0.1.0"}}
RUN: dict[str, Any] = {
    "type": "run", "id": "r-1", "dialect": "openresponses", "base_url": "http://127.0.0.1:9/v1",
    "api_key": "sk-mock-1", "model": "mock", "messages": [{"role": "user", "content": "Hello"}],
    "tools": [], "options": {}, "deadline_ms": 10_000,
}  # fmt: skip

COUNT: dict[str, Any] = {
    **{name: RUN[name] for name in RUN if name != "options"},
    "type": "count",
    "id": "c-1",
    "storage": "/nowhere",
}

Message = dict[str, Any]


@cache
def _contract(definition: str) -> Draft202012Validator:
    return Draft202012Validator({**schema("driver"), "$ref": f"#/$defs/{definition}"})


class NodeAdapter:
    """One process. Messages about a run are in a queue by the run's id."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._said: defaultdict[str, asyncio.Queue[Message]] = defaultdict(asyncio.Queue)
        assert process.stderr
        self._errors = asyncio.ensure_future(process.stderr.read())
        self._hearing = asyncio.ensure_future(self._hear())

    @classmethod
    async def started(cls, *argv: str, cwd: Path) -> NodeAdapter:
        # A part may be large, so the line limit is higher than the kit's.
        process = await asyncio.create_subprocess_exec(
            "node", *argv, cwd=cwd, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=64 << 20
        )
        return cls(process)

    async def hello(self) -> Message:
        await self.say(HELLO)
        return await self.next("hello")

    async def say(self, message: Message) -> None:
        _contract("from-kit").validate(message)
        await self.write(json.dumps(message).encode() + b"\n")

    async def write(self, data: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(data)
        await asyncio.wait_for(self._process.stdin.drain(), PATIENCE)

    async def next(self, id_: str = "r-1") -> Message:
        """The next message about a run; fails if the process wrote another first."""
        said = asyncio.ensure_future(self._said[id_].get())
        await asyncio.wait(
            {said, self._hearing}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED
        )
        if not said.done():
            said.cancel()
            await self.end()
            self._hearing.result()
            raise AssertionError(f"it said no more of {id_}: {await self._errors!r}")
        return said.result()

    async def until_ending(self, id_: str = "r-1") -> list[Message]:
        """The messages about a run, up to its ending."""
        messages = [await self.next(id_)]
        while messages[-1]["type"] not in ENDINGS:
            messages.append(await self.next(id_))
        return messages

    async def play(self, **changes: Any) -> list[Message]:
        """Send a run, and return its messages up to its ending."""
        await self.say(RUN | changes)
        return await self.until_ending((RUN | changes)["id"])

    async def count(self, **changes: Any) -> Message:
        """Send a count, and return its answer."""
        await self.say(COUNT | changes)
        return await self.next((COUNT | changes)["id"])

    async def bye(self) -> tuple[int, str]:
        """Send bye; returns the exit code and stderr."""
        await self.say({"type": "bye"})
        return await self.exited()

    async def hang_up(self) -> tuple[int, str]:
        assert self._process.stdin
        self._process.stdin.close()
        return await self.exited()

    async def exited(self) -> tuple[int, str]:
        code = await asyncio.wait_for(self._process.wait(), PATIENCE)
        errors = await asyncio.wait_for(self._errors, PATIENCE)
        await asyncio.wait_for(self._hearing, PATIENCE)
        return code, errors.decode()

    async def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await asyncio.wait_for(self._process.wait(), PATIENCE)
        await asyncio.wait({self._errors, self._hearing}, timeout=PATIENCE)

    def waiting(self, id_: str = "r-1") -> int:
        """How many messages about a run have not been read."""
        return self._said[id_].qsize()

    async def unread(self, **last: Any) -> list[Message]:
        """The messages that no test has read, after one more run with these changes has ended."""
        await self.play(id="r-last", **last)
        return [queue.get_nowait() for queue in self._said.values() for _ in range(queue.qsize())]

    async def _hear(self) -> None:
        assert self._process.stdout
        async for line in self._process.stdout:
            message = json.loads(line)
            _contract("from-adapter").validate(message)
            self._said[message.get("id", "hello")].put_nowait(message)


def parts(messages: list[Message]) -> list[Message]:
    """The parts among the messages of a run, which must be numbered without gaps."""
    found = [message for message in messages if message["type"] == "part"]
    assert [message["n"] for message in found] == list(range(len(found)))
    return [message["part"] for message in found]
