"""The server's log: a line for each request, with what answered it and how that ended."""

import asyncio
import os
import sys
import time
from collections.abc import Iterator

import click

from mockserver.foundation.visible import visible
from mockserver.server.journal import Exchange

_EVERY_SECONDS = 0.1
_MOST_LINES = 100
_LATE_SECONDS = 0.1
_CASE_WIDTH = 48
_FIRST_ERROR = 400
_ENDS = {
    "clean": "complete",
    "cut": "cut off",
    "reset": "reset",
    "half-close": "half closed",
    "stall": "stalled",
}


class RequestLog:
    """Writes lines to stderr, some at a time, so that many streams at once are not held up.

    Of a moment with many requests, only the first are logged; the journal has all.
    """

    def __init__(self, verbose: bool = False) -> None:
        """``verbose`` adds the reason for each choice, mistakes in requests, and late events."""
        self._verbose = verbose
        self._coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        self._waiting: list[str] = []
        self._more = 0

    def __call__(self, exchange: Exchange) -> None:
        """Log a request that has ended. Called in the server's event loop."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(_EVERY_SECONDS, self.write)
        if len(self._waiting) < _MOST_LINES:
            moment = time.strftime("%H:%M:%S")
            self._waiting += describe_exchange(
                exchange, moment, self._verbose, coloured=self._coloured
            )
        else:
            self._more += 1

    def write(self) -> None:
        """Write what is waiting."""
        lines, self._waiting = self._waiting, []
        more, self._more = self._more, 0
        if more:
            lines.append(f"… and {more:,} more requests, which the journal has")
        if lines:
            click.echo("\n".join(lines), err=True)


def describe_exchange(
    exchange: Exchange, moment: str, verbose: bool, *, coloured: bool = False
) -> Iterator[str]:
    """The lines about a request that ended at a ``moment``, such as ``17:30:00``.

    They are safe to print, whatever the request says.
    """
    case = exchange.case or f"{exchange.method} {exchange.path}"
    several = exchange.turns > 1 and exchange.turn is not None
    turn = f" turn {exchange.turn}" if several else ""
    status = str(exchange.status or "---")
    if coloured:
        status = click.style(status, fg=_colour(exchange))
    again = f"attempt {exchange.attempt}, " if exchange.attempt > 1 else ""
    what = visible(f"{case}{turn}").ljust(_CASE_WIDTH)
    yield f"{moment}  {status}  {what}  {again}{visible(_describe_end(exchange))}"
    if verbose:
        yield from (f"{' ' * len(moment)}  {visible(line)}" for line in _list_details(exchange))


def _colour(exchange: Exchange) -> str:
    """Green for an answer as usual, yellow for one that is cut off or left, red for an error."""
    if not exchange.status or exchange.status >= _FIRST_ERROR:
        return "red"
    plan = exchange.plan
    return "yellow" if exchange.left or (plan and plan.close != "clean") else "green"


def _describe_end(exchange: Exchange) -> str:
    """How the answer ended, in words."""
    if exchange.refused:
        return exchange.refused.splitlines()[0]
    if exchange.plan is None:
        return "a plain answer"
    events = exchange.writes[-1].last + 1 if exchange.writes else 0
    sent = "1 event" if events == 1 else f"{events} events"
    if exchange.left:
        return f"{sent}; the client {exchange.left[1]}"
    if events < len(exchange.plan.sent):
        return f"{sent}; the server was stopped"
    return f"{sent}, {_ENDS[exchange.plan.close]}"


def _list_details(exchange: Exchange) -> Iterator[str]:
    if exchange.case:
        yield f"{exchange.method} {exchange.path}"
    yield from filter(None, (exchange.why, *exchange.problems))
    yield from (line.strip() for line in exchange.refused.splitlines()[1:])
    late = max((write.late for write in exchange.writes), default=0.0)
    if late > _LATE_SECONDS:
        yield f"events were up to {late:.1f} s late: the server or the reader was busy"
