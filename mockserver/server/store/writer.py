"""Writes the records of ended exchanges to Redis, all that have ended meanwhile at once.

An idle worker writes at once; a busy one in rounds, with a pause between them that ends when
somebody reads the journal. What the journal would drop again at once is only counted, unless it is
in a run.
What cannot be written is kept, within bounds, until it can be; ``lost`` says why it cannot.
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
from mockserver.server.store.exchange_record import to_record
from mockserver.server.store.keys import EXPIRY
from mockserver.server.store.scripts import END, NOTE

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange
    from mockserver.server.store.connection import Connection

_MOST_REQUESTS = 1000
_MOST_BYTES = 64 << 20
_MOST_BYTES_OF_A_RUN = 32 << 20

_MOST_WAITING = 10_000
_MOST_AT_ONCE = 100
_AGAIN_SECONDS = 0.5
# The pause between two rounds, if nobody waits for the second one.
_SPACING = 1.0
_END, _NOTE = sha_of(END), sha_of(NOTE)
_log = logging.getLogger("streamproof.workers")


@dataclass(frozen=True, slots=True)
class Ended:
    """An exchange that has ended, what distinguishes it, and its run if it is kept there.

    ``n`` counts those of this worker.
    """

    n: int
    exchange: Exchange
    key: str
    run: str


class Writer:
    """Writes what ended in one worker, in the background, in a task of its own."""

    def __init__(self, connection: Connection, worker: str) -> None:
        self._connection = connection
        self._worker = worker
        self._count = 0
        self.waiting: deque[Ended] = deque()
        self._due = asyncio.Event()
        self._urgent = asyncio.Event()
        self._round_over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.lost: Exception | None = None
        self._dropped = 0
        self._only_counted = 0

    @property
    def missing(self) -> int:
        """How many records a reader of the journal will not find."""
        return self._dropped + (len(self.waiting) if self.lost else 0)

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

    def put(self, exchange: Exchange, key: str, run: str) -> None:
        """Write an exchange that has ended soon; ``run`` is the run that it is kept in, if any."""
        if len(self.waiting) >= _MOST_WAITING:
            self.waiting.popleft()
            self._dropped += 1
        self._count += 1
        self.waiting.append(Ended(self._count, exchange, key, run))
        self._due.set()

    async def written(self) -> None:
        """Wait until everything is written that was put before."""
        newest = self._count
        while self._waits_for_any(newest):
            self._urgent.set()
            await self._round_over.wait()

    def _waits_for_any(self, newest: int) -> bool:
        """Whether one is not written yet that was put no later than the one with this number."""
        return bool(self.waiting) and self.waiting[0].n <= newest

    async def _write_what_ends(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            newest = self._count
            while self._waits_for_any(newest):
                await self._write_some()
            self._urgent.clear()
            self._round_over.set()
            self._round_over = asyncio.Event()
            with suppress(TimeoutError):
                async with asyncio.timeout(_SPACING):
                    await self._urgent.wait()

    def _only_count_oldest(self) -> None:
        """Take away those after which as many came here alone as the journal keeps."""
        in_journal = [each for each in self.waiting if not each.run]
        if (excess := len(in_journal) - _MOST_REQUESTS) <= 0:
            return
        in_journal.sort(key=lambda each: each.exchange.at)
        oldest = {each.key for each in in_journal[:excess]}
        self.waiting = deque(each for each in self.waiting if each.key not in oldest)
        self._only_counted += excess

    async def _write_some(self) -> None:
        self._only_count_oldest()
        some = [self.waiting[n] for n in range(min(len(self.waiting), _MOST_AT_ONCE))]
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
                if self.waiting and self.waiting[0] is each:
                    self.waiting.popleft()

    async def _write(self, some: list[Ended]) -> None:
        """Write records; those that an earlier try has written already are left alone."""
        keys = self._connection.keys
        written = [(each, to_record(each.exchange, each.key)) for each in some]
        async with self._connection.client.pipeline(transaction=False) as pipeline:
            for each, record in written:
                if each.run:
                    end = (2, keys.alive, keys.run(each.run), each.exchange.n, record)
                    pipeline.execute_command("EVALSHA", _END, *end, _MOST_BYTES_OF_A_RUN)
            records = [
                part for each, record in written for part in (repr(each.exchange.at), record)
            ]
            where = (3, keys.alive, keys.journal, keys.totals)
            limits = (_MOST_REQUESTS, _MOST_BYTES, EXPIRY)
            counted = (self._worker, self._only_counted)
            pipeline.execute_command("EVALSHA", _NOTE, *where, *limits, *counted, *records)
            await answers_of(pipeline)
