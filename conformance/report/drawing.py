"""Draws a timeline: in two columns for a terminal or a log, or as a Mermaid sequence diagram.

Findings are across both columns. The left column is cut, so that one event is one line; parts and
findings wrap. Source of the diagram: the Copilot Chat annex; Mermaid, "Sequence diagrams".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from conformance.dialects.short_text import clip
from conformance.findings.finding import Finding
from conformance.findings.words import right_of
from conformance.report import summary
from conformance.report.rows import NOTHING_CAME, Row
from conformance.report.sources import with_links
from mockserver.foundation.visible import visible

WIDTH = 100

_GAP = 2
_INDENT = 4
_HANGING = 2
# The most parts shown beside one event.
_MAX_PARTS = 40
_MAX_FINDINGS = 10
_LEGEND = "(· no output expected, and why)"
_MAX_RIGHT = 400
# The most of the width that the left column takes; a narrower one leaves more to the parts.
_LEFT_SHARE = 0.54
# The end of a cut text takes at most one part in this many, so that closing braces are seen.
_TAIL_SHARE = 4
# A type is shortened if it leaves less room than this; its last word always remains.
_LEAST_VALUE = 14
_LONG_TYPE = re.compile(r"(\s*\d+ [^\s…]{13})[^\s…]{3,}(\.[^\s.]+(?= ))")
# Text in quotes, and how short it may be cut where there are several.
_QUOTED = re.compile(r"(?<!\w)'[^']*'|(?<!\w)\"[^\"]*\"")
_LEAST_QUOTED = 3
_NUMBER = re.compile(r"\s*\d+ ")
# The number of an event, its type and its index.
_NAMED = re.compile(r"\s*\d+ \S+( \[\d+\])? ")


# Characters with a meaning in Mermaid: the end of a statement, an entity, a tag.
_ESCAPED_IN_DIAGRAMS = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"})
_MAX_LABEL = 100


def draw(
    rows: Sequence[Row], left: str, right: str, console: Console, *, sources: bool = True
) -> None:
    """Print a timeline as wide as the console; ``left`` and ``right`` are the column headings.

    With ``sources``, each finding names those of its rule.
    """
    for line in _lines(rows, left, right, console, sources=sources):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)


def draw_text(
    rows: Sequence[Row], left: str, right: str, width: int = WIDTH, *, sources: bool = True
) -> str:
    """A timeline as plain text, without trailing spaces."""
    buffer = StringIO()
    console = Console(file=buffer, width=width, no_color=True, highlight=False)
    draw(rows, left, right, console, sources=sources)
    return buffer.getvalue().rstrip("\n")


def draw_around(rows: Sequence[Row], finding: Finding, most: int, width: int = WIDTH) -> list[str]:
    """At most ``most`` lines of a timeline: the events around a finding, without any finding.

    An ellipsis stands where events are left out.
    """
    at = next((n for n, row in enumerate(rows) if finding in row.findings), None)
    if at is None:
        return []
    bare = [replace(row, findings=[]) for row in rows]
    console = Console(file=StringIO(), width=width, no_color=True, highlight=False)
    shown: list[str] = []
    # What led to a finding says more than what came after it.
    for before, after in ((0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (6, 2)):
        first, last = max(at - before, 0), min(at + after + 1, len(rows))
        drawn = _lines(bare[first:last], "", "", console, sources=False)
        lines = ["  …"] if first else []
        lines += [line.plain.rstrip() for line in drawn]
        lines += ["  …"] if last < len(rows) else []
        if len(lines) > most:
            break
        shown = lines
    return shown


def _lines(
    rows: Sequence[Row], left: str, right: str, console: Console, *, sources: bool
) -> Iterator[Text]:
    """The lines of a timeline; those without headings have no legend."""
    widest = max(cell_len(visible(text)) for text in (left, *(row.left for row in rows)))
    columns = _Columns(min(widest, int(console.width * _LEFT_SHARE)), console)
    if left or right:
        yield from columns.row(Text(visible(left), "bold"), [Text(visible(right), "bold")])
        if any(row.silent and not (row.right or row.missing or row.ends) for row in rows):
            yield from columns.row(Text(), [Text(_LEGEND, "dim")])
    said: set[tuple[str, str]] = set()
    for row in rows:
        yield from columns.row(Text(visible(row.left)), _right(row))
        for finding in row.findings[:_MAX_FINDINGS]:
            again = (finding.rule, right_of(finding)) in said
            said.add((finding.rule, right_of(finding)))
            yield from columns.across(_finding(finding, sources=sources, again=again))
        if (more := len(row.findings) - _MAX_FINDINGS) > 0:
            yield from columns.across([Text(f"… and {more:,} more findings", "dim")])


class _Columns:
    """Lays out rows of two columns, and paragraphs across both."""

    def __init__(self, left: int, console: Console) -> None:
        self._left = left
        self._console = console

    def row(self, left: Text, right: Sequence[Text]) -> Iterator[Text]:
        room = self._console.width - self._left - _GAP
        left = _cut(left, self._left)
        empty = Text(" " * self._left)
        lines = [line for text in right for line in _wrapped(text, room, self._console)]
        for n, line in enumerate(lines or [Text()]):
            yield _trimmed(Text.assemble(empty if n else left, " " * _GAP, line))

    def across(self, paragraphs: Sequence[Text]) -> Iterator[Text]:
        for text in paragraphs:
            for line in _wrapped(text, self._console.width - _INDENT, self._console):
                yield Text.assemble(" " * _INDENT, line)


def _cut(text: Text, width: int) -> Text:
    """A text of exactly this width; of a long value, the beginning and the end are kept.

    A long type leaves room for the value after it. Of several values each is cut. A sentence is cut
    at its end, as is what is no event.
    """
    shown, style = text.plain, text.style
    is_sentence = shown.endswith(".") or not _NUMBER.match(shown)
    named = _NAMED.match(shown)
    if cell_len(shown) > width and named and width - cell_len(named[0]) < _LEAST_VALUE:
        shown = _LONG_TYPE.sub(r"\1…\2", shown, count=1)
        named = _NAMED.match(shown)
    if cell_len(shown) > width and not is_sentence and len(_QUOTED.findall(shown)) > 1:
        shown = _with_short_values(shown, width)
    if cell_len(shown) > width and not is_sentence:
        room = width - cell_len(named[0]) if named else 0
        tail = shown[-max(1, min(room // 2, width // _TAIL_SHARE)) :]
        shown = f"{set_cell_size(shown, width - cell_len(tail) - 1).rstrip()}…{tail}"
    text = Text(shown, style)
    text.truncate(width, overflow="ellipsis", pad=True)
    return text


def _with_short_values(shown: str, width: int) -> str:
    """A text whose quoted values are cut, the longest first, until it fits or all are short."""
    while (more := cell_len(shown) - width) > 0:
        longest = max(_QUOTED.finditer(shown), key=lambda value: len(value[0]))
        if len(longest[0]) <= _LEAST_QUOTED:
            break
        room = max(_LEAST_QUOTED, len(longest[0]) - more)
        value = f"{longest[0][: room - 2]}…{longest[0][-1]}"
        shown = shown[: longest.start()] + value + shown[longest.end() :]
    return shown


def _wrapped(text: Text, width: int, console: Console) -> Iterator[Text]:
    """A text in lines of at most ``width``; continuation lines are indented."""
    first = text.wrap(console, width)[0]
    after = text.plain[len(first) :]
    rest = text[len(text.plain) - len(after.lstrip(" ")) :]
    yield _trimmed(first)
    if rest.plain.strip():
        for line in rest.wrap(console, width - _HANGING):
            yield _trimmed(Text.assemble(" " * _HANGING, line))


def _trimmed(text: Text) -> Text:
    text.rstrip()
    return text


def _right(row: Row) -> list[Text]:
    more = len(row.right) - _MAX_PARTS
    lines = [
        *(Text(visible(line)) for line in row.right[:_MAX_PARTS]),
        *([Text(f"… and {more:,} more parts", "dim")] if more > 0 else []),
        *(Text(visible(f"– {line}"), "yellow") for line in row.missing[:_MAX_PARTS]),
    ]
    return lines or ([Text(_silence(row), "dim")] if row.silent else [])


def _silence(row: Row) -> str:
    """Why no part is beside an event: the point is where none is expected."""
    if row.ends:
        return f"({row.ends})"
    return f"{'–' if row.silent == NOTHING_CAME else '·'} {row.silent}"


def _finding(finding: Finding, *, sources: bool, again: bool) -> list[Text]:
    """A finding; what is right instead and the sources only if they are not said ``again``."""
    style = "bold red" if finding.level == "must" else "yellow"
    follow = summary.of_how_many_follow(finding)
    right = [Text(visible(f"  right: {clip(right_of(finding), _MAX_RIGHT)}"), "dim")]
    source = Text(visible(f"  source: {with_links(finding.source)}"), "dim")
    return [
        Text(visible(summary.of_finding(finding)), style),
        *([] if again else [*right, *([source] if sources else [])]),
        *([Text(f"  {follow}", "dim")] if follow else []),
    ]


def draw_diagram(operation: str, turns: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """A conversation of host, adapter and upstream as a Mermaid sequence diagram.

    A turn is the host's request in words and the rows of its timeline.
    """
    lines = ["sequenceDiagram"]
    lines += [f"  participant {name}" for name in ("Host", "Adapter", "Upstream")]
    for asked, rows in turns:
        lines += [f"  Host->>Adapter: {_label(asked)}"]
        lines += [f"  Adapter->>Upstream: POST …/{operation}"]
        lines += [f"  {line}" for row in rows for line in _arrows(row)]
    return "\n".join(lines)


def _arrows(row: Row) -> Iterator[str]:
    if row.left and not row.is_request:
        yield f"Upstream-->>Adapter: {_label(row.left.strip())}"
    for emitted in row.right:
        to = "Upstream" if row.is_request else "Host"
        yield f"Adapter->>{to}: {_label(emitted)}"
    for finding in row.findings:
        yield f"Note over Adapter: {_label(summary.of_finding(finding))}"


def _label(text: str) -> str:
    return visible(clip(text, _MAX_LABEL)).translate(_ESCAPED_IN_DIAGRAMS)
