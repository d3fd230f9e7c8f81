"""Reading a JSON body from a client that may send anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.json_text import TooDeep, parsed
from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange

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
        return parsed(data.decode("utf-8"), MOST_DEPTH)
    except TooDeep as error:
        raise Refused(400, f"the request body is {error}") from None
    except ValueError as error:
        raise Refused(400, f"the request body is not JSON: {error}") from None


def keep(exchange: Exchange, data: bytes, *, is_json: bool = False) -> None:
    """Note a body in the journal: its JSON, or the start of what is none, or only its size."""
    exchange.is_json = is_json and len(data) <= KEPT_BYTES
    if len(data) > KEPT_BYTES:
        exchange.received = f"[{len(data):,} bytes, more than the journal keeps]".encode()
    else:
        exchange.received = data if is_json else data[:_SHOWN]
