"""A conversation of host, adapter and upstream as a Mermaid sequence diagram.

Source: the diagram of the Copilot Chat annex; Mermaid, "Sequence diagrams".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.report import summary
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.report.timeline import Row

_MAX_TEXT = 100

# Characters with a meaning in Mermaid: the end of a statement, an entity, a tag.
_ESCAPED = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"})


def diagram(operation: str, turns: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """The diagram as text; a turn is the host's request in words and the timeline's rows."""
    lines = ["sequenceDiagram"]
    lines += [f"  participant {name}" for name in ("Host", "Adapter", "Upstream")]
    for asked, rows in turns:
        lines += [f"  Host->>Adapter: {_label(asked)}"]
        lines += [f"  Adapter->>Upstream: POST …/{operation}"]
        lines += [f"  {line}" for row in rows for line in _row(row)]
    return "\n".join(lines)


def _row(row: Row) -> Iterator[str]:
    if row.left and not row.is_request:
        yield f"Upstream-->>Adapter: {_label(row.left.strip())}"
    for emitted in row.right:
        to = "Upstream" if row.is_request else "Host"
        yield f"Adapter->>{to}: {_label(emitted)}"
    for finding in row.findings:
        yield f"Note over Adapter: {_label(summary.of_finding(finding))}"


def _label(text: str) -> str:
    return visible(summary.clip(text, _MAX_TEXT)).translate(_ESCAPED)
