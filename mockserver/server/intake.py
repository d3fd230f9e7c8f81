"""Reading a JSON body from a client that may send anything."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NoReturn

from aiohttp import web

from mockserver.server.refused import Refused

if TYPE_CHECKING:
    from mockserver.journal import Exchange

MOST_BYTES = 16 << 20
KEPT_BYTES = 1 << 20
MOST_DEPTH = 100

_SHOWN = 2000


async def received(request: web.Request, most: int = MOST_BYTES) -> bytes:
    """The body. Raises Refused (413) where it is larger than allowed."""
    if (request.content_length or 0) > most:
        raise _too_large(most)
    try:
        data = await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise _too_large(MOST_BYTES) from None
    except web.RequestPayloadError as error:
        raise Refused(400, f"the request body cannot be read: {error}") from None
    if len(data) > most:
        raise _too_large(most)
    return data


def _too_large(most: int) -> Refused:
    return Refused(413, f"the request body is too large: {most:,} bytes are allowed")


def decoded(data: bytes) -> Any:
    """The JSON value of a body (RFC 8259: UTF-8, finite numbers). Raises Refused (400)."""
    try:
        value = json.loads(
            data.decode("utf-8"), parse_constant=_no_number, parse_float=_finite_float
        )
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise Refused(400, f"the request body is not JSON: {error}") from None
    if _deeper(value, MOST_DEPTH):
        raise _too_deep()
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _finite_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} does not fit a number")
    return number


def _too_deep() -> Refused:
    return Refused(400, f"the request body is nested deeper than {MOST_DEPTH} levels")


def _deeper(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def keep(exchange: Exchange, data: bytes, *, is_json: bool = False) -> None:
    """Note a body in the journal: its JSON, or the start of what is none, or only its size."""
    exchange.is_json = is_json and len(data) <= KEPT_BYTES
    if len(data) > KEPT_BYTES:
        exchange.received = f"[{len(data):,} bytes, more than the journal keeps]".encode()
    else:
        exchange.received = data if is_json else data[:_SHOWN]
