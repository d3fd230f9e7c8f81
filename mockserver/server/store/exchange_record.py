"""Exchanges as JSON, for the journal that workers share.

What a stream sent is not in a record: it is rendered again, from case, turn and attempt. A record
comes back from outside of the process, so it is read strictly.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any

from mockserver.scenario.script import Answer
from mockserver.server.journal import Exchange
from mockserver.wire.frames import Plan
from mockserver.wire.playback import WriteRecord

_ENCODER = json.JSONEncoder(separators=(",", ":"))
_write_values = attrgetter(*(field.name for field in fields(WriteRecord)))
_SAME = (
    "at", "method", "path", "headers", "is_json", "case", "turn", "turns", "why", "attempt",
    "form",
)  # fmt: skip
_SAME_AT_THE_END = ("status", "refused", "after_left", "ended")


class WrongRecord(ValueError):
    """A record that is not one of ours."""


def to_record(exchange: Exchange, key: str) -> bytes:
    """The record of an exchange; ``key`` distinguishes it from all others."""
    answer = exchange.answer
    record: dict[str, Any] = {"key": key, "n": exchange.n}
    record |= {name: getattr(exchange, name) for name in (*_SAME, *_SAME_AT_THE_END)}
    record |= {
        "received": None if exchange.received is None else _text(exchange.received),
        "problems": exchange.problems,
        "streams": exchange.plan is not None,
        "answer": answer and [answer.status, dict(answer.headers), _text(answer.body)],
        # JSON, which is text.
        "values": {name: value.decode() for name, value in exchange.values.items()},
        "writes": [_write_values(write) for write in exchange.writes],
        "left": exchange.left,
    }
    return _ENCODER.encode(record).encode()


def record_key(record: bytes) -> str:
    """The key in a record. Raises WrongRecord."""
    return str(_parsed(record)["key"])


def from_record(record: bytes, plan_of: Callable[[Exchange], Plan] | None = None) -> Exchange:
    """The exchange of a record; without ``plan_of``, which renders what it sent, it has no plan.

    Raises WrongRecord.
    """
    value = _parsed(record)
    try:
        answer = value["answer"]
        exchange = Exchange(
            n=value["n"],
            **{name: value[name] for name in (*_SAME, *_SAME_AT_THE_END)},
            received=None if value["received"] is None else b64decode(value["received"]),
            problems=tuple(value["problems"]),
            answer=answer and Answer(answer[0], answer[1], b64decode(answer[2])),
            values={name: text.encode() for name, text in value["values"].items()},
            writes=[WriteRecord(*write) for write in value["writes"]],
            left=value["left"] and (value["left"][0], value["left"][1]),
        )
        streams = bool(value["streams"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise WrongRecord(str(error)) from error
    if streams and plan_of is not None:
        exchange.plan = plan_of(exchange)
    return exchange


def _parsed(record: bytes) -> dict[str, Any]:
    try:
        value = json.loads(record)
    except (ValueError, RecursionError) as error:
        raise WrongRecord("it is not JSON") from error
    if not isinstance(value, dict) or "key" not in value:
        raise WrongRecord("it is not an exchange")
    return value


def _text(data: bytes) -> str:
    return b64encode(data).decode()
