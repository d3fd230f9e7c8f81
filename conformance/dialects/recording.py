"""Parses a recorded stream, server-sent events or JSON Lines, into a list of events.

Of server-sent events, what a decoder drops (event names, comments, ids, line ends) is kept as the
framing, because rules judge it; headers before the stream, as ``curl -i`` prints them, are read.
JSON Lines have one event on each line and no framing. The streams of scenarios are rendered and
parsed again in the same way, to judge the scenarios themselves.

Source: WHATWG HTML § 9.2.6 "Interpreting an event stream".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import InputError, Place, Problem
from mockserver.foundation.json_text import parse
from mockserver.scenario.script import Answer
from mockserver.wire.frames import Plan
from mockserver.wire.slots import decode_values, fill, fill_json_with

MAX_BYTES = 64 * 1024 * 1024
MAX_LINES = 2_000_000
# Rules show the values of events and compare them, which takes Python's stack.
MAX_DEPTH = 512

_BOM = b"\xef\xbb\xbf"
_END = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"(?:\A|[\r\n])(?:data|event|id|retry)?:")
_CONTENT_TYPE = re.compile(rb"(?im)^content-type:[ \t]*([^;\r\n]*)")
_DONE = "[DONE]"
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Dump:
    """A recorded stream; ``framing`` is None if it is JSON Lines, which keep only the events."""

    events: tuple[SentEvent, ...]
    framing: Framing | None


def read_dump(data: bytes, name: str) -> Dump:
    """Parse a recording; ``name`` is the name of the file, for error messages.

    Blank input is an empty stream. Raises InputError if the data is neither format, or longer than
    64 MiB or two million lines.
    """
    if len(data) > MAX_BYTES:
        raise InputError(Problem(f"more than {MAX_BYTES} bytes", Place(name), "judge a part of it"))
    if _line_count(data) > MAX_LINES:
        message = f"more than {MAX_LINES:,} lines"
        raise InputError(Problem(message, Place(name), "take the response that matters"))
    head, body = _split_headers(data)
    skipped = len(_END.findall(head))
    first = next((line for line in _lines(body, skipped) if line.text.strip()), None)
    if first is None:
        return _event_stream(body, head, skipped) if head else Dump((), None)
    if not head and (first.text.startswith(b"{") or first.text.strip() == _DONE.encode()):
        dump = Dump(tuple(_json_lines(body)), None)
    elif _FIELD.search(body):
        dump = _event_stream(body, head, skipped)
    else:
        shown = first.text[:_SHOWN].decode("utf-8", "replace")
        _reject(
            f"neither a field of an event stream nor a JSON object: {shown!r}", name, first.number
        )
    if not head and not any(event.kind in ("event", "done", "comment") for event in dump.events):
        _reject("nothing in it is JSON", name)
    return dump


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _reject(why: str, name: str, line: int = 0) -> NoReturn:
    hint = "a dump is server-sent events as curl prints them, or one JSON event a line"
    raise InputError(
        Problem(f"this is no stream: {why}", Place(name, line, 1 if line else 0), hint)
    )


def _split_headers(data: bytes) -> tuple[bytes, bytes]:
    """The HTTP headers, which may be empty, and the body without a byte order mark."""
    head = b""
    while data.startswith(b"HTTP/"):
        end = re.search(rb"\r?\n\r?\n", data)
        cut = end.end() if end else len(data)
        head, data = head + data[:cut], data[cut:]
    return head, data.removeprefix(_BOM)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: bytes
    end: str


def _lines(body: bytes, before: int = 0) -> Iterator[_Line]:
    """The lines of a body, numbered from ``before`` + 1; the last one may lack its line end."""
    for number, line in enumerate(body.splitlines(keepends=True), before + 1):
        text = line.rstrip(b"\r\n")
        yield _Line(number, text, line[len(text) :].decode())


def _json_lines(body: bytes) -> Iterator[SentEvent]:
    kept = (line for line in _lines(body) if line.text.strip())
    for n, line in enumerate(kept):
        if line.text.strip() == _DONE.encode():
            yield SentEvent(n, 0.0, "done", _DONE)
            continue
        try:
            data = parse(line.text.decode("utf-8"), MAX_DEPTH, finite=False)
        except ValueError:
            yield SentEvent(n, 0.0, "raw", "raw", line.text.decode("utf-8", "replace"))
        else:
            yield SentEvent(n, 0.0, "event", _type(data, ""), data)


def _type(data: Any, name: str) -> str:
    """The type of an event: from its data, else its ``event:`` line, else from its shape."""
    type_ = data.get("type") if isinstance(data, dict) else None
    return type_ if isinstance(type_, str) and type_ else name or _kind(data)


def _kind(data: Any) -> str:
    """The type of an event without one, from the first dialect that knows its shape."""
    return next(filter(None, (each.recognition.kind(data) for each in KIT.values())), "")


def _event_stream(body: bytes, head: bytes, before: int) -> Dump:
    reader = _Reader()
    newlines = set()
    for line in _lines(body, before):
        newlines.add(line.end)
        reader.take(line)
    reader.cut_off()
    media_types = _CONTENT_TYPE.findall(head)
    framing = Framing(
        names=reader.names,
        lines=tuple(reader.begun),
        ids=tuple(reader.ids),
        garbled=tuple(reader.garbled),
        unterminated=reader.unterminated,
        newlines=frozenset(newlines - {""}),
        content_type=media_types[-1].decode("latin-1").strip().lower() if media_types else "",
    )
    return Dump(tuple(reader.sent), framing)


@dataclass
class _Reader:
    """Collects the lines of one event until a blank line ends it."""

    sent: list[SentEvent] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    begun: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    unterminated: int | None = None
    _block: list[_Line] = field(default_factory=list)

    def take(self, line: _Line) -> None:
        if line.text.startswith(b":"):
            text = line.text[1:].decode("utf-8", "replace").removeprefix(" ")
            self._add(line.number, "comment", "comment", text)
        elif line.text:
            self._block.append(line)
        else:
            self._finish_event()

    def cut_off(self) -> None:
        """Read an event that the end of the data cuts off, and record it as unterminated."""
        if self._finish_event():
            self.unterminated = len(self.sent) - 1

    def _finish_event(self) -> bool:
        """Add the collected lines as an event. Returns False if they have no data."""
        block, self._block = self._block, []
        fields = [_field(line.text) for line in block]
        values = [value for name, value in fields if name == b"data"]
        if not values:
            return False
        n = len(self.sent)
        named = [value for name, value in fields if name == b"event" and value]
        if named:
            self.names[n] = named[-1].decode("utf-8", "replace")
        if any(name == b"id" for name, _ in fields):
            self.ids.append(n)
        self._data(block[0].number, b"\n".join(values), self.names.get(n, ""))
        return True

    def _data(self, line: int, value: bytes, name: str) -> None:
        text = value.decode("utf-8", "replace")
        if text.encode("utf-8") != value:
            self.garbled.append(len(self.sent))
        if text == _DONE:
            self._add(line, "done", _DONE, None)
            return
        try:
            data = parse(text, MAX_DEPTH, finite=False)
        except ValueError:
            self._add(line, "raw", "raw", text)
        else:
            self._add(line, "event", _type(data, name), data)

    def _add(self, line: int, kind: str, type_: str, data: Any) -> None:
        self.sent.append(SentEvent(len(self.sent), 0.0, kind, type_, data))
        self.begun.append(line)


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")


def recorded_turn(case: Case, turn: int, attempt: int = 1, form: str | None = None) -> Dump:
    """The recording that a client would make of one turn of a case.

    Raises UserError if the case has nothing to send for this turn.
    """
    return recorded_plan(render(case, turn, attempt, form).plan, case)


def recorded_plan(plan: Plan, case: Case) -> Dump:
    """The recording that a client would make of a rendered turn of a case.

    Raises UserError if the plan sends nothing.
    """
    return read_dump(stream_bytes(plan, case), str(case))


def recorded_streams(case: Case) -> Iterator[bytes]:
    """The bytes of each stream of a case, by turn and attempt; plain HTTP answers are left out."""
    for n, turn in enumerate(case.scenario.turns):
        for attempt, written in enumerate(turn.attempts, 1):
            if not isinstance(written.script, Answer):
                yield stream_bytes(render(case, n, attempt).plan, case)


def stream_bytes(plan: Plan, case: Case) -> bytes:
    """The bytes of a stream, with sample values in its slots."""
    sample = DIALECTS[case.dialect].sample()
    return b"".join(fill(write.pieces, sample) for write in plan.filled(sample).byte_writes)


def sample_events(plan: Plan, dialect: str) -> tuple[SentEvent, ...]:
    """The events of a stream, with sample values in its slots."""
    sample = decode_values(DIALECTS[dialect].sample())
    return tuple(
        SentEvent(s.n, s.at, s.kind, s.type, fill_json_with(s.data, sample), s.ignorable)
        for s in plan.sent
    )
