"""``UnsharedStore``: the store of one of several workers that share nothing.

A run's id carries its case, so that runs are played. What depends on requests that another worker
may have answered is refused, even if this worker happens to know it: an answer must not depend on
which worker gets a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mockserver.server.journal import Exchange
from mockserver.server.runs import Run
from mockserver.server.store.store import NotShared

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockserver.server.offers import Offer
    from mockserver.server.store.run_ids import RunIds
    from mockserver.server.store.store import Arrival, JournalPage


class UnsharedStore:
    """Plays runs, and refuses what is not known to every worker."""

    def __init__(self, ids: RunIds) -> None:
        self._ids = ids

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def check(self) -> None:
        pass

    async def open_run(self, offers: tuple[Offer, ...], default: bool = False) -> Run:
        for case in (offer.case for offer in offers):
            if any(len(turn.attempts) > 1 for turn in case.scenario.turns):
                why = f"{case} answers retries differently, so that they have to be counted"
                raise NotShared(why)
        return Run(self._ids.new(offers, default), offers[0].case, offers=offers)

    def default_run(self) -> Run | None:
        return None

    async def run(self, id_: str) -> Run | None:
        offers = self._ids.offers(id_)
        return None if offers is None else Run(id_, offers[0].case, offers=offers)

    async def runs(self, most: int) -> list[Run]:  # noqa: ARG002
        raise NotShared("the list of runs would be that of one worker")

    async def close_run(self, run: Run) -> None:  # noqa: ARG002
        raise NotShared("a run would be closed for one worker")

    async def recorded(self, run: Run, settle: float = 0.0) -> Run:  # noqa: ARG002
        raise NotShared("the requests of a run would be those of one worker")

    async def begin(self, arrival: Arrival, run: Run | None) -> Exchange:  # noqa: ARG002
        return Exchange(0, arrival.at, arrival.method, arrival.path, arrival.headers)

    async def join(self, exchange: Exchange, run: Run) -> None:
        pass

    def end(self, exchange: Exchange, run: Run | None) -> None:
        pass

    async def attempt(self, run: Run, turn: int) -> int:  # noqa: ARG002
        return 1

    async def remember(self, response: str, turn: int) -> None:
        pass

    async def continued(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        return _refuse_to_continue

    async def journal(self, most: int) -> JournalPage:  # noqa: ARG002
        raise NotShared("the journal would be that of one worker")


def _refuse_to_continue(response: str) -> NoReturn:
    raise NotShared(
        f"the request continues the response {response[:80]!r}, which any worker may have given"
    )
