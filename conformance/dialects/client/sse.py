"""Decodes server-sent events from bytes, incrementally and without I/O.

Follows WHATWG HTML § 9.2.6 "Interpreting an event stream": bytes are split into lines (at LF, CR or
CRLF), lines are parsed into fields, and a blank line dispatches the event. Two points are decided
here:

- Lines are split before they are decoded as UTF-8. No byte of a multi-byte character is a CR or an
  LF, so a complete line never ends inside a character, however the reads were split.
- The standard drops an event that no blank line follows. Here the end of the bytes does not prove
  that the stream is complete, so `Decoder.end` returns such an event. The caller, who knows the
  terminal event and the format of the data, decides whether to use it.

The pieces of a line are collected in a list and joined once, so decoding an event takes time linear
in its size, however small the chunks are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Message:
    """One dispatched event; `event` is "message" if the stream has no `event:` line for it."""

    event: str
    data: str


class Decoder:
    """Decodes one event stream; each connection needs its own decoder."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Message]:
        """Decode a chunk; returns the messages that it completes, in order."""
        return [message for line in self._lines(chunk) for message in self._take(line)]

    def end(self) -> list[Message]:
        """The last message, if the stream ends without its blank line and it has data."""
        return [*self._take(self._whole_line()), *self._dispatch()]

    def _lines(self, chunk: bytes) -> Iterator[str]:
        if not chunk:
            return
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")
        self._after_cr = chunk.endswith(b"\r")
        for piece in chunk.splitlines(keepends=True):
            text = piece.rstrip(b"\r\n")
            self._line.append(text)
            if len(text) < len(piece):
                yield self._whole_line()

    def _whole_line(self) -> str:
        line = b"".join(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        return line.decode("utf-8", "replace")

    def _take(self, line: str) -> list[Message]:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        return []

    def _dispatch(self) -> list[Message]:
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return [Message(event, "\n".join(data))] if data else []
