"""Runs: each plays one case at its own base URL, so that many can be open in parallel."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.cases.case import parse
from mockserver.foundation.faults import Problem, UserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mockserver.cases.case import Case
    from mockserver.server.journal import Exchange
    from mockserver.server.offers import Offer
    from mockserver.wire.playback import Gatekeeper


_TOKEN_BYTES = 9
_MAX_EXCHANGES = 64
_MAX_BYTES = 32 << 20


@dataclass(slots=True)
class Run:
    """A case at its own URL. The id is random, so only requests of this run can have it.

    With ``offers`` the request decides which case it gets, and in which dialect; ``case`` is that
    of the first. Without them every request gets ``case``. The ``default`` run gets the requests
    whose URL names no scenario and no run.
    ``before_another`` is awaited before a request that is not the first of the run is noted.
    ``dropped`` counts the requests whose exchanges are not kept here.
    """

    id: str
    case: Case
    gatekeeper: Gatekeeper | None = None
    offers: tuple[Offer, ...] = ()
    default: bool = False
    exchanges: list[Exchange] = field(default_factory=list)
    dropped: int = 0
    # The tasks that are answering its requests at the moment.
    answering: set[asyncio.Task[object]] = field(default_factory=set)
    weight: int = 0
    # The number of requests for each turn.
    answered: Counter[int] = field(default_factory=Counter)
    before_another: Callable[[], Awaitable[None]] | None = None

    @property
    def path(self) -> str:
        """The base URL's path; that of the default run is the server's own."""
        return "/v1" if self.default else f"/r/{self.id}/v1"

    def keep(self, exchange: Exchange) -> None:
        """Keep an exchange of this run; above a limit it is only counted."""
        if len(self.exchanges) < _MAX_EXCHANGES:
            self.exchanges.append(exchange)
        else:
            self.dropped += 1

    def record_end(self, exchange: Exchange) -> None:
        """Add the memory of an exchange that has ended to the run's, or drop the exchange.

        It is dropped, and counted as such, if the run would exceed its limit.
        """
        if exchange not in self.exchanges:
            return
        if self.weight + exchange.weight > _MAX_BYTES:
            self.exchanges.remove(exchange)
            self.dropped += 1
        else:
            self.weight += exchange.weight

    def find_case(self, id_: str) -> Case:
        """The case that was answered with, by its id: one of the offers in some dialect."""
        named = parse(id_) if self.offers and id_ else None
        for offer in self.offers if named else ():
            known = (offer.case.scenario.id, offer.case.variations)
            if named and known == (named.scenario, named.variations):
                return offer.in_dialect(named.dialect)
        return self.case

    def to_json(self, origin: str) -> dict[str, Any]:
        """The run as JSON data; ``origin`` is the server's URL without a path."""
        return {
            "id": self.id,
            "case": str(self.case),
            **self._several(),
            "base_url": origin + self.path,
            "requests": len(self.exchanges) + self.dropped,
        }

    def _several(self) -> dict[str, Any]:
        return {"cases": [each.to_json() for each in self.offers]} if len(self.offers) > 1 else {}


class Runs:
    """The open runs, bounded in number and in memory; above a limit the oldest is closed."""

    def __init__(self, most: int = 20_000, most_bytes: int = 256 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._open: OrderedDict[str, Run] = OrderedDict()
        self.default: Run | None = None

    def open(
        self,
        case: Case,
        gatekeeper: Gatekeeper | None = None,
        offers: tuple[Offer, ...] = (),
        default: bool = False,
    ) -> Run:
        """Open a run for a case, or for what is offered, at a new base URL.

        Raises UserError if it is to be the ``default`` and another one is.
        """
        if default and self.default:
            hint = "close it first: one run at a time has the server's own base URL"
            raise UserError(Problem(f"{self.default.case} is the default run", hint=hint))
        run = Run(secrets.token_urlsafe(_TOKEN_BYTES), case, gatekeeper, offers, default)
        self._open[run.id] = run
        if default:
            self.default = run
        if len(self._open) > self._most:
            self.close(next(iter(self._open)))
        return run

    def record_end(self, run: Run, exchange: Exchange) -> None:
        """Add the memory of an exchange of a run that has ended to that of all runs.

        Above the limit of all runs, the oldest are closed.
        """
        before = run.weight
        run.record_end(exchange)
        if self.get(run.id) is not run:
            return
        self._bytes += run.weight - before
        while self._bytes > self._most_bytes:
            self.close(next(iter(self._open)))

    def get(self, id_: str) -> Run | None:
        """The open run with this id, if there is one."""
        return self._open.get(id_)

    def close(self, id_: str) -> Run | None:
        """Close a run and return it; None if it is not open."""
        run = self._open.pop(id_, None)
        self._bytes -= run.weight if run else 0
        if run is self.default:
            self.default = None
        return run

    def all(self) -> list[Run]:
        """Every open run, oldest first."""
        return list(self._open.values())
