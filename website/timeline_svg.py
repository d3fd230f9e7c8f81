"""Draws a timeline as an SVG: events on the left of an axis, what came of them on its right.

The text is text, so that it can be selected and found. A page has each timeline twice, for wide
windows and for narrow ones, in which the parts are below their event; ``site.css`` shows one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO

from rich.console import Console
from rich.text import Text

from conformance.findings.words import right_of
from conformance.report import summary
from conformance.report.rows import Row
from mockserver.foundation.visible import visible

_CHARACTER, _LINE, _BASELINE = 7.3, 17, 12.5
_PAD = 5
_AXIS = 22
_MOST_ROWS = 60
_MOST_LINES, _MOST_LINES_OF_EVENT, _MOST_LINES_OF_FINDING = 8, 2, 5
_CONSOLE = Console(file=StringIO(), width=400)

# A line of text and its class in site.css.
_Line = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide a timeline is, in characters; without ``right`` the parts are below their event."""

    left: int
    right: int = 0

    @property
    def axis(self) -> float:
        return self.left * _CHARACTER + _AXIS / 2 if self.right else _AXIS / 3

    @property
    def parts_at(self) -> float:
        """The distance of the parts from the left edge."""
        return self.axis + _AXIS / 2 + (0 if self.right else 2 * _CHARACTER)

    @property
    def events_at(self) -> float:
        return 0 if self.right else self.axis + _AXIS / 2

    @property
    def width(self) -> float:
        return _AXIS + (self.left + self.right) * _CHARACTER

    @property
    def of_parts(self) -> int:
        return self.right or self.left - 2


_WIDE, _NARROW = _Columns(50, 54), _Columns(44)
_WIDE_ALONE = _Columns(100)
"""For a stream that no adapter has read."""


@dataclass
class _Picture:
    """The shapes of a timeline, drawn downwards from ``y``."""

    columns: _Columns
    y: float = 0
    shapes: list[str] = field(default_factory=list)

    def row(self, left: Sequence[_Line], right: Sequence[_Line], dot: str) -> None:
        """An event with its parts, and a dot of a class on the axis if it is not empty."""
        columns, top = self.columns, self.y + _PAD
        beside = bool(columns.right)
        self._texts(columns.events_at, top, left)
        below = 0 if beside else len(left)
        self._texts(columns.parts_at, top + below * _LINE, right)
        if dot:
            self.shapes.append(
                f'<circle class="{dot}" cx="{columns.axis:g}" cy="{top + _LINE / 2:g}" r="4"/>'
            )
        lines = max(len(left), len(right)) if beside else len(left) + len(right)
        self.y = top + lines * _LINE + _PAD

    def band(self, lines: Sequence[_Line], level: str) -> None:
        """A finding across both columns."""
        height = len(lines) * _LINE + 2 * _PAD
        self.shapes.append(
            f'<rect class="{level}" y="{self.y:g}" width="{self.columns.width:g}" '
            f'height="{height:g}" rx="3"/>'
        )
        self._texts(_PAD, self.y + _PAD, lines)
        self.y += height + _PAD

    def _texts(self, x: float, top: float, lines: Sequence[_Line]) -> None:
        for n, (text, style) in enumerate(lines):
            y = top + n * _LINE + _BASELINE
            named = f' class="{style}"' if style else ""
            self.shapes.append(f'<text{named} x="{x:g}" y="{y:g}">{escape(text)}</text>')

    def svg(self, name: str, label: str) -> str:
        width, height = self.columns.width, self.y + _PAD
        axis = self.columns.axis
        return (
            f'<svg class="{name}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'role="group" aria-label="{escape(label)}">'
            f'<path class="axis" d="M{axis:g} {_LINE + 2 * _PAD}V{height:g}"/>'
            f"{''.join(self.shapes)}</svg>"
        )


def draw(rows: Sequence[Row], left: str, right: str, label: str) -> str:
    """A timeline as HTML on one line; ``label`` says what it shows to who cannot see it.

    ``left`` and ``right`` are the headings of its columns; without ``right`` there is one column.
    """
    sizes = {"wide": _WIDE if right else _WIDE_ALONE, "narrow": _NARROW}
    drawn = "".join(
        _drawn(rows, left, right, columns).svg(name, label) for name, columns in sizes.items()
    )
    return f'<div class="timeline" data-search-exclude="">{drawn}</div>'


def _drawn(rows: Sequence[Row], left: str, right: str, columns: _Columns) -> _Picture:
    picture = _Picture(columns)
    picture.row([(left, "head")], [(right, "head")] if right else [], "")
    for row in rows[:_MOST_ROWS]:
        event = _wrapped(row.left.strip(), columns.left, _MOST_LINES_OF_EVENT)
        about = "event" if row.event is not None else "quiet"
        parts = list(_parts(row, columns.of_parts))
        picture.row([(line, about) for line in event], parts, _dot(row))
        for finding in row.findings:
            words: list[_Line] = [(summary.of_finding(finding), finding.level)]
            words += [(f"right: {right_of(finding)}", "quiet")] if right_of(finding) else []
            wide = int((columns.width - 2 * _PAD) / _CHARACTER)
            lines = [
                (line, style)
                for text, style in words
                for line in _wrapped(text, wide, _MOST_LINES_OF_FINDING)
            ]
            picture.band(lines, f"band-{finding.level}")
    if (more := len(rows) - _MOST_ROWS) > 0:
        picture.row([(f"… and {more} more rows", "quiet")], [], "")
    return picture


def _parts(row: Row, width: int) -> Iterator[_Line]:
    """What came of an event, what did not, or why nothing is due."""
    found = [(text, "part") for text in row.right] + [(text, "missing") for text in row.missing]
    if not found and (row.silent or row.ends):
        found = [(f"({row.ends})" if row.ends else row.silent, "quiet")]
    lines = [(line, style) for text, style in found for line in _wrapped(text, width, _MOST_LINES)]
    yield from lines[: 2 * _MOST_LINES]
    if len(lines) > 2 * _MOST_LINES:
        yield f"… and {len(lines) - 2 * _MOST_LINES} more lines", "quiet"


def _dot(row: Row) -> str:
    if row.findings or row.missing:
        return "wrong"
    return "shown" if row.right else "hollow" if row.event is not None else ""


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """A text in lines of at most ``width`` cells; more than ``most`` are cut."""
    lines = [line.plain.rstrip() for line in Text(visible(text)).wrap(_CONSOLE, width)]
    if len(lines) > most:
        kept = Text(lines[most - 1])
        kept.truncate(width - 1)
        lines = [*lines[: most - 1], f"{kept.plain}…"]
    return lines or [""]
