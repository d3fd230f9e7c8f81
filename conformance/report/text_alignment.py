"""Finds the emitted text in the text that was sent: the event of each piece, and what is missing.

Texts are compared in UTF-16 code units, since a host may emit a surrogate pair in two parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LEAST_FOUND = 8
"""The shortest text that is searched for inside of later events; shorter ones occur by chance."""
_MOST_COMPARED = 2000
"""The longest text that is compared character by character."""
_LEAST_COMMON = 3
_LOOK_AHEAD = 64


class SentText:
    """The text that a stream sent, by event, and which of it has been emitted so far.

    ``pieces`` are the events' rows with their text, in order. Emitted texts are placed in order;
    each covers the sent text that it repeats.
    """

    def __init__(self, pieces: Iterable[tuple[int, str]]) -> None:
        said = [(row, _units(value)) for row, value in pieces if value]
        ends = list(accumulate(len(value) for _, value in said))
        self._text = "".join(value for _, value in said)
        self._rows = [row for row, _ in said]
        self._starts = [0, *ends][: len(ends)]
        self._spans = list(zip(self._starts, ends, strict=True))
        self._covered: list[tuple[int, int, int]] = []
        self._position = 0

    def place(self, value: str, part: int, *, exact: bool = False) -> int | None:
        """The row of the last sent character that an emitted text holds; None if it holds none.

        A text that repeats what was emitted before, or that was never sent, has no row. With
        ``exact``, an altered text has none either.
        """
        said = _units(value)
        found = list(self._matches(said, exact=exact))
        for start, end in found:
            self._covered.append((start, end, part))
            self._position = end
        return self._row_at(found[-1][1] - 1) if found else None

    def _matches(self, said: str, *, exact: bool) -> Iterator[tuple[int, int]]:
        """The ranges of the sent text that a text repeats, from the current position on."""
        at = self._position
        if self._text.startswith(said, at):
            yield from [(at, at + len(said))] if said else ()
        elif self._text.endswith(said, 0, at):
            return
        elif (later := self._find(said)) is not None:
            yield later, later + len(said)
        elif exact:
            return
        elif said.strip() and len(said) <= _MOST_COMPARED:
            yield from self._common(said)
        elif self._text[at : at + 1] == said[:1]:
            yield at, min(at + len(said), len(self._text))

    def _find(self, said: str) -> int | None:
        """Where a text begins that comes after text that was left out.

        White space may be an addition, so it is searched for in the next event only.
        """
        starts = [start for start in self._starts if start > self._position]
        starts = starts if said.strip() else starts[:1]
        found = next((start for start in starts if self._text.startswith(said, start)), None)
        if found is None and len(said) >= _LEAST_FOUND:
            inside = self._text.find(said, self._position)
            return inside if inside >= 0 else None
        return found

    def _common(self, said: str) -> Iterator[tuple[int, int]]:
        """The ranges that an altered text has in common with what is sent next."""
        at = self._position
        window = self._text[at : at + len(said) + _LOOK_AHEAD]
        matcher = SequenceMatcher(None, window, said, autojunk=False)
        blocks = [b for b in matcher.get_matching_blocks() if b.size >= _LEAST_COMMON]
        if 2 * sum(block.size for block in blocks) >= len(said):
            yield from ((at + b.a, at + b.a + b.size) for b in blocks)

    def _row_at(self, position: int) -> int:
        return self._rows[bisect_right(self._starts, position) - 1]

    def covering(self, row: int) -> list[int]:
        """The numbers of the parts that hold text of the event in a row, in order."""
        spans = self._spans_of(row)
        found = (
            part
            for a, b, part in self._covered
            if any(a < end and start < b for start, end in spans)
        )
        return list(dict.fromkeys(found))

    def missing(self, row: int, due: int) -> str:
        """What has not been emitted of the first ``due`` code units of an event's text."""
        out: list[str] = []
        for start, end in self._spans_of(row):
            last = min(end, start + due)
            due -= last - start
            for a, b, _ in self._covered:
                if a < last and start < b:
                    out.append(self._text[start : max(a, start)])
                    start = max(b, start)
            out.append(self._text[start:last])
        return _characters("".join(out))

    def _spans_of(self, row: int) -> list[tuple[int, int]]:
        at = bisect_left(self._rows, row), bisect_right(self._rows, row)
        return self._spans[slice(*at)]


def units(value: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(_units(value))


def _units(value: str) -> str:
    """A text whose characters are the UTF-16 code units of another."""
    if all(character <= "\uffff" for character in value):
        return value
    data = value.encode("utf-16-le", "surrogatepass")
    pairs = zip(data[::2], data[1::2], strict=True)
    return "".join(chr(low | high << 8) for low, high in pairs)


def _characters(code_units: str) -> str:
    return code_units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
