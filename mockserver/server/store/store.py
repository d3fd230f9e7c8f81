"""``Store``: the questions of the request handlers that another worker may have to answer.

``LocalStore`` answers them for a server of one process, from its memory. ``UnsharedStore`` is that
of one of several workers that share nothing: a run's id carries its case, so runs are played, and
what depends on requests that another worker may have answered is refused, even if this worker
happens to know it. An answer must not depend on which worker gets a request.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, NoReturn, Protocol

from mockserver.server.journal import Exchange, Journal
from mockserver.server.refusals import NotShared
from mockserver.server.runs import Offer, Run, Runs
from mockserver.server.store.run_ids import RunIds

_MAX_REMEMBERED = 10_000


class Arrival(NamedTuple):
    """A request before its body is read: when it came, and its head without credentials."""

    at: float
    method: str
    path: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class JournalPage:
    """The newest exchanges, newest first, and what a reader has to know about missing ones."""

    exchanges: list[Exchange]
    notes: tuple[str, ...] = ()


class Store(Protocol):
    """Runs, attempts, responses and the journal of a server, however many workers it has.

    Each method may raise Unavailable or NotShared, which are answered to the client.
    """

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
        ...

    def default_run(self) -> Run | None:
        """The open run that has the server's own base URL, if there is one."""
        ...

    async def run(self, id_: str) -> Run | None:
        """The open run with this id, if there is one."""
        ...

    async def runs(self, most: int) -> list[Run]:
        """The open runs, newest first."""
        ...

    async def close_run(self, run: Run) -> None:
        """Close a run."""

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:
        """The run with all its exchanges.

        Before they are read, the answers that are under way get ``settle`` seconds to end.
        """
        ...

    async def begin(self, arrival: Arrival, run: Run | None) -> Exchange:
        """Note a request in the journal, and in its run if it has one."""
        ...

    async def join(self, exchange: Exchange, run: Run) -> None:
        """Note a request, which began without a run, in its run."""

    def end(self, exchange: Exchange, run: Run | None) -> None:
        """Note that an exchange has ended."""

    async def attempt(self, run: Run, turn: int) -> int:
        """Count a request for a turn of a run. Returns its number, from 1."""
        ...

    async def remember(self, response: str, turn: int) -> None:
        """Remember that the response with this id is for this turn."""

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:
        """A function from the id of the response that a request continues to its turn, or None."""
        ...

    async def journal(self, most: int) -> JournalPage:
        """The newest requests of all workers."""
        ...


class Responses:
    """The turn of each response by its id; the oldest are forgotten."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, int] = OrderedDict()

    def note(self, id_: str, turn: int) -> None:
        """Remember that the response with this id is for this turn."""
        self._turns[id_] = turn
        if len(self._turns) > _MAX_REMEMBERED:
            self._turns.popitem(last=False)

    def turn(self, id_: str) -> int | None:
        """The turn of the response with this id; None if it is not known."""
        return self._turns.get(id_)


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

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:
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

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        return self.responses.turn

    async def journal(self, most: int) -> JournalPage:
        return JournalPage(list(islice(reversed(list(self.exchanges)), most)))


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

    async def load_exchanges(self, run: Run, settle: float = 0.0) -> Run:  # noqa: ARG002
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

    async def turn_lookup(self, response: str) -> Callable[[str], int | None]:  # noqa: ARG002
        return _refuse_to_continue

    async def journal(self, most: int) -> JournalPage:  # noqa: ARG002
        raise NotShared("the journal would be that of one worker")


def _refuse_to_continue(response: str) -> NoReturn:
    raise NotShared(
        f"the request continues the response {response[:80]!r}, which any worker may have given"
    )
