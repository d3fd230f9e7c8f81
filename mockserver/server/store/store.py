"""``Store``: the questions of the request handlers that another worker may have to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockserver.server.journal import Exchange
    from mockserver.server.offers import Offer
    from mockserver.server.runs import Run


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
        """Connect to what the workers share. Raises nothing: a lost store is told by the others."""

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

    async def recorded(self, run: Run, settle: float = 0.0) -> Run:
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

    async def continued(self, response: str) -> Callable[[str], int | None]:
        """A function from the id of the response that a request continues to its turn, or None."""
        ...

    async def journal(self, most: int) -> JournalPage:
        """The newest requests of all workers."""
        ...


class Unavailable(Refused):
    """The Redis that the workers share cannot be used: 503."""

    culprit = "the shared Redis"

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(503, message)
        self.hint = hint


class NotShared(Refused):
    """A question that one of several workers cannot answer alone: 501."""

    culprit = "the command"
    hint = "start the server with --shared redis://HOST:PORT, or with one worker"

    def __init__(self, what: str) -> None:
        super().__init__(501, f"{what}, and the workers of this server share nothing")
