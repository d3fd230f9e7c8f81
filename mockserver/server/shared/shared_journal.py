"""How what one worker answers reaches the journal that all workers share.

``Writer`` writes the records of exchanges that have ended, all that have ended meanwhile at once.
An idle worker writes at once; a busy one in rounds, with a pause between them that ends when
somebody reads the journal. What the journal would drop again at once is only counted, unless it is
in a run. What cannot be written is kept, within bounds, until it can be.

An exchange that is under way is known to its worker only, and so is one that ended a moment ago. So
a reader of the journal publishes a question, to which ``Reports`` replies in each worker, once what
has ended is written, with what is open. A worker that does not reply died, or has lost the Redis;
the reader is told which workers there were.

What a stream sent is not in the record of an exchange: it is rendered again, from case, turn and
attempt. A record comes back from outside of the process, so it is read strictly.
"""

import asyncio
import json
import logging
import secrets
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from operator import attrgetter
from typing import Any

from cattrs import BaseValidationError, Converter
from redis.exceptions import NoScriptError, RedisError, ResponseError

from mockserver.server.journal import Exchange
from mockserver.server.shared.connection import (
    END,
    EXPIRY,
    GONE,
    NOTE,
    Connection,
    execute,
    hash_of_script,
)
from mockserver.wire.frames import Plan
from mockserver.wire.playback import WriteRecord

_MOST_REQUESTS = 1000
_MOST_BYTES = 64 << 20
_MOST_BYTES_OF_A_RUN = 32 << 20
_MOST_WAITING = 10_000
_MOST_AT_ONCE = 100
_AGAIN_SECONDS = 0.5
# The pause between two rounds, if nobody waits for the second one.
_SPACING = 1.0
_REPLY_SECONDS = 2.0
_REPLY_EXPIRY = 60
_START_SECONDS = 2.0
_REFRESH_SECONDS = 60.0
_END, _NOTE = hash_of_script(END), hash_of_script(NOTE)
_log = logging.getLogger("streamproof.workers")


_ENCODER = json.JSONEncoder(separators=(",", ":"))
_NAMES = {"key", *(field.name for field in fields(Exchange))}
_RENDERED_LATER = Plan((), (), "clean", 0.0)

_converter = Converter()
_converter.register_unstructure_hook(bytes, lambda data: b64encode(data).decode())
_converter.register_structure_hook(bytes, lambda text, _: b64decode(text))
# Short, since an exchange may have thousands of them.
_converter.register_unstructure_hook(
    WriteRecord, attrgetter(*(field.name for field in fields(WriteRecord)))
)
_converter.register_structure_hook(WriteRecord, lambda values, _: WriteRecord(*values))
_converter.register_unstructure_hook(Plan, lambda _: {})
_converter.register_structure_hook(Plan, lambda _, __: _RENDERED_LATER)


class WrongRecord(ValueError):
    """A record that is not one of ours."""


def to_record(exchange: Exchange, key: str) -> bytes:
    """The record of an exchange; ``key`` distinguishes it from all others."""
    return _ENCODER.encode({"key": key, **_converter.unstructure(exchange)}).encode()


def from_record(
    record: bytes, plan_of: Callable[[Exchange], Plan] | None = None
) -> tuple[str, Exchange]:
    """The key and the exchange of a record. Raises WrongRecord.

    Without ``plan_of``, which renders what it sent, the exchange has no plan.
    """
    try:
        value = json.loads(record)
    except (ValueError, RecursionError) as error:
        raise WrongRecord("it is not JSON") from error
    if not isinstance(value, dict) or value.keys() != _NAMES:
        raise WrongRecord("it is not an exchange")
    try:
        exchange = _converter.structure(value, Exchange)
    except BaseValidationError as error:
        raise WrongRecord("it is not an exchange") from error
    exchange.plan = plan_of(exchange) if exchange.plan and plan_of else None
    return str(value["key"]), exchange


@dataclass(frozen=True, slots=True)
class Ended:
    """An exchange that has ended, what distinguishes it, and its run if it is kept there.

    ``n`` counts those of this worker.
    """

    n: int
    exchange: Exchange
    key: str
    run: str


@dataclass(eq=False, slots=True)
class Writer:
    """Writes what ended in one worker, in the background, in a task of its own."""

    connection: Connection
    worker: str
    waiting: deque[Ended] = field(default_factory=deque)
    lost: Exception | None = None
    _count: int = 0
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _urgent: asyncio.Event = field(default_factory=asyncio.Event)
    _round_over: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None
    _dropped: int = 0
    _only_counted: int = 0

    @property
    def missing(self) -> int:
        """How many records a reader of the journal will not find."""
        return self._dropped + (len(self.waiting) if self.lost else 0)

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write_what_ends())

    async def stop(self, seconds: float) -> None:
        """Write what is queued, as far as possible within some seconds, and stop."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.flush()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=seconds)

    def put(self, exchange: Exchange, key: str, run: str) -> None:
        """Queue an exchange that has ended; ``run`` is the id of the run that keeps it, if any."""
        if len(self.waiting) >= _MOST_WAITING:
            self.waiting.popleft()
            self._dropped += 1
        self._count += 1
        self.waiting.append(Ended(self._count, exchange, key, run))
        self._due.set()

    async def flush(self) -> None:
        """Wait until every exchange that is queued by now is written."""
        newest = self._count
        while self._waits_for_any(newest):
            self._urgent.set()
            await self._round_over.wait()

    def _waits_for_any(self, newest: int) -> bool:
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
        """Only count the oldest exchanges, if the journal would drop them again at once."""
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
                    await self.connection.client.script_load(script)
                await self._write(some)
        except (RedisError, OSError, TimeoutError) as error:
            if self.lost is None:
                _log.error("%s", self.connection.unavailable(error).message)
            self.lost = error
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            self.lost = None
            for each in some:
                if self.waiting and self.waiting[0] is each:
                    self.waiting.popleft()

    async def _write(self, some: list[Ended]) -> None:
        """Write records; those that an earlier try has written already are left alone."""
        keys = self.connection.keys
        written = [(each, to_record(each.exchange, each.key)) for each in some]
        async with self.connection.client.pipeline(transaction=False) as pipeline:
            for each, record in written:
                if each.run:
                    end = (2, keys.alive, keys.run(each.run), each.exchange.n, record)
                    pipeline.execute_command("EVALSHA", _END, *end, _MOST_BYTES_OF_A_RUN)
            records = [
                part for each, record in written for part in (repr(each.exchange.at), record)
            ]
            where = (3, keys.alive, keys.journal, keys.totals)
            limits = (_MOST_REQUESTS, _MOST_BYTES, EXPIRY)
            counted = (self.worker, self._only_counted)
            pipeline.execute_command("EVALSHA", _NOTE, *where, *limits, *counted, *records)
            await execute(pipeline)


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


@dataclass(eq=False, slots=True)
class Reports:
    """Replies to questions, and asks them; ``reply`` makes the report of this worker."""

    connection: Connection
    worker: str
    reply: Callable[[Question], Awaitable[Report]]
    lost: Exception | None = None
    _subscribed: asyncio.Event = field(default_factory=asyncio.Event)
    _replying: set[asyncio.Task[None]] = field(default_factory=set)
    _task: asyncio.Task[None] | None = None

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
        keys, client = self.connection.keys, self.connection.client
        question = Question(secrets.token_hex(8), run, most, settle)
        with self.connection.converting_errors():
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
                    popped = await self.connection.patient.blpop([key])
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
        keys, client = self.connection.keys, self.connection.client
        async with self.connection.patient.pubsub() as channel:
            await channel.subscribe(keys.questions)
            await channel.get_message(timeout=_REPLY_SECONDS)
            await client.sadd(keys.workers, self.worker)
            refresh = 0.0
            loop = asyncio.get_running_loop()
            while True:
                if loop.time() >= refresh:
                    alive = await client.expire(keys.alive, EXPIRY)
                    await client.expire(keys.workers, EXPIRY)
                    self.lost = None if alive else ResponseError(GONE)
                    refresh = loop.time() + _REFRESH_SECONDS
                self._subscribed.set()
                message = await channel.get_message(
                    ignore_subscribe_messages=True, timeout=_REFRESH_SECONDS
                )
                if message is not None:
                    question = Question(**json.loads(message["data"]))
                    task = loop.create_task(self._send_reply(question))
                    self._replying.add(task)
                    task.add_done_callback(self._replying.discard)

    async def _send_reply(self, question: Question) -> None:
        report = await self.reply(question)
        key = self.connection.keys.reply(question.id)
        data: Any = json.dumps(asdict(report))
        with suppress(RedisError, OSError, TimeoutError):
            async with self.connection.client.pipeline(transaction=True) as pipeline:
                pipeline.rpush(key, data)
                pipeline.expire(key, _REPLY_EXPIRY)
                await pipeline.execute()
