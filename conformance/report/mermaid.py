"""A conversation as a sequence diagram in Mermaid's words: host, adapter and upstream.

Source: the diagram of the Copilot Chat annex; Mermaid, "Sequence diagrams".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report import summary as gist

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.report.timeline import Row

_MOST = 100

# What Mermaid takes for its own: the end of a statement, a character by number, a tag.
_ESCAPED = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"})


def diagram(operation: str, turns: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """The turns, each as what the host says and the rows of its timeline."""
    lines = ["sequenceDiagram"]
    lines += [f"  participant {name}" for name in ("Host", "Adapter", "Upstream")]
    for asked, rows in turns:
        lines += [f"  Host->>Adapter: {_said(asked)}"]
        lines += [f"  Adapter->>Upstream: POST …/{operation}"]
        lines += [f"  {line}" for row in rows for line in _row(row)]
    return "\n".join(lines)


def _row(row: Row) -> Iterator[str]:
    if row.left:
        yield f"Upstream-->>Adapter: {_said(row.left.strip())}"
    for emitted in row.right:
        yield f"Adapter->>Host: {_said(emitted)}"
    for finding in row.findings:
        yield f"Note over Adapter: {_said(gist.of_finding(finding))}"


def _said(words: str) -> str:
    return gist.visible(gist.clip(words, _MOST)).translate(_ESCAPED)
