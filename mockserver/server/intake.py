"""Reads and parses request bodies of untrusted clients, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.foundation.json_text import TooDeep, parse
from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from mockserver.server.journal import Exchange

MAX_BODY_BYTES = 16 << 20
MAX_RECORDED_BYTES = 1 << 20
MAX_DEPTH = 100

_SHOWN = 2000


async def read_body(request: web.Request, most: int = MAX_BODY_BYTES) -> bytes:
    """The bytes of a request's body. Raises Refused: 413 if too large, 400 if unreadable."""
    if (request.content_length or 0) > most:
        raise _too_large(most)
    try:
        data = await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise _too_large(MAX_BODY_BYTES) from None
    except web.RequestPayloadError as error:
        raise Refused(400, f"the request body cannot be read: {error}") from None
    if len(data) > most:
        raise _too_large(most)
    return data


def _too_large(most: int) -> Refused:
    return Refused(413, f"the request body is too large: {most:,} bytes are allowed")


def parse_json(data: bytes) -> Any:
    """The JSON value of a body (RFC 8259: UTF-8, finite numbers). Raises Refused (400)."""
    try:
        return parse(data.decode("utf-8"), MAX_DEPTH)
    except TooDeep as error:
        raise Refused(400, f"the request body is {error}") from None
    except ValueError as error:
        raise Refused(400, f"the request body is not JSON: {error}") from None


def record_body(exchange: Exchange, data: bytes, *, is_json: bool = False) -> None:
    """Keep a body in the journal: JSON in full, else its start; a large body only by its size."""
    exchange.is_json = is_json and len(data) <= MAX_RECORDED_BYTES
    if len(data) > MAX_RECORDED_BYTES:
        exchange.received = f"[{len(data):,} bytes, more than the journal keeps]".encode()
    else:
        exchange.received = data if is_json else data[:_SHOWN]
