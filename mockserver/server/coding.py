"""Compresses the writes of a plan for clients that accept it, each so that it can be read at once.

Source: RFC 9110 § 8.4.1 (content codings) and § 12.5.3 (Accept-Encoding).
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from mockserver.wire.frames import Write

if TYPE_CHECKING:
    from mockserver.wire.frames import Coding, Plan

_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class _Compressor(Protocol):
    """Compresses one body; ``write`` returns all that its bytes become, and ``end`` the rest."""

    def write(self, data: bytes) -> bytes: ...

    def end(self) -> bytes: ...


class _Deflating:
    def __init__(self, window: int) -> None:
        self._stream = zlib.compressobj(wbits=window)

    def write(self, data: bytes) -> bytes:
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._stream.flush(zlib.Z_FINISH)


class _Brotli:
    def __init__(self) -> None:
        self._stream: Any = importlib.import_module("brotli").Compressor(quality=4)

    def write(self, data: bytes) -> bytes:
        written: bytes = self._stream.process(data) + self._stream.flush()
        return written

    def end(self) -> bytes:
        rest: bytes = self._stream.finish()
        return rest


_COMPRESSORS: dict[str, Callable[[], _Compressor]] = {
    "gzip": lambda: _Deflating(_GZIP_WINDOW),
    "deflate": lambda: _Deflating(zlib.MAX_WBITS),
    "br": _Brotli,
}


def accepts(coding: Coding, accept_encoding: str) -> bool:
    """Whether the value of an Accept-Encoding header names a coding, and not with a weight of 0."""
    for named in accept_encoding.split(","):
        name, _, weight = (each.strip() for each in named.lower().partition(";"))
        if name == coding:
            return not weight.replace(" ", "").startswith("q=0") or weight.strip("q=0. ") != ""
    return False


def compressed(plan: Plan, coding: Coding) -> Plan:
    """A plan whose writes are compressed as one body; it ends unless the stream is cut.

    The values of the plan must be filled in."""
    if not coding:
        return plan
    compressor = _COMPRESSORS[coding]()
    writes = [
        replace(step, pieces=(compressor.write(step.data),)) if isinstance(step, Write) else step
        for step in plan.writes
    ]
    last = next((n for n in reversed(range(len(writes))) if isinstance(writes[n], Write)), None)
    if plan.close == "clean" and last is not None and isinstance(write := writes[last], Write):
        writes[last] = replace(write, pieces=(write.data + compressor.end(),))
    return replace(plan, writes=tuple(writes))
