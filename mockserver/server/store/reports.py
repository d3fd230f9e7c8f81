"""What the workers have not written yet: each is asked for it by whoever reads the shared journal.

An exchange that is under way is known to its worker only, and so is one that ended a moment ago. A
reader publishes a question. Each worker writes what has ended, and replies with what is open. A
worker that does not reply died, or has lost the Redis; the reader is told which workers there were.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError, ResponseError

from mockserver.server.store.keys import EXPIRY
from mockserver.server.store.scripts import GONE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mockserver.server.store.connection import Connection

_REPLY_SECONDS = 2.0
_REPLY_EXPIRY = 60
_START_SECONDS = 2.0
_REFRESH_SECONDS = 60.0
_AGAIN_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the open exchanges of a run, or the newest ones of all if ``run`` is empty.

    The answers of the run that are under way get ``settle`` seconds to end.
    """

    id: str
    run: str = ""
    most: int = 0
    settle: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """The reply of a worker: the records of open exchanges, and how many there are in all.

    ``missing`` counts the ended ones that it could not write.
    """

    worker: str
    open: list[str] = field(default_factory=list)
    opened: int = 0
    missing: int = 0


class Reports:
    """Replies to questions, and asks them; ``reply`` makes the report of this worker."""

    def __init__(
        self,
        connection: Connection,
        worker: str,
        reply: Callable[[Question], Awaitable[Report]],
    ) -> None:
        self._connection = connection
        self._worker = worker
        self._reply = reply
        self._subscribed = asyncio.Event()
        self._replying: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self.lost: Exception | None = None

    async def start(self) -> None:
        """Begin to reply; returns once questions arrive, or after a limited time."""
        self._task = asyncio.get_running_loop().create_task(self._listen())
        with suppress(TimeoutError):
            async with asyncio.timeout(_START_SECONDS):
                await self._subscribed.wait()

    async def stop(self) -> None:
        tasks = {*self._replying, *([self._task] if self._task else [])}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_REPLY_SECONDS)

    async def ask(
        self, run: str = "", most: int = 0, settle: float = 0.0
    ) -> tuple[list[Report], int]:
        """The reports of the workers, and how many workers did not reply."""
        keys, client = self._connection.keys, self._connection.client
        question = Question(secrets.token_hex(8), run, most, settle)
        with self._connection.told():
            asked = await client.publish(keys.questions, json.dumps(asdict(question)))
            reports = await self._replies(keys.reply(question.id), asked, settle)
            await client.unlink(keys.reply(question.id))
            known: set[Any] = await client.smembers(keys.workers)
        return reports, len(known - {report.worker.encode() for report in reports})

    async def _replies(self, key: str, asked: int, settle: float) -> list[Report]:
        found: list[Report] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(_REPLY_SECONDS + settle):
                while len(found) < asked:
                    popped = await self._connection.patient.blpop([key])
                    found += [Report(**json.loads(popped[1]))] if popped else []
        return found

    async def _listen(self) -> None:
        while True:
            try:
                await self._reply_to_questions()
            except (RedisError, OSError, TimeoutError) as error:
                self.lost = error
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _reply_to_questions(self) -> None:
        """Reply until the connection is lost; from time to time, keep the keys from expiring."""
        keys, client = self._connection.keys, self._connection.client
        async with self._connection.patient.pubsub() as channel:
            await channel.subscribe(keys.questions)
            await channel.get_message(timeout=_REPLY_SECONDS)
            await client.sadd(keys.workers, self._worker)
            refresh = 0.0
            loop = asyncio.get_running_loop()
            while True:
                if loop.time() >= refresh:
                    await self._refresh()
                    refresh = loop.time() + _REFRESH_SECONDS
                self._subscribed.set()
                message = await channel.get_message(
                    ignore_subscribe_messages=True, timeout=_REFRESH_SECONDS
                )
                if message is not None:
                    self._reply_to(Question(**json.loads(message["data"])))

    async def _refresh(self) -> None:
        """Keep the keys of the server from expiring, if they are still there."""
        keys, client = self._connection.keys, self._connection.client
        alive = await client.expire(keys.alive, EXPIRY)
        await client.expire(keys.workers, EXPIRY)
        self.lost = None if alive else ResponseError(GONE)

    def _reply_to(self, question: Question) -> None:
        task = asyncio.get_running_loop().create_task(self._send_reply(question))
        self._replying.add(task)
        task.add_done_callback(self._replying.discard)

    async def _send_reply(self, question: Question) -> None:
        report = await self._reply(question)
        key = self._connection.keys.reply(question.id)
        data: Any = json.dumps(asdict(report))
        with suppress(RedisError, OSError, TimeoutError):
            async with self._connection.client.pipeline(transaction=True) as pipeline:
                pipeline.rpush(key, data)
                pipeline.expire(key, _REPLY_EXPIRY)
                await pipeline.execute()
