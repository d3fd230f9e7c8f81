"""Encodes the steps of a turn as server-sent events and groups them into timed writes.

Each write is due at a time that counts from the start of the response, so that one late write does
not delay the others. Events that are due at the same time share a write, up to a size limit that
bounds what the server buffers for a slow reader. ``[DONE]`` is due with the last event, as servers
flush it; a script that sends it as raw text after its terminal event gets no other.

A ``Transfer`` is how the bytes travel in an HTTP response.

Source: OpenResponses, "Streaming HTTP Responses"; WHATWG HTML, "Server-sent events"; RFC 9110 (HTTP
semantics); RFC 9112 (HTTP/1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from mockserver.scenario.script import Checkpoint, Close, CloseHow, Comment, Pause, Raw
from mockserver.wire.event import Event, PartialEvent, Step, require_short
from mockserver.wire.framing import Framing, SentKind
from mockserver.wire.slots import Piece, Values, fill, has_marks, pieces

EVENT_STREAM = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
"""HTTP headers of every stream."""

# The least time between two writes, in seconds: without it, a client may read both at once.
MIN_GAP = 0.001

# A write that is longer than this many characters takes no further event.
LONG_WRITE = 256 << 10


T = TypeVar("T")
Coding = Literal["", "gzip", "deflate", "br"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """An HTTP response around a stream; the default is what every client knows: HTTP/1.1, chunked.

    - ``coding`` compresses the body for clients that accept it (RFC 9110 § 8.4.1).
    - ``delimited`` says what ends the body: its last chunk, its length, or the connection's end
      in HTTP/1.0 (RFC 9112 § 6.3).
    - ``extension`` is written after the size of each chunk (RFC 9112 § 7.1.1), and ``trailer`` is
      a field after the last chunk (RFC 9112 § 7.1.2).
    - ``length`` is announced in place of the body's own, where that is what ends it.
    - ``informational`` are the statuses of responses before the final one (RFC 9110 § 15.2).
    - ``headers_after`` delays the headers by so many seconds.
    """

    coding: Coding = ""
    delimited: Literal["chunks", "length", "close"] = "chunks"
    extension: str = ""
    trailer: tuple[str, str] | None = None
    informational: tuple[int, ...] = ()
    length: int | None = None
    headers_after: float = 0.0

    @property
    def is_written_by_hand(self) -> bool:
        """Whether a web framework cannot send it."""
        return bool(
            self.delimited != "chunks" or self.extension or self.trailer or self.informational
        )


PLAIN = Transfer()


@dataclass(frozen=True, slots=True)
class Sent:
    """One item of a stream: an event, a comment, raw text or the closing ``[DONE]``.

    ``n`` is its number in the stream, from 0; ``at`` is when it is due, in seconds after the start.
    """

    n: int
    kind: SentKind
    at: float
    type: str
    data: Any
    ignorable: bool = False
    has_slots: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Write:
    """The bytes of the items ``first`` to ``last``, due ``at`` seconds after the start.

    If ``last`` is before ``first``, the write has only a part of the item ``first``: the item's end
    is in a later write.
    """

    at: float
    pieces: tuple[Piece, ...]
    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of bytes, without the values that fill the slots."""
        return sum(len(piece) for piece in self.pieces if isinstance(piece, bytes))

    @property
    def data(self) -> bytes:
        """The bytes of a write whose values are filled in."""
        return b"".join(piece for piece in self.pieces if isinstance(piece, bytes))


@dataclass(frozen=True, slots=True)
class Gate:
    """A checkpoint, at which playback may wait after the item number ``after``."""

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete stream: its items, the writes that carry them, and how and when it closes.

    ``closes_at`` is in seconds after the start. ``changes`` are to be applied once the values of a
    request are known; until then, each item has a write of its own. ``transfer`` is the HTTP
    response around the stream.
    """

    sent: tuple[Sent, ...]
    writes: tuple[Write | Gate, ...]
    close: CloseHow
    closes_at: float
    changes: tuple[ChangePlan, ...] = field(default=(), compare=False)
    transfer: Transfer = PLAIN

    def filled(self, values: Values) -> Plan:
        """The plan with its changes applied for one request; itself if it has none."""
        if not self.changes:
            return self
        changed = replace(self.map(lambda pieces: (fill(pieces, values),)), changes=())
        for change in self.changes:
            changed = change(changed)
        return replace(changed, writes=tuple(_join(changed.writes)))

    def map(self, change: Callable[[tuple[Piece, ...]], tuple[Piece, ...]]) -> Plan:
        """The plan with the pieces of each write changed."""
        writes = (
            Write(step.at, change(step.pieces), step.first, step.last)
            if isinstance(step, Write)
            else step
            for step in self.writes
        )
        return replace(self, writes=tuple(writes))

    @property
    def starts_immediately(self) -> bool:
        """Whether the first write is due as soon as the response starts."""
        first = self.writes[0] if self.writes else None
        return isinstance(first, Write) and first.at == 0.0

    @property
    def size(self) -> int:
        """The number of bytes, without the values that fill the slots."""
        return sum(write.size for write in self.byte_writes)

    @property
    def byte_writes(self) -> tuple[Write, ...]:
        """The writes without the gates between them."""
        return tuple(step for step in self.writes if isinstance(step, Write))


ChangePlan = Callable[[Plan], Plan]


def unchanged(value: T) -> T:
    """The change that leaves a value as it is."""
    return value


def _join(steps: Iterable[Write | Gate]) -> Iterator[Write | Gate]:
    """The writes, with those that are due at the same time as one, up to a size limit."""
    held: list[Write] = []
    size = 0
    for step in steps:
        same = isinstance(step, Write) and bool(held) and step.at == held[0].at
        if held and not (same and size <= LONG_WRITE):
            yield _join_all(held)
            held, size = [], 0
        if isinstance(step, Write):
            held.append(step)
            size += step.size
        else:
            yield step
    if held:
        yield _join_all(held)


def _join_all(writes: Sequence[Write]) -> Write:
    if len(writes) == 1:
        return writes[0]
    data = b"".join(each.data for each in writes)
    return Write(writes[0].at, (data,), writes[0].first, writes[-1].last)


def _keep_first_bytes(count: int | None, plan: Plan) -> Plan:
    """The plan with only the first bytes of its last write, but not its whole last line."""
    n = max(n for n, write in enumerate(plan.writes) if isinstance(write, Write))
    last = plan.byte_writes[-1]
    line = last.data.rstrip(b"\r\n")
    kept = line + last.data[len(line) :][:1] if count is None else line[: min(count, len(line) - 1)]
    shorter = replace(last, pieces=(kept,))
    return replace(plan, writes=(*plan.writes[:n], shorter, *plan.writes[n + 1 :]))


def plan(
    steps: Iterable[Step],
    is_terminal: Callable[[str, Any], bool],
    framing: Framing,
    changes: tuple[ChangePlan, ...] = (),
    transfer: Transfer = PLAIN,
) -> Plan:
    """Encode the steps of a turn and schedule their writes; ``changes`` are those of the plan.

    ``is_terminal`` takes the type and the data of an event; the closing data is sent only after an
    event for which it is true. Raises ScenarioError if the stream is too long.
    """
    if transfer != PLAIN and not changes:
        changes = (unchanged,)
    layout = _Layout(framing, is_terminal, changes)
    for step in steps:
        layout.step(step)
    return replace(layout.finished(), transfer=transfer)


@dataclass(slots=True)
class _Layout:
    """Builds a plan, step by step."""

    framing: Framing
    is_terminal: Callable[[str, Any], bool]
    changes: tuple[ChangePlan, ...]
    at: float = 0.0
    close: CloseHow = "clean"
    sent: list[Sent] = field(default_factory=list)
    writes: list[Write | Gate] = field(default_factory=list)
    # What waits for its write, and its length; the length of all; whether the response has ended
    text: list[str] = field(default_factory=list)
    length: int = 0
    total: int = 0
    ended: bool = False

    def step(self, step: Step) -> None:
        match step:
            case Event():
                self.ended = self.ended or self.is_terminal(step.type, step.data)
                text = self.framing.event(step, len(self.sent))
                self._add("event", step.type, step.data, text, step.ignorable)
            case PartialEvent(event, count):
                self._tear(self.framing.event(event, len(self.sent)), count)
            case Comment(comment):
                text = self.framing.comment(comment, len(self.sent))
                self._add("comment", "comment", comment, text, True)
            case Raw(text):
                is_closing = text.removeprefix("data:").strip() == self.framing.closing
                self.ended = self.ended and not is_closing
                self._add("raw", "raw", text, text, False)
            case Pause(seconds):
                self._flush()
                self.at += seconds
            case Checkpoint(name):
                self._flush()
                self.writes.append(Gate(name, len(self.sent) - 1))
            case Close(how):
                self.close = how

    def _add(self, kind: SentKind, type_: str, data: Any, text: str, ignorable: bool) -> None:
        self.total += len(text)
        require_short(self.total)
        n, slots = len(self.sent), has_marks(text)
        self.sent.append(Sent(n, kind, self.at, type_, data, ignorable, slots))
        self.text.append(text if n else self.framing.head + text)
        self.length += len(text)
        if self.changes or self.length > LONG_WRITE:
            self._flush()

    def _tear(self, text: str, count: int | None) -> None:
        """Write a part of an event, in a write of its own; it is no item of the stream."""
        self._flush()
        first = len(self.sent)
        text = text if first else self.framing.head + text
        self.writes.append(Write(self.at, pieces(text), first, first - 1))
        self.changes = (partial(_keep_first_bytes, count), *self.changes)

    def _flush(self) -> None:
        if not self.text:
            return
        last = len(self.sent) - 1
        first = last - len(self.text) + 1
        self.writes.append(Write(self.at, pieces("".join(self.text)), first, last))
        self.text, self.length = [], 0

    def finished(self) -> Plan:
        if self.ended and self.framing.closing and self.close == "clean":
            if self.framing.closing_apart:
                self._flush()
                self.at += MIN_GAP
            text = self.framing.last(len(self.sent))
            self._add("done", self.framing.closing, None, text, False)
        self._flush()
        return Plan(tuple(self.sent), tuple(self.writes), self.close, self.at, self.changes)
