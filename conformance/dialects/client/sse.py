"""Server-sent events out of bytes, as they come: no I/O, no knowledge of what the events mean.

WHATWG HTML § 9.2.6 "Interpreting an event stream" in three steps: bytes to lines (LF, CR and CRLF
end a line), lines to fields, a blank line hands the event on. Two decisions are our own:

- Lines are cut before they are decoded. No byte of a longer UTF-8 sequence is a CR or an LF, so a
  whole line never ends inside a character, wherever the reads were cut.
- The standard drops an event that its blank line never followed. Here the end of the bytes is no
  proof that the stream ended well, so `Decoder.end` hands such an event on; whether it is of any
  use is for the caller to judge, who knows the terminal event and the format of the data.

Pieces of a line are kept in a list and joined once, so an event of any size costs time linear in
its size, however small the pieces are in which it is fed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Message:
    """One dispatched event; `event` is "message" where the stream names none."""

    event: str
    data: str


class Decoder:
    """Decodes one event stream; another connection needs another decoder."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Message]:
        """The messages that these bytes complete, in order."""
        return [message for line in self._lines(chunk) for message in self._take(line)]

    def end(self) -> list[Message]:
        """The message that the end of the bytes cut off from its blank line, if it has data."""
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
