"""``LocalStore``: the store of a server that has one process, in its memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mockserver.server.store.store import JournalPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockserver.server.journal import Exchange, Journal
    from mockserver.server.offers import Offer
    from mockserver.server.responses import Responses
    from mockserver.server.runs import Run, Runs
    from mockserver.server.store.store import Arrival


@dataclass(slots=True)
class LocalStore:
    """The open runs, the journal and the responses of this process."""

    open_runs: Runs
    exchanges: Journal
    responses: Responses

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def check(self) -> None:
        pass

    async def open_run(self, offers: tuple[Offer, ...], default: bool = False) -> Run:
        return self.open_runs.open(offers[0].case, offers=offers, default=default)

    def default_run(self) -> Run | None:
        return self.open_runs.default

    async def run(self, id_: str) -> Run | None:
        return self.open_runs.get(id_)

    async def runs(self, most: int) -> list[Run]:
        return list(islice(reversed(self.open_runs.all()), most))

    async def close_run(self, run: Run) -> None:
        self.open_runs.close(run.id)

    async def recorded(self, run: Run, settle: float = 0.0) -> Run:
        if settle and run.answering:
            await asyncio.wait(run.answering, timeout=settle)
        return run

    async def begin(self, arrival: Arrival, run: Run | None) -> Exchange:
        exchange = self.exchanges.open(arrival.at, arrival.method, arrival.path, arrival.headers)
        if run is not None:
            run.keep(exchange)
        return exchange

    async def join(self, exchange: Exchange, run: Run) -> None:
        run.keep(exchange)

    def end(self, exchange: Exchange, run: Run | None) -> None:
        self.exchanges.record_end(exchange)
        if run is not None:
            self.open_runs.record_end(run, exchange)

    async def attempt(self, run: Run, turn: int) -> int:
        run.answered[turn] += 1
        return run.answered[turn]

    async def remember(self, response: str, turn: int) -> None:
        self.responses.note(response, turn)

    async def continued(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        return self.responses.turn

    async def journal(self, most: int) -> JournalPage:
        return JournalPage(list(islice(reversed(list(self.exchanges)), most)))
