"""Events as bytes with the moment at which they are due, and the writes that carry them.

A frame's moment is absolute, counted from the start of the response, so that a late frame makes no
other frame late. What is due at once goes out in one write, or in a few where it is so much that a
reader who does not read would leave it all with the server; only ``[DONE]`` has a write of its own,
because real clients lose a read that it shares with the last event.

Source: OpenResponses, "Streaming HTTP Responses"; WHATWG HTML, "Server-sent events".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mockserver.scenario.model import Checkpoint, Close, CloseHow, Comment, Pause, Raw
from mockserver.wire.event import Event
from mockserver.wire.slots import Piece, dump, has_marks, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockserver.wire.event import Step

# Two writes that follow each other at once arrive as one read; a millisecond keeps them apart.
APART = 0.001

# A write is ended by the event with which it is longer than so many characters.
LONG = 256 << 10

SentKind = Literal["event", "comment", "raw", "done"]


@dataclass(frozen=True, slots=True)
class Framing:
    """How events are written; the default is what every client reads."""

    newline: str = "\n"
    event_line: bool = True
    space: str = " "
    closing: str = "[DONE]"

    def event(self, event: Event) -> str:
        """One event; JSON holds no raw line break, so its data is always one line."""
        named = f"event:{self.space}{event.type}{self.newline}" if self.event_line else ""
        return f"{named}data:{self.space}{dump(event.data)}{self.newline * 2}"

    def comment(self, text: str) -> str:
        return f":{self.space}{text}{self.newline * 2}"

    def last(self) -> str:
        return f"data:{self.space}{self.closing}{self.newline * 2}"


@dataclass(frozen=True, slots=True)
class Sent:
    """One thing on the wire: an event, a comment, raw bytes or the closing ``[DONE]``."""

    n: int
    kind: SentKind
    at: float
    type: str
    data: Any
    ignorable: bool = False
    has_slots: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Write:
    """The bytes of the things ``first`` to ``last``, due ``at`` seconds after the start."""

    at: float
    pieces: tuple[Piece, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Gate:
    """A checkpoint, behind the thing with this number."""

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole response: what is sent, in which writes, and how and when the stream closes."""

    sent: tuple[Sent, ...]
    writes: tuple[Write | Gate, ...]
    close: CloseHow
    closes_at: float

    @property
    def begins_at_once(self) -> bool:
        """Is there something to send as soon as the response starts?"""
        first = self.writes[0] if self.writes else None
        return isinstance(first, Write) and first.at == 0.0

    @property
    def size(self) -> int:
        """The bytes on the wire, slots apart."""
        pieces = (piece for write in self.carried for piece in write.pieces)
        return sum(len(piece) for piece in pieces if isinstance(piece, bytes))

    @property
    def carried(self) -> tuple[Write, ...]:
        """The writes, without the checkpoints between them."""
        return tuple(step for step in self.writes if isinstance(step, Write))


def plan(steps: Iterable[Step], ends: Callable[[str, Any], bool], framing: Framing) -> Plan:
    """The steps of a turn in time and in writes; closing data follows the event that ends it."""
    layout = _Layout(framing, ends)
    for step in steps:
        layout.step(step)
    return layout.finished()


class _Layout:
    def __init__(self, framing: Framing, ends: Callable[[str, Any], bool]) -> None:
        self._framing = framing
        self._ends = ends
        self._at = 0.0
        self._close: CloseHow = "clean"
        self._sent: list[Sent] = []
        self._writes: list[Write | Gate] = []
        self._text: list[str] = []
        self._length = 0
        self._over = False

    def step(self, step: Step) -> None:
        match step:
            case Event():
                self._over = self._over or self._ends(step.type, step.data)
                self._add("event", step.type, step.data, self._framing.event(step), step.ignorable)
            case Comment(text):
                self._add("comment", "comment", text, self._framing.comment(text), True)
            case Raw(text):
                self._add("raw", "raw", text, text, False)
            case Pause(seconds):
                self._flush()
                self._at += seconds
            case Checkpoint(name):
                self._flush()
                self._writes.append(Gate(name, len(self._sent) - 1))
            case Close(how):
                self._close = how

    def _add(self, kind: SentKind, type_: str, data: Any, text: str, ignorable: bool) -> None:
        n, slots = len(self._sent), has_marks(text)
        self._sent.append(Sent(n, kind, self._at, type_, data, ignorable, slots))
        self._text.append(text)
        self._length += len(text)
        if self._length > LONG:
            self._flush()

    def _flush(self) -> None:
        if not self._text:
            return
        last = len(self._sent) - 1
        first = last - len(self._text) + 1
        self._writes.append(Write(self._at, pieces("".join(self._text)), first, last))
        self._text, self._length = [], 0

    def finished(self) -> Plan:
        self._flush()
        if self._over and self._framing.closing and self._close == "clean":
            self._at += APART
            self._add("done", self._framing.closing, None, self._framing.last(), False)
            self._flush()
        return Plan(tuple(self._sent), tuple(self._writes), self._close, self._at)
