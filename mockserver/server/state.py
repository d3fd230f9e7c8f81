"""``State``: what the request handlers of one server share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from mockserver.render import Renderings
from mockserver.scenario.catalogue import Catalogue
from mockserver.server.journal import Journal
from mockserver.server.repeated import Repeated
from mockserver.server.responses import Responses
from mockserver.server.runs import Runs

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Run


@dataclass(frozen=True, slots=True)
class State:
    """What the handlers share: catalogue, renderings, runs, journal, and what is repeated."""

    catalogue: Catalogue
    renderings: Renderings = field(default_factory=Renderings)
    runs: Runs = field(default_factory=Runs)
    journal: Journal = field(default_factory=Journal)
    responses: Responses = field(default_factory=Responses)
    repeated: Repeated = field(default_factory=Repeated)

    def record_end(self, exchange: Exchange, run: Run | None) -> None:
        """Count the memory of an exchange that has ended, in the journal and in its run."""
        self.journal.record_end(exchange)
        if run is not None:
            self.runs.record_end(run, exchange)


STATE = web.AppKey("state", State)

# The tasks that are answering upstream requests at the moment, stalled streams included.
ANSWERING = web.AppKey("answering", set[asyncio.Task[object]])
