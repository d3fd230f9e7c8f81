"""What the handlers of one server share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from aiohttp import web

from mockserver.journal import Journal
from mockserver.render import Renderings
from mockserver.runs import Runs
from mockserver.scenario.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class State:
    """What is played, what is open and what happened."""

    catalogue: Catalogue
    renderings: Renderings = field(default_factory=Renderings)
    runs: Runs = field(default_factory=Runs)
    journal: Journal = field(default_factory=Journal)


STATE = web.AppKey("state", State)

# The handlers that are answering an upstream request right now; a stalled stream is one of them.
ANSWERING = web.AppKey("answering", set[asyncio.Task[object]])
