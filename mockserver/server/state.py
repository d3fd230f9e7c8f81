"""``State``: what the request handlers of one server share, with the choices that it remembers.

Load tests ask for the same answer thousands of times, so what was chosen and rendered for a request
is remembered. Only requests outside of runs are, and only if nothing but the request and the
scenario's file decides on the answer: a request that goes on from an earlier response depends on
that one, too.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from aiohttp import web

from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Rendered, Renderings
from mockserver.server.address import Address
from mockserver.server.choice import Choice
from mockserver.server.journal import Exchange, Journal
from mockserver.server.request_body import Parsed
from mockserver.server.runs import Runs
from mockserver.server.store.store import LocalStore, Responses, Store
from mockserver.wire.frames import Write
from mockserver.wire.slots import Values, fill_some

_MAX_PREFILLED = 64 << 10


class Asked(NamedTuple):
    """What decides on an answer: the address, the parsed request, and the headers that count."""

    address: Address
    parsed: Parsed
    scenario: str
    retries: str

    @property
    def key(self) -> tuple[int, int, str, str]:
        """Equal for equal requests, since the same bytes are parsed once to the same objects."""
        return id(self.address), id(self.parsed), self.scenario, self.retries


class Chosen(NamedTuple):
    """A choice, the attempt at its turn that a request is, and the turn as rendered for it.

    ``case`` is the id of its case, and ``why`` the reason as the journal has it.
    """

    choice: Choice
    attempt: int
    rendered: Rendered
    case: str
    why: str


class ChoiceCache:
    """The newest choices, by the requests that they answered; bounded in number."""

    def __init__(self, most: int = 256) -> None:
        self._most = most
        # With what was asked, so that no other object gets the identity of its parts.
        self._kept: OrderedDict[tuple[int, int, str, str], tuple[Asked, Chosen]] = OrderedDict()

    def get(self, asked: Asked) -> Chosen | None:
        """What was chosen for such a request; None if it is not known."""
        known = self._kept.get(asked.key)
        return known[1] if known else None

    def keep(self, asked: Asked, chosen: Chosen) -> None:
        """Remember a choice, with the values that the answer repeats of its request filled in."""
        prefilled = chosen._replace(rendered=_prefill(chosen.rendered, asked.parsed.echo))
        self._kept[asked.key] = asked, prefilled
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _prefill(rendered: Rendered, echo: Values) -> Rendered:
    plan = rendered.plan
    if plan.size > _MAX_PREFILLED:
        return rendered
    writes = tuple(
        replace(step, pieces=fill_some(step.pieces, echo)) if isinstance(step, Write) else step
        for step in plan.writes
    )
    return replace(rendered, plan=replace(plan, writes=writes))


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
    choices: ChoiceCache = field(default_factory=ChoiceCache)
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
