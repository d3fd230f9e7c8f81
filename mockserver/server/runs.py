"""Runs: each plays one case at a base URL of its own, so that thousands go on side by side."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mockserver.render import Case
    from mockserver.server.journal import Exchange

# Called on the server's loop when a playback reaches a checkpoint, with its name and the number of
# the thing sent last; the playback goes on when it returns.
Gatekeeper = Callable[[str, int], Awaitable[None]]

_TOKEN_BYTES = 9
_MOST_EXCHANGES = 64
_MOST_BYTES = 32 << 20


@dataclass(slots=True)
class Run:
    """One case at one URL. The id cannot be guessed, so a request that has it came from the run."""

    id: str
    case: Case
    gatekeeper: Gatekeeper | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    dropped: int = 0
    # The handlers that are answering its requests right now.
    answering: set[asyncio.Task[object]] = field(default_factory=set)
    weight: int = 0
    # How many requests each turn has answered.
    answered: Counter[int] = field(default_factory=Counter)

    @property
    def path(self) -> str:
        """The base URL's path."""
        return f"/r/{self.id}/v1"

    def keep(self, exchange: Exchange) -> None:
        """Note a request of this run; a flood of them is counted, not kept."""
        if len(self.exchanges) < _MOST_EXCHANGES:
            self.exchanges.append(exchange)
        else:
            self.dropped += 1

    def over(self, exchange: Exchange) -> None:
        """Weigh a request that has come to its end; one that is too much is only counted."""
        if exchange not in self.exchanges:
            return
        if self.weight + exchange.weight > _MOST_BYTES:
            self.exchanges.remove(exchange)
            self.dropped += 1
        else:
            self.weight += exchange.weight

    def to_json(self, origin: str) -> dict[str, Any]:
        """The run as plain data."""
        return {
            "id": self.id,
            "case": str(self.case),
            "base_url": origin + self.path,
            "requests": len(self.exchanges) + self.dropped,
        }


class Runs:
    """The open runs; where there are too many, or they hold too many bytes, the oldest goes."""

    def __init__(self, most: int = 20_000, most_bytes: int = 256 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._open: OrderedDict[str, Run] = OrderedDict()

    def open(self, case: Case, gatekeeper: Gatekeeper | None = None) -> Run:
        """Give a case a URL of its own."""
        run = Run(secrets.token_urlsafe(_TOKEN_BYTES), case, gatekeeper)
        self._open[run.id] = run
        if len(self._open) > self._most:
            self.close(next(iter(self._open)))
        return run

    def over(self, run: Run, exchange: Exchange) -> None:
        """Weigh a request of a run that has come to its end."""
        before = run.weight
        run.over(exchange)
        if self.get(run.id) is not run:
            return
        self._bytes += run.weight - before
        while self._bytes > self._most_bytes:
            self.close(next(iter(self._open)))

    def get(self, id_: str) -> Run | None:
        """The run with this id, while it is open."""
        return self._open.get(id_)

    def close(self, id_: str) -> Run | None:
        """Forget a run and hand back what it saw."""
        run = self._open.pop(id_, None)
        self._bytes -= run.weight if run else 0
        return run

    def all(self) -> list[Run]:
        """Every open run, oldest first."""
        return list(self._open.values())
