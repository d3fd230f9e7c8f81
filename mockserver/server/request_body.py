"""Reads request bodies of untrusted clients within limits, and parses them with their dialect.

Test suites and load tests repeat their requests, so what depends only on a request's bytes is made
once for each.
"""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from aiohttp import web
from yarl import URL

from mockserver.dialects import DIALECTS, Inbound
from mockserver.foundation.json_text import TooDeep, dump, encode
from mockserver.foundation.json_text import parse as parse_text
from mockserver.server.answers import Refused
from mockserver.server.journal import Exchange
from mockserver.wire.slots import Values, encode_values

MAX_BODY_BYTES = 16 << 20
MAX_RECORDED_BYTES = 1 << 20
MAX_DEPTH = 100

_SHOWN = 2000

_MAX_CACHED = 256
_MAX_CACHED_BYTES = 16 << 10


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
        return parse_text(data.decode("utf-8"), MAX_DEPTH)
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


@dataclass(frozen=True, slots=True)
class Parsed:
    """A request as its dialect reads it; ``echo`` has the values that the answer repeats of it."""

    inbound: Inbound
    echo: Values


def parse_request(
    dialect: str, model: str, headers: tuple[tuple[str, str], ...], data: bytes
) -> Parsed:
    """Parse a request with its dialect; a ``model`` in its path replaces that in its body.

    Raises Refused if the body is not JSON.
    """
    read = _parse_cached if len(data) <= _MAX_CACHED_BYTES else _parse
    return read(dialect, model, headers, data)


def _parse(dialect: str, model: str, headers: tuple[tuple[str, str], ...], data: bytes) -> Parsed:
    inbound = DIALECTS[dialect].requests.read(parse_json(data), dict(headers))
    inbound = replace(inbound, model=model) if model else inbound
    return Parsed(inbound, encode_values(**{**inbound.echo, "model": inbound.model or "mock"}))


_parse_cached = lru_cache(maxsize=_MAX_CACHED)(_parse)


def make_slot_values(request: web.Request, parsed: Parsed, response_id: str) -> Values:
    """The values for an answer that begins now. Raises Refused if the request names no host."""
    now = time.time()
    whole = int(now)
    return {
        **parsed.echo,
        "id": encode(dump(response_id)),
        "created_at": b"%d" % whole,
        "timestamp": b'"%s.%03dZ"' % (_iso(whole), int((now - whole) * 1000)),
        "origin": _find_origin(request),
    }


@lru_cache(maxsize=2)
def _iso(seconds: int) -> bytes:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()


def _find_origin(request: web.Request) -> bytes:
    """The scheme and host that the client has used. Raises Refused if the host is none."""
    try:
        if request.rel_url.absolute:
            return _origin(request.rel_url.scheme, request.rel_url.authority)
        return _origin(request.scheme, request.host)
    except ValueError:
        raise Refused(400, "the Host header names no host") from None


@lru_cache(maxsize=16)
def _origin(scheme: str, authority: str) -> bytes:
    origin = URL.build(scheme=scheme, authority=authority).origin()
    return encode_values(origin=str(origin))["origin"]
