"""``State``: what the request handlers of one server share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from aiohttp import web

from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Renderings
from mockserver.server.journal import Exchange, Journal
from mockserver.server.repeated import Repeated
from mockserver.server.runs import Runs
from mockserver.server.store.store import LocalStore, Responses

if TYPE_CHECKING:
    from mockserver.server.store.store import Store


@dataclass(frozen=True, slots=True)
class State:
    """The catalogue, the renderings, the open runs and the journal of one server.

    ``among_workers`` is the store of a server with several workers, which have no runs, journal and
    responses of their own.
    """

    catalogue: Catalogue
    renderings: Renderings = field(default_factory=Renderings)
    runs: Runs = field(default_factory=Runs)
    journal: Journal = field(default_factory=Journal)
    responses: Responses = field(default_factory=Responses)
    repeated: Repeated = field(default_factory=Repeated)
    among_workers: Store | None = None

    @property
    def store(self) -> Store:
        """Where the request handlers look for runs, responses and the journal."""
        return self.among_workers or LocalStore(self.runs, self.journal, self.responses)


STATE = web.AppKey("state", State)

# The tasks that are answering upstream requests at the moment, stalled streams included.
ANSWERING = web.AppKey("answering", set[asyncio.Task[object]])


class Log(Protocol):
    """Where the requests to the upstream are logged."""

    def __call__(self, exchange: Exchange) -> None:
        """Log a request that has ended."""

    def write(self) -> None:
        """Write what waits to be written."""


# The key is absent without a log.
LOG: web.AppKey[Log] = web.AppKey("log")
