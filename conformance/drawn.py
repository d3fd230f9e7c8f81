"""A timeline drawn for a terminal or a log."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.findings import Finding
    from conformance.timeline import Row

_WIDTH = 100


def draw(rows: Sequence[Row], left: str, right: str, console: Console) -> None:
    """Print a timeline as two columns."""
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column(left, overflow="fold", ratio=1)
    table.add_column(right, overflow="fold", ratio=1)
    for row in rows:
        table.add_row(Text(row.left), _right(row))
        for finding in row.findings:
            table.add_row(Text(""), _finding(finding))
    console.print(table)


def drawn(rows: Sequence[Row], left: str, right: str, width: int = _WIDTH) -> str:
    """A timeline as plain text, each line cut clean at its end."""
    buffer = StringIO()
    draw(rows, left, right, Console(file=buffer, width=width, no_color=True, highlight=False))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


def _right(row: Row) -> Text:
    if row.right:
        return Text("\n".join(row.right))
    return Text(f"· {row.silent}" if row.silent else "", style="dim")


def _finding(finding: Finding) -> Text:
    style = "bold red" if finding.level == "must" else "yellow"
    text = Text(f"✗ {finding.rule} ({finding.level}): {finding.message}", style=style)
    text.append(f"\n  right: {finding.right}\n  source: {finding.source}", style="dim")
    return text
