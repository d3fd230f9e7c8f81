"""``Framing``: how the items of a stream are written as lines of server-sent events.

An item is a block of fields, one on each line, and a blank line ends it. Variations map the fields
of blocks (``changes``), choose the line ends and the spaces after colons, and write something
before or after the whole stream.

Source: WHATWG HTML, "Server-sent events", § 9.2.5 "Parsing an event stream" and § 9.2.6
"Interpreting an event stream".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from mockserver.foundation.json_text import dump
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
    order. ``head`` is text before everything else, and ``tail`` text after the closing data. With
    ``closing_apart`` the closing data is in a write of its own, a moment after the last event.
    """

    newlines: tuple[str, ...] = ("\n",)
    event_line: bool = True
    space: str = " "
    closing: str = "[DONE]"
    closing_apart: bool = False
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


# Strings are matched so that the commas inside them are not.
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,', re.DOTALL)


def change_data(change: Callable[[Field], tuple[Field, ...]]) -> ChangeBlock:
    """A change of each data line of an event to the lines that ``change`` returns.

    The closing data is not JSON, so it stays.
    """

    def changed(block: Block) -> Block:
        if block.kind != "event":
            return block
        lines = (change(field) if field.name == "data" else (field,) for field in block.fields)
        return replace(block, fields=tuple(field for some in lines for field in some))

    return changed


def _in_several_lines(field: Field) -> tuple[Field, ...]:
    """The field as up to four lines: split at both braces, and after the comma in the middle."""
    text = field.value or ""
    if not (text.startswith("{") and text.endswith("}")):
        return (field,)
    commas = [found.end() for found in _STRING_OR_COMMA.finditer(text) if found[0] == ","]
    middle = commas[len(commas) // 2 : len(commas) // 2 + 1]
    places = sorted({0, 1, *middle, len(text) - 1, len(text)})
    return tuple(replace(field, value=text[a:b]) for a, b in pairwise(places))


SPLIT_DATA = change_data(_in_several_lines)
"""A change of blocks that writes the JSON of an event in several data lines."""
