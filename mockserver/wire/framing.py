"""``Framing``: how the items of a stream are written as lines of server-sent events.

An item is a block of fields, one on each line, and a blank line ends it. Variations map the fields
of blocks (``changes``), choose the line ends and the spaces after colons, and write something
before or after the whole stream.

Source: WHATWG HTML, "Server-sent events", § 9.2.5 "Parsing an event stream" and § 9.2.6
"Interpreting an event stream".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from mockserver.wire.event import Event

SentKind = Literal["event", "comment", "raw", "done"]


@dataclass(frozen=True, slots=True)
class Field:
    """A line: a name, a colon, ``space`` and a value. Without a value there is no colon, either.

    A comment has no name, and a blank line has neither name nor value.
    """

    name: str
    value: str | None
    space: str = " "

    @property
    def text(self) -> str:
        return self.name if self.value is None else f"{self.name}:{self.space}{self.value}"


BLANK = Field("", None)


@dataclass(frozen=True, slots=True)
class Block:
    """The fields of an item of a stream, without the blank line that ends it.

    ``n`` is the number of the item in the stream, from 0. Changes may add blank lines between the
    fields.
    """

    kind: SentKind
    n: int
    fields: tuple[Field, ...]


ChangeBlock = Callable[[Block], Block]


@dataclass(frozen=True, slots=True)
class Framing:
    """How events are encoded; the defaults are what every client can read.

    ``newlines`` are the line ends, which lines have in turn. ``closing`` is the data that ends the
    stream; empty if the stream ends without such data. ``changes`` are applied to each block, in
    order. ``head`` is text before everything else, and ``tail`` text after the closing data.
    """

    newlines: tuple[str, ...] = ("\n",)
    event_line: bool = True
    space: str = " "
    closing: str = "[DONE]"
    changes: tuple[ChangeBlock, ...] = ()
    head: str = ""
    tail: str = ""

    def changed(self, change: ChangeBlock) -> Framing:
        """The framing with one more change of blocks."""
        return replace(self, changes=(*self.changes, change))

    def event(self, event: Event, n: int = 0) -> str:
        """The text of an event, item ``n``. Its data is one line, since JSON escapes line ends."""
        named = (Field("event", event.type, self.space),) if self.event_line else ()
        return self._text("event", n, (*named, Field("data", dump(event.data), self.space)))

    def comment(self, text: str, n: int = 0) -> str:
        """The text of a comment, which clients ignore."""
        return self._text("comment", n, (Field("", text, self.space),))

    def last(self, n: int = 0) -> str:
        """The text of the closing data, such as ``data: [DONE]``."""
        return self._text("done", n, (Field("data", self.closing, self.space),)) + self.tail

    def _text(self, kind: SentKind, n: int, fields: tuple[Field, ...]) -> str:
        block = Block(kind, n, fields)
        for change in self.changes:
            block = change(block)
        lines = [field.text for field in (*block.fields, BLANK)]
        if len(self.newlines) == 1:
            return "".join([line + self.newlines[0] for line in lines])
        return "".join(map(str.__add__, lines, self._ends(lines, n)))

    def _ends(self, lines: list[str], n: int) -> list[str]:
        """The line ends in turn; a blank line whose LF would belong to a CR before it has CR LF."""
        ends: list[str] = []
        for at, line in enumerate(lines):
            end = self.newlines[(n + at) % len(self.newlines)]
            after_cr = not ends or ends[-1] == "\r"
            ends.append("\r\n" if not line and end == "\n" and after_cr else end)
        return ends
