"""Parses requests with their dialect, and makes the values that an answer's slots are filled with.

Test suites and load tests repeat their requests, so what depends only on a request's bytes is made
once for each.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from yarl import URL

from mockserver.dialects import DIALECTS
from mockserver.foundation.json_text import dump, encode
from mockserver.server.intake import parse_json
from mockserver.server.refusals import Refused
from mockserver.wire.slots import encode_values

if TYPE_CHECKING:
    from aiohttp import web

    from mockserver.dialects import Inbound
    from mockserver.wire.slots import Values

_MAX_CACHED = 256
_MAX_CACHED_BYTES = 16 << 10


@dataclass(frozen=True, slots=True)
class Parsed:
    """A request as its dialect reads it; ``echo`` has the values that the answer repeats of it."""

    inbound: Inbound
    echo: Values


def parse(dialect: str, model: str, headers: tuple[tuple[str, str], ...], data: bytes) -> Parsed:
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


def values_of(request: web.Request, parsed: Parsed, response_id: str) -> Values:
    """The values for an answer that begins now. Raises Refused if the request names no host."""
    now = time.time()
    whole = int(now)
    return {
        **parsed.echo,
        "id": encode(dump(response_id)),
        "created_at": b"%d" % whole,
        "timestamp": b'"%s.%03dZ"' % (_iso(whole), int((now - whole) * 1000)),
        "origin": _origin_of(request),
    }


@lru_cache(maxsize=2)
def _iso(seconds: int) -> bytes:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()


def _origin_of(request: web.Request) -> bytes:
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
