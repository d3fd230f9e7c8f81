"""Writes the records of ended exchanges to Redis, all that have ended meanwhile at once.

An idle worker writes at once; a busy one now and then, and when somebody reads the journal. What
cannot be written is kept, within bounds, until it can be; ``lost`` says why it cannot.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redis.exceptions import NoScriptError, RedisError

from mockserver.server.store.connection import answers_of, sha_of
from mockserver.server.store.keys import EXPIRY
from mockserver.server.store.scripts import END, NOTE

if TYPE_CHECKING:
    from mockserver.server.store.connection import Connection

_MOST_REQUESTS = 1000
_MOST_BYTES = 64 << 20
_MOST_BYTES_OF_A_RUN = 32 << 20

_MOST_WAITING = 10_000
_MOST_AT_ONCE = 100
_AGAIN_SECONDS = 0.5
# The least time between two writes that nobody waits for.
_SPACING = 0.05
_END, _NOTE = sha_of(END), sha_of(NOTE)
_log = logging.getLogger("streamproof.workers")


@dataclass(frozen=True, slots=True)
class Ended:
    """The record of an exchange that has ended, and its place in its run, if it has one."""

    at: float
    record: bytes
    run: str = ""
    n: int = 0


class Writer:
    """Writes in the background, in a task of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: deque[Ended] = deque()
        self._due = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._urgent = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.lost: Exception | None = None
        self._dropped = 0

    @property
    def missing(self) -> int:
        """How many records a reader of the journal will not find."""
        return self._dropped + len(self._waiting)

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write_what_ends())

    async def stop(self, seconds: float) -> None:
        """Give what is waiting some seconds to be written."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.written()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=seconds)

    def put(self, ended: Ended) -> None:
        """Write a record soon."""
        if len(self._waiting) >= _MOST_WAITING:
            self._waiting.popleft()
            self._dropped += 1
        self._waiting.append(ended)
        self._empty.clear()
        self._due.set()

    async def written(self) -> None:
        """Wait until everything that was put is written."""
        self._urgent.set()
        await self._empty.wait()

    async def _write_what_ends(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            while self._waiting:
                await self._write_some()
            self._empty.set()
            self._urgent.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(_SPACING):
                    await self._urgent.wait()

    async def _write_some(self) -> None:
        some = [self._waiting[n] for n in range(min(len(self._waiting), _MOST_AT_ONCE))]
        try:
            try:
                await self._write(some)
            except NoScriptError:
                for script in (END, NOTE):
                    await self._connection.client.script_load(script)
                await self._write(some)
        except (RedisError, OSError, TimeoutError) as error:
            if self.lost is None:
                _log.error("%s", self._connection.unavailable(error).message)
            self.lost = error
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            self.lost = None
            for each in some:
                if self._waiting and self._waiting[0] is each:
                    self._waiting.popleft()

    async def _write(self, some: list[Ended]) -> None:
        """Write records; those that an earlier try has written already are left alone."""
        keys = self._connection.keys
        async with self._connection.client.pipeline(transaction=False) as pipeline:
            for each in some:
                if each.run:
                    end = (2, keys.alive, keys.run(each.run), each.n, each.record)
                    pipeline.execute_command("EVALSHA", _END, *end, _MOST_BYTES_OF_A_RUN)
            records = [part for each in some for part in (repr(each.at), each.record)]
            where = (3, keys.alive, keys.journal, keys.totals)
            limits = (_MOST_REQUESTS, _MOST_BYTES, EXPIRY)
            pipeline.execute_command("EVALSHA", _NOTE, *where, *limits, *records)
            await answers_of(pipeline)
