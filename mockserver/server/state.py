"""What the handlers of one server share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from mockserver.render import Renderings
from mockserver.scenario.catalogue import Catalogue
from mockserver.server.journal import Journal
from mockserver.server.responses import Responses
from mockserver.server.runs import Runs

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Run


@dataclass(frozen=True, slots=True)
class State:
    """What is played, what is open and what happened."""

    catalogue: Catalogue
    renderings: Renderings = field(default_factory=Renderings)
    runs: Runs = field(default_factory=Runs)
    journal: Journal = field(default_factory=Journal)
    responses: Responses = field(default_factory=Responses)

    def over(self, exchange: Exchange, run: Run | None) -> None:
        """An exchange has come to its end, so that it is known how much it holds."""
        self.journal.over(exchange)
        if run is not None:
            self.runs.over(run, exchange)


STATE = web.AppKey("state", State)

# The handlers that are answering an upstream request right now; a stalled stream is one of them.
ANSWERING = web.AppKey("answering", set[asyncio.Task[object]])
