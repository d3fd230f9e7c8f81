"""``State``: what the request handlers of one server share, with the store of what it keeps.

``LocalStore`` is that of a server of one process. ``Store`` itself is that of one of several
workers that share nothing: a run's id carries its case, so runs are played, and what depends on
requests that another worker may have answered is refused, even if this worker happens to know it.
An answer must not depend on which worker gets a request.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import NoReturn

from aiohttp import web

from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Renderings
from mockserver.server.answers import NotShared
from mockserver.server.choice import ChoiceCache
from mockserver.server.journal import Exchange, Journal, RequestLog
from mockserver.server.run_ids import RunIds
from mockserver.server.runs import Offer, Run, Runs

_MAX_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class JournalPage:
    """The newest exchanges, newest first, and what a reader has to know about missing ones."""

    exchanges: list[Exchange]
    notes: tuple[str, ...] = ()


class Store:
    """Runs, attempts, responses and the journal of a server, however many workers it has.

    Each method may raise Unavailable or NotShared, which are answered to the client.
    """

    def __init__(self, ids: RunIds) -> None:
        self._ids = ids

    async def start(self) -> None:
        """Connect to what the workers share. Never raises: other methods report a lost store."""

    async def stop(self) -> None:
        """Write what is left to be written, and disconnect."""

    async def check(self) -> None:
        """Check that the store can be used."""

    async def open_run(self, offers: tuple[Offer, ...], default: bool = False) -> Run:
        """Open a run for what is offered, at a new base URL, or at the server's own if ``default``.

        Raises UserError if the server cannot.
        """
        for case in (offer.case for offer in offers):
            if any(len(turn.attempts) > 1 for turn in case.scenario.turns):
                why = f"{case} answers retries differently, so that they have to be counted"
                raise NotShared(why)
        return Run(self._ids.new(offers, default), offers[0].case, offers=offers)

    def default_run(self) -> Run | None:
        """The open run that has the server's own base URL, if there is one."""
        return None

    async def run(self, id_: str) -> Run | None:
        """The open run with this id, if there is one."""
        offers = self._ids.offers(id_)
        return None if offers is None else Run(id_, offers[0].case, offers=offers)

    async def runs(self, most: int) -> list[Run]:  # noqa: ARG002
        """The open runs, newest first."""
        raise NotShared("the list of runs would be that of one worker")

    async def close_run(self, run: Run) -> None:  # noqa: ARG002
        """Close a run."""
        raise NotShared("a run would be closed for one worker")

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:  # noqa: ARG002
        """The run with all its exchanges.

        Before they are read, the answers that are under way get ``settle`` seconds to end.
        """
        raise NotShared("the requests of a run would be those of one worker")

    async def begin(self, exchange: Exchange, run: Run | None) -> None:
        """Note a request in the journal, which numbers it, and in its run if it has one."""

    async def join(self, exchange: Exchange, run: Run) -> None:
        """Note a request, which began without a run, in its run."""

    def end(self, exchange: Exchange, run: Run | None) -> None:
        """Note that an exchange has ended."""

    async def attempt(self, run: Run, turn: int) -> int:  # noqa: ARG002
        """Count a request for a turn of a run. Returns its number, from 1."""
        return 1

    async def remember(self, response: str, turn: int) -> None:
        """Remember that the response with this id is for this turn."""

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        """A function from the id of the response that a request continues to its turn, or None."""
        return _refuse_to_continue

    async def journal(self, most: int) -> JournalPage:  # noqa: ARG002
        """The newest requests of all workers."""
        raise NotShared("the journal would be that of one worker")


def _refuse_to_continue(response: str) -> NoReturn:
    raise NotShared(
        f"the request continues the response {response[:80]!r}, which any worker may have given"
    )


class LocalStore(Store):
    """The open runs and the journal of this process, and the turns of its newest responses."""

    def __init__(self) -> None:
        self.open_runs = Runs()
        self.exchanges = Journal()
        self._turns: OrderedDict[str, int] = OrderedDict()

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

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:
        if settle and run.answering:
            await asyncio.wait(run.answering, timeout=settle)
        return run

    async def begin(self, exchange: Exchange, run: Run | None) -> None:
        self.exchanges.add(exchange)
        if run is not None:
            run.keep(exchange)

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
        self._turns[response] = turn
        if len(self._turns) > _MAX_REMEMBERED:
            self._turns.popitem(last=False)

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        return self._turns.get

    async def journal(self, most: int) -> JournalPage:
        return JournalPage(list(islice(reversed(list(self.exchanges)), most)))


@dataclass(frozen=True, slots=True)
class State:
    """The catalogue, the renderings, the choices and the store of one server.

    ``among_workers`` is the store of a server with several workers, which is used in place of
    ``local``.
    """

    catalogue: Catalogue
    renderings: Renderings = field(default_factory=Renderings)
    local: LocalStore = field(default_factory=LocalStore)
    choices: ChoiceCache = field(default_factory=ChoiceCache)
    among_workers: Store | None = None

    @property
    def store(self) -> Store:
        """Where the request handlers look for runs, responses and the journal."""
        return self.among_workers or self.local


STATE = web.AppKey("state", State)

# The tasks that are answering upstream requests at the moment, stalled streams included.
ANSWERING = web.AppKey("answering", set[asyncio.Task[object]])

# Called with every request to the upstream that has ended. The key is absent without a log.
LOG = web.AppKey("log", RequestLog)
