"""``RedisStore``: what the workers of a server share, in Redis.

A request to a run is noted in Redis before it is answered, and so are attempts and responses on
which another request may depend. The rest of an exchange is written when it has ended. What is
still open is asked of its worker (``shared_journal``) when somebody reads the journal.

Times are those of the monotonic clock, which the processes of one machine share.
"""

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from mockserver.cases.render import Renderings
from mockserver.server.answers import Refused, Unavailable
from mockserver.server.journal import Exchange
from mockserver.server.run_ids import RunIds
from mockserver.server.runs import Offer, Run
from mockserver.server.shared.connection import (
    ATTEMPT,
    BEGIN,
    EXPIRY,
    OPEN_RUN,
    Connection,
    SharedRedis,
)
from mockserver.server.shared.shared_journal import (
    Ended,
    Question,
    Report,
    Reports,
    Writer,
    WrongRecord,
    from_record,
    to_record,
)
from mockserver.server.state import JournalPage, Store
from mockserver.wire.frames import Plan

_MOST_RUNS = 20_000
_MOST_EXCHANGES = 64
_STOP_SECONDS = 1.0
_TRIES = 3


@dataclass(frozen=True, slots=True)
class _Open:
    """An exchange that this worker is answering, by its key, and its run if it has one."""

    exchange: Exchange
    key: str
    run: Run | None

    @property
    def run_id(self) -> str:
        """The id of the run that keeps the exchange; empty above the limit of a run."""
        return self.run.id if self.run and self.exchange.n < _MOST_EXCHANGES else ""


class RedisStore(Store):
    """The store of one worker. All workers share its contents, except for what is open here."""

    def __init__(self, shared: SharedRedis, ids: RunIds, renderings: Renderings) -> None:
        super().__init__(ids)
        self._shared, self._keys = shared, shared.keys
        self._renderings = renderings
        self._worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._count = 0
        self._open: dict[int, _Open] = {}

    async def start(self) -> None:
        self._redis = Connection(self._shared)
        self._writer = Writer(self._redis, self._worker)
        self._reports = Reports(self._redis, self._worker, self._report)
        self._writer.start()
        await self._reports.start()

    async def stop(self) -> None:
        await self._reports.stop()
        await self._writer.stop(_STOP_SECONDS)
        if self._writer.lost is None and self._reports.lost is None:
            await self._redis.client.srem(self._keys.workers, self._worker)
        await self._redis.close()

    async def check(self) -> None:
        self._check_lost()
        await self._redis.read()

    def _check_lost(self) -> None:
        if error := self._reports.lost or self._writer.lost:
            raise self._redis.unavailable(error)

    # Runs

    async def open_run(self, offers: tuple[Offer, ...], default: bool = False) -> Run:
        run = Run(self._ids.new(offers, default), offers[0].case, offers=offers)
        keys = (self._keys.run(run.id), self._keys.runs)
        limits = (_MOST_RUNS, EXPIRY, self._keys.a_run)
        now = repr(time.monotonic())
        await self._redis.script(OPEN_RUN, keys, (run.id, str(run.case), now, *limits))
        return run

    async def run(self, id_: str) -> Run | None:
        if (run := await super().run(id_)) is None:
            return None
        (requests,) = await self._redis.read(("HGET", self._keys.run(id_), "requests"))
        return None if requests is None else replace(run, dropped=int(requests))

    async def runs(self, most: int) -> list[Run]:
        # Some may have expired, and are looked for in vain.
        (ids,) = await self._redis.read(("ZREVRANGE", self._keys.runs, 0, _MOST_RUNS))
        found: list[Run] = []
        for id_ in ids:
            if len(found) == most:
                break
            if run := await self.run(id_.decode()):
                found.append(run)
            else:
                await self._redis.read(("ZREM", self._keys.runs, id_))
        return found

    async def close_run(self, run: Run) -> None:
        await self._redis.read(("DEL", self._keys.run(run.id)), ("ZREM", self._keys.runs, run.id))

    async def attempt(self, run: Run, turn: int) -> int:
        count = await self._redis.script(ATTEMPT, (self._keys.run(run.id),), (turn,))
        if count is None:
            raise _closed(run)
        return int(count)

    # Responses

    async def remember(self, response: str, turn: int) -> None:
        await self._redis.read(("SET", self._keys.response(response), turn, "EX", EXPIRY))

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:
        if not response:
            return lambda _: None
        (turn,) = await self._redis.read(("GET", self._keys.response(response)))
        known = {} if turn is None else {response: int(turn)}
        return known.get

    # Exchanges

    async def begin(self, exchange: Exchange, run: Run | None) -> None:
        self._check_lost()
        if run is not None:
            await self._number(exchange, run)
        self._count += 1
        self._open[id(exchange)] = _Open(exchange, f"{self._worker}:{self._count}", run)

    async def join(self, exchange: Exchange, run: Run) -> None:
        await self._number(exchange, run)
        self._open[id(exchange)] = replace(self._open[id(exchange)], run=run)

    async def _number(self, exchange: Exchange, run: Run) -> None:
        """Count a request of a run. Raises Refused if the run is closed."""
        keys = (self._keys.run(run.id), self._keys.runs)
        n = await self._redis.script(BEGIN, keys, (self._worker, _MOST_EXCHANGES, EXPIRY))
        if n is None:
            raise _closed(run)
        exchange.n = int(n)

    def end(self, exchange: Exchange, run: Run | None) -> None:  # noqa: ARG002
        known = self._open.pop(id(exchange))
        self._writer.put(exchange, known.key, known.run_id)

    async def _report(self, question: Question) -> Report:
        """What this worker has open, after what has ended is written.

        What has ended since then counts as open.
        """
        of_run = self._of_run(question.run)
        tasks = {task for each in of_run if each.run for task in each.run.answering}
        if question.settle and tasks:
            await asyncio.wait(tasks, timeout=question.settle)
        if self._writer.lost is None:
            await self._writer.flush()
        found: list[_Open | Ended] = [
            *self._of_run(question.run),
            *(each for each in self._writer.waiting if question.run in ("", each.run)),
        ]
        newest = sorted(found, key=lambda each: each.exchange.at)
        shown = newest if question.run else newest[-question.most :]
        records = [to_record(each.exchange, each.key).decode() for each in shown]
        return Report(self._worker, records, len(found), self._writer.missing)

    def _of_run(self, id_: str) -> list[_Open]:
        """What this worker has open of a run, or in all if the id is empty."""
        return [each for each in self._open.values() if id_ in ("", each.run_id)]

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:
        """The run with its exchanges. Raises Unavailable if one of them died with its worker."""
        for _ in range(_TRIES):
            (begun,) = await self._redis.read(("HGET", self._keys.run(run.id), "requests"))
            reports, _silent = await self._reports.ask(run.id, settle=settle)
            under_way = [record.encode() for each in reports for record in each.open]
            (fields,) = await self._redis.read(("HGETALL", self._keys.run(run.id)))
            if not fields:
                raise _closed(run)
            found = self._exchanges(run, fields, under_way, int(begun or 0))
            if found is not None:
                run = Run(run.id, run.case, offers=run.offers, exchanges=found)
                run.dropped = int(fields[b"dropped"])
                return run
        raise Unavailable(
            "a worker that was answering a request of this run died, or lost the Redis, before the "
            "request was in the journal",
            "play the case again, in a new run",
        )

    def _exchanges(
        self, run: Run, fields: dict[bytes, bytes], under_way: list[bytes], begun: int
    ) -> list[Exchange] | None:
        """The exchanges of a run, in order; None if one is neither written nor under way.

        Only the first ``begun`` are required: the others began after the workers were asked.
        """
        still_open = {each.n: each for each in self._read(under_way, run).values()}
        found: list[Exchange] = []
        for n in range(_MOST_EXCHANGES):
            record = fields.get(f"exchange:{n}".encode())
            if record is None:
                continue
            if not record.startswith(b"@"):
                found += self._read([record], run).values()
            elif n in still_open:
                found.append(still_open[n])
            elif n < begun:
                return None
        return found

    async def journal(self, most: int) -> JournalPage:
        self._check_lost()
        reports, silent = await self._reports.ask(most=most)
        ended, totals = await self._redis.read(
            ("ZREVRANGE", self._keys.journal, 0, most - 1), ("HGETALL", self._keys.totals)
        )
        under_way = [record.encode() for each in reports for record in each.open]
        found = self._read([*under_way, *ended]).values()
        newest = sorted(found, key=lambda each: -each.at)[:most]
        ended_in_all = sum(int(count) for name, count in totals.items() if name != b"bytes")
        last = ended_in_all + sum(each.opened for each in reports) - 1
        for back, exchange in enumerate(newest):
            exchange.n = last - back
        return JournalPage(newest, tuple(_notes(silent, sum(each.missing for each in reports))))

    def _read(self, records: Iterable[bytes], run: Run | None = None) -> dict[str, Exchange]:
        """The exchanges of records by key; those of a run get the plan of what was sent."""

        def plan_of(exchange: Exchange) -> Plan:
            assert run is not None
            assert exchange.turn is not None
            case, form = run.find_case(exchange.case), exchange.form
            return self._renderings.get(case, exchange.turn, exchange.attempt, form).plan

        try:
            return dict(from_record(record, plan_of if run else None) for record in records)
        except WrongRecord as error:
            raise Unavailable(
                f"the Redis that the workers share has a record that they did not write: {error}",
                "see who else writes to that Redis, and start the server again",
            ) from error


def _closed(run: Run) -> Refused:
    return Refused(404, f"the run {run.id[:80]!r} was closed while a request to it was answered")


def _notes(silent: int, missing: int) -> Iterator[str]:
    """What a reader of the journal has to know about requests that may be missing in it."""
    if silent:
        yield (
            f"{silent} of the workers so far did not reply: they died, or lost the Redis, and what "
            "they had not written yet is missing"
        )
    if missing:
        yield f"{missing} requests are missing, since the Redis could not be written to"
