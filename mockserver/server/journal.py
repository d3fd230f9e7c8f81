"""The journal of the upstream: each request, what was sent for it and when, and how it ended.

Times are seconds of the server's monotonic clock; in JSON they count from the request's arrival.
Credentials are removed. The journal is bounded in number and in bytes; a body is kept as the bytes
received, since the parsed JSON may take many times the memory. The log has a line for each request.
"""

import asyncio
import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import click

from mockserver.foundation.visible import visible
from mockserver.scenario.script import Answer
from mockserver.wire.frames import Plan
from mockserver.wire.playback import WriteRecord
from mockserver.wire.slots import Values, decode_values, fill, fill_json_with

REDACTED = "[redacted]"
_MAX_SHOWN = 2000
_SECRET_WORDS = ("auth", "key", "token", "cookie", "secret", "password", "credential")

# The fields of an exchange that are the same in JSON.
_AS_THEY_ARE = (
    "n", "method", "path", "headers", "body", "case", "turn", "why", "attempt", "status", "refused",
    "after_left",
)  # fmt: skip

# The approximate memory of an empty exchange and of each write record, in bytes.
_EMPTY_SIZE = 2000
_WRITE_SIZE = 150

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


def redact_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers with secret values replaced; the scheme of an authorization header is kept."""
    return {name: _redact(name, value) if _is_secret(name) else value for name, value in headers}


@lru_cache(maxsize=256)
def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET_WORDS)


def _redact(name: str, value: str) -> str:
    scheme, space, _ = value.partition(" ")
    # A scheme consists of letters; anything else there may be a key, which is not shown.
    has_scheme = space and scheme.isalpha() and name.lower().endswith("authorization")
    return f"{scheme} {REDACTED}" if has_scheme else REDACTED


@dataclass(slots=True)
class Exchange:
    """A request and its answer: either the ``plan`` of a stream or a plain ``answer``.

    ``turns`` is how many turns the case has, ``why`` the reason for the chosen case and turn;
    ``attempt`` counts the requests for its turn, including this one; ``form`` is the dialect's form
    that the request has chosen. ``problems`` are the mistakes in the request, and ``refused`` the
    message of an error response. ``left`` is when and how the client disconnected, if it did, and
    ``after_left`` the number of bytes that could not be sent then.
    """

    n: int
    at: float
    method: str
    path: str
    headers: dict[str, str]
    received: bytes | None = None
    is_json: bool = False
    case: str = ""
    turn: int | None = None
    turns: int = 1
    why: str = ""
    attempt: int = 1
    form: str | None = None
    status: int = 0
    problems: tuple[str, ...] = ()
    refused: str = ""
    plan: Plan | None = None
    answer: Answer | None = None
    values: Values = field(default_factory=dict)
    writes: list[WriteRecord] = field(default_factory=list)
    left: tuple[float, str] | None = None
    after_left: int = 0
    ended: float | None = None

    @property
    def body(self) -> Any:
        """The request's body: its JSON value, or text if it is not JSON; None until it was read."""
        text = None if self.received is None else self.received.decode("utf-8", "replace")
        return json.loads(text) if text is not None and self.is_json else text

    @property
    def weight(self) -> int:
        """The approximate memory of the exchange in bytes, without its plan, which is shared."""
        several = (self.headers, self.headers.values(), self.problems, self.values.values())
        return (
            _EMPTY_SIZE
            + _WRITE_SIZE * len(self.writes)
            + len(self.path)
            + len(self.refused)
            + len(self.received or b"")
            + sum([sum(map(len, each)) for each in several])
        )

    def events(self) -> Iterator[dict[str, Any]]:
        """The items that were sent, in order, each with the time of its write."""
        if self.plan is None:
            return
        named = decode_values(self.values)
        for write in self.writes:
            for sent in self.plan.sent[write.first : write.last + 1]:
                yield {
                    "n": sent.n,
                    "at": write.at - self.at,
                    "kind": sent.kind,
                    "type": sent.type,
                    "data": fill_json_with(sent.data, named) if sent.has_slots else sent.data,
                }

    def bodies(self) -> list[bytes] | None:
        """The bytes of the answer, one entry per write; None if the request was refused."""
        if self.answer is not None:
            return [self.answer.body]
        if self.plan is None:
            return None
        made = zip(self.plan.filled(self.values).byte_writes, self.writes, strict=False)
        return [fill(write.pieces, self.values) for write, _ in made]

    def to_json(self) -> dict[str, Any]:
        """The exchange as JSON data, with times relative to the request's arrival."""
        left = self.left and {"at": round(self.left[0] - self.at, 6), "how": self.left[1]}
        return {
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            "answer": answer_to_json(self.answer) if self.answer else None,
            "problems": list(self.problems),
            "writes": [
                {
                    "at": round(write.at - self.at, 6),
                    "late": round(write.late, 6),
                    "first": write.first,
                    "last": write.last,
                    "bytes": write.size,
                }
                for write in self.writes
            ],
            "late": round(max((write.late for write in self.writes), default=0.0), 6),
            "left": left,
            "ended": round(self.ended - self.at, 6) if self.ended is not None else None,
        }


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """The headers of a plain answer and its body as text, shortened for display."""
    text = answer.body.decode("utf-8", "replace")
    cut = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
    return {"headers": dict(answer.headers), "body": cut}


class Journal:
    """The newest exchanges, bounded in number, and in memory for those that have ended."""

    def __init__(self, most: int = 1000, most_bytes: int = 64 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: deque[Exchange] = deque()
        self._weights: dict[int, int] = {}
        self._bytes = 0
        self._count = 0

    def add(self, exchange: Exchange) -> Exchange:
        """Number and keep the exchange of a new request; returns it."""
        exchange.n = self._count
        self._count += 1
        self._kept.append(exchange)
        if len(self._kept) > self._most:
            self._drop_oldest()
        return exchange

    def record_end(self, exchange: Exchange) -> None:
        """Count the memory of an exchange that has ended; drop the oldest ones above the limit."""
        if not self._kept or exchange.n < self._kept[0].n:
            return
        weight = self._weights[exchange.n] = exchange.weight
        self._bytes += weight
        while self._bytes > self._most_bytes:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        self._bytes -= self._weights.pop(self._kept.popleft().n, 0)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(tuple(self._kept))


class RequestLog:
    """Writes lines to stderr, some at a time, so that many streams at once are not held up.

    Of a moment with many requests, only the first are logged; the journal has all. ``verbose`` adds
    the reason for each choice, mistakes in requests, and late events.
    """

    def __init__(self, verbose: bool = False) -> None:
        self._verbose = verbose
        self._coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        self._waiting: list[str] = []
        self._more = 0

    def __call__(self, exchange: Exchange) -> None:
        """Log a request that has ended. Called in the server's event loop."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(_EVERY_SECONDS, self.write)
        if len(self._waiting) < _MOST_LINES:
            moment, coloured = time.strftime("%H:%M:%S"), self._coloured
            self._waiting += describe_exchange(exchange, moment, self._verbose, coloured=coloured)
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
