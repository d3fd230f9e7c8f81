"""Converts the bytes of an answer to spans of text for a page, with a mark before each write.

A line feed is a line break. Any other unprintable character, and any byte that is not UTF-8, is a
span of the kind ``escape``, to distinguish it from text that looks like an escape.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Literal

from mockserver.wire.frames import Gate
from mockserver.wire.slots import Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockserver.scenario.script import CloseHow
    from mockserver.wire.frames import Plan

_MOST = 20_000
# What a mark takes of that, so that a flood of writes is bounded too.
_A_MARK = 20

ENDS: dict[CloseHow, str] = {
    "clean": "the answer is over",
    "cut": "the connection is closed, before the answer is over",
    "reset": "the connection is reset",
    "half-close": "the upstream ends its side of the connection, before the answer is over",
    "stall": "nothing more comes; the connection stays open",
}
"""What becomes of the connection at the end of an answer, by the way in which it is closed."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of an answer: printable ``text``, the ``escape`` of an unprintable character, the
    name of a ``slot`` whose value differs by request, or a ``mark`` that describes a write."""

    kind: Literal["text", "escape", "slot", "mark"]
    text: str


def of_plan(plan: Plan, values: Mapping[str, bytes]) -> list[Span]:
    """The spans of a stream; a slot that ``values`` does not fill is shown by its name."""
    return [*_bounded(_stream(plan, values)), _mark(plan.closes_at, ENDS[plan.close])]


def of_body(body: bytes) -> list[Span]:
    """The spans of a body that is sent in one write."""
    return [*_bounded([body]), _mark(0.0, ENDS["clean"])]


def _stream(plan: Plan, values: Mapping[str, bytes]) -> Iterator[bytes | Span]:
    """The bytes of a stream, with spans for marks and for slots without a value."""
    numbers = count(1)
    for step in plan.writes:
        if isinstance(step, Gate):
            yield Span("mark", f"held until this text has come out ({step.name})")
            continue
        yield _mark(step.at, f"write {next(numbers)}")
        for piece in step.pieces:
            if isinstance(piece, Slot):
                yield values.get(piece.name, Span("slot", piece.name))
            else:
                yield piece


def _mark(at: float, event: str) -> Span:
    return Span("mark", f"{at * 1000:.0f} ms: {event}")


def _bounded(segments: Iterable[bytes | Span]) -> Iterator[Span]:
    room, left_out = _MOST, 0
    for segment in segments:
        if isinstance(segment, bytes):
            left_out += max(0, len(segment) - room)
            yield from visible(segment[:room])
        elif room:
            yield segment
        room = max(0, room - (len(segment) if isinstance(segment, bytes) else _A_MARK))
    if left_out:
        yield Span("mark", f"… and {left_out:,} more bytes")


def visible(data: bytes) -> Iterator[Span]:
    """Bytes as spans of text and escapes."""
    text = data.decode("utf-8", "surrogateescape")
    at = 0
    for n, character in enumerate(text):
        if character == "\n" or character.isprintable():
            continue
        if at < n:
            yield Span("text", text[at:n])
        yield Span("escape", _escape(ord(character)))
        at = n + 1
    if at < len(text):
        yield Span("text", text[at:])


def _escape(code: int) -> str:
    """The Python escape of a character; ``\\x80`` and above are bytes that are not UTF-8."""
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code >= 0x80:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return repr(chr(code))[1:-1]
