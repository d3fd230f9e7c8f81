"""What happened at the upstream: each request, what was sent for it and when, and who left.

Times are seconds on the server's monotonic clock; as JSON they count from the request's arrival.
Credentials never enter the journal. It is bounded in number and in bytes; a body is kept as the
bytes that came, since the values that JSON stands for may take many times as much.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mockserver.wire.slots import Values, decoded, fill, filled_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockserver.scenario.model import Answer
    from mockserver.wire.frames import Plan

REDACTED = "[redacted]"
_MOST_SHOWN = 2000
_SECRET_WORDS = ("auth", "key", "token", "cookie", "secret", "password", "credential")

# About what Python takes for an exchange that holds nothing, and for each of its writes.
_EMPTY = 2000
_A_WRITE = 150


def redacted(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Headers without what they keep secret; the scheme of an authorization stays readable."""
    return {name: _redact(name.lower(), value) for name, value in headers}


@lru_cache(maxsize=256)
def _is_secret(name: str) -> bool:
    return any(word in name for word in _SECRET_WORDS)


def _redact(name: str, value: str) -> str:
    if not _is_secret(name):
        return value
    scheme, space, _ = value.partition(" ")
    # A scheme is a word; a key that someone put in its place is not shown.
    has_scheme = space and scheme.isalpha() and name.endswith("authorization")
    return f"{scheme} {REDACTED}" if has_scheme else REDACTED


@dataclass(slots=True)
class Wrote:
    """One write: when it was made, how late, what it carried."""

    at: float
    late: float
    first: int
    last: int
    size: int


@dataclass(slots=True)
class Exchange:
    """One request and its answer: a ``plan`` that is played, or a plain ``answer``.

    ``attempt`` counts the requests that its turn has answered, this one included.
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
    why: str = ""
    attempt: int = 1
    status: int = 0
    problems: tuple[str, ...] = ()
    refused: str = ""
    plan: Plan | None = None
    answer: Answer | None = None
    values: Values = field(default_factory=dict)
    wrote: list[Wrote] = field(default_factory=list)
    left: tuple[float, str] | None = None
    after_left: int = 0
    ended: float | None = None

    @property
    def body(self) -> Any:
        """The JSON of the request's body, or the start of what is none; None until it was read."""
        text = None if self.received is None else self.received.decode("utf-8", "replace")
        return json.loads(text) if text is not None and self.is_json else text

    @property
    def weight(self) -> int:
        """About how many bytes it keeps, apart from the plan, which it shares with others."""
        texts = (self.path, self.refused, *self.headers, *self.headers.values(), *self.problems)
        data = (self.received or b"", *self.values.values())
        return _EMPTY + _A_WRITE * len(self.wrote) + sum(map(len, texts)) + sum(map(len, data))

    def events(self) -> Iterator[dict[str, Any]]:
        """What went over the wire, in order, with the moment of its write."""
        if self.plan is None:
            return
        named = decoded(self.values)
        for wrote in self.wrote:
            for sent in self.plan.sent[wrote.first : wrote.last + 1]:
                yield {
                    "n": sent.n,
                    "at": wrote.at - self.at,
                    "kind": sent.kind,
                    "type": sent.type,
                    "data": filled_with(sent.data, named) if sent.has_slots else sent.data,
                }

    def bodies(self) -> list[bytes] | None:
        """The body of the answer, write by write; None where it was neither played nor plain."""
        if self.answer is not None:
            return [self.answer.body]
        if self.plan is None:
            return None
        made = zip(self.plan.carried, self.wrote, strict=False)
        return [fill(write.pieces, self.values) for write, _wrote in made]

    def to_json(self) -> dict[str, Any]:
        """The exchange as plain data."""
        return {
            "n": self.n,
            "method": self.method,
            "path": self.path,
            "headers": self.headers,
            "body": self.body,
            "case": self.case,
            "turn": self.turn,
            "why": self.why,
            "attempt": self.attempt,
            "status": self.status,
            "answer": told(self.answer) if self.answer else None,
            "problems": list(self.problems),
            "refused": self.refused,
            "writes": [
                {
                    "at": round(wrote.at - self.at, 6),
                    "late": round(wrote.late, 6),
                    "first": wrote.first,
                    "last": wrote.last,
                    "bytes": wrote.size,
                }
                for wrote in self.wrote
            ],
            "late": round(max((wrote.late for wrote in self.wrote), default=0.0), 6),
            "left": {"at": round(self.left[0] - self.at, 6), "how": self.left[1]}
            if self.left
            else None,
            "after_left": self.after_left,
            "ended": round(self.ended - self.at, 6) if self.ended is not None else None,
        }


def told(answer: Answer) -> dict[str, Any]:
    """The headers of a plain answer, and its body as text, cut to a length that can be read."""
    text = answer.body.decode("utf-8", "replace")
    cut = text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
    return {"headers": dict(answer.headers), "body": cut}


class Journal:
    """The newest exchanges: at most so many, and those that are over hold at most so many bytes."""

    def __init__(self, most: int = 1000, most_bytes: int = 64 << 20) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: deque[Exchange] = deque()
        self._weights: dict[int, int] = {}
        self._bytes = 0
        self._count = 0

    def open(self, at: float, method: str, path: str, headers: dict[str, str]) -> Exchange:
        """Begin an entry."""
        exchange = Exchange(self._count, at, method, path, headers)
        self._count += 1
        self._kept.append(exchange)
        if len(self._kept) > self._most:
            self._drop_oldest()
        return exchange

    def over(self, exchange: Exchange) -> None:
        """Weigh an exchange that has come to its end, and drop old ones where it is too much."""
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
