"""Bytes as HTML: marked where each write begins, with unprintable characters as escapes.

A line feed is a line break. Any other unprintable character, and any byte that is not UTF-8, is an
escape in an element of its own, so that text that looks like an escape is not mistaken for one.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mockserver.wire.frames import Gate
from mockserver.wire.slots import Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockserver.scenario.model import CloseHow
    from mockserver.wire.frames import Plan

_MAX_BYTES = 20_000
# What a mark counts towards that limit, so that the number of writes is bounded too.
_MARK_COST = 20

_ENDS: dict[CloseHow, str] = {
    "clean": "the answer is over",
    "cut": "the connection is closed, before the answer is over",
    "reset": "the connection is reset",
    "stall": "nothing more comes; the connection stays open",
}


def of_plan(plan: Plan, values: Mapping[str, bytes]) -> str:
    """A stream as HTML; a slot that ``values`` does not fill is shown by its name."""
    return "".join(_bounded(_stream(plan, values))) + _mark(plan.closes_at, _ENDS[plan.close])


def of_body(body: bytes) -> str:
    """A body that is sent at once, as HTML."""
    return "".join(_bounded([body])) + _mark(0.0, _ENDS["clean"])


def _stream(plan: Plan, values: Mapping[str, bytes]) -> Iterator[bytes | str]:
    """The bytes of a stream, and between them marks, which are HTML text."""
    numbers = {write.first: n for n, write in enumerate(plan.carried, start=1)}
    for step in plan.writes:
        if isinstance(step, Gate):
            yield f"<b>held until this text has come out ({escape(step.name)})</b>"
            continue
        yield _mark(step.at, f"write {numbers[step.first]}")
        for piece in step.pieces:
            name = piece.name if isinstance(piece, Slot) else ""
            yield values.get(name, f"<var>{name}</var>") if isinstance(piece, Slot) else piece


def _mark(at: float, text: str) -> str:
    return f"<b>{at * 1000:.0f} ms: {text}</b>"


def _bounded(segments: Iterable[bytes | str]) -> Iterator[str]:
    room, left_out = _MAX_BYTES, 0
    for segment in segments:
        if isinstance(segment, bytes):
            left_out += max(0, len(segment) - room)
            yield visible(segment[:room])
        elif room:
            yield segment
        room = max(0, room - (len(segment) if isinstance(segment, bytes) else _MARK_COST))
    if left_out:
        yield f"<b>… and {left_out:,} more bytes</b>"


def visible(data: bytes) -> str:
    """Bytes as HTML, with unprintable characters as escapes."""
    return "".join(map(_character, data.decode("utf-8", "surrogateescape")))


def _character(c: str) -> str:
    if c == "\n" or c.isprintable():
        return escape(c)
    return f"<i>{_escape(ord(c))}</i>"


def _escape(code: int) -> str:
    """An escape as in Python's literals, but from 80 on ``\\x`` is only used for invalid bytes."""
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code >= 0x80:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return repr(chr(code))[1:-1]
