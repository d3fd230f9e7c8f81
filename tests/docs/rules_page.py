"""The page of rules, made from the rules themselves."""

from __future__ import annotations

from conformance.rules import RULES
from tests.docs.pages import ROOT

PLACE = ROOT / "docs" / "rules.md"
BAR = "\\|"

_HEAD = """\
# Rules

Every run is judged by these rules. A finding of level `must` fails the test; one of level `should`
is reported, and fails it under `--should`. Where an upstream itself breaks its specification
(`conduct: violation`), losing what it never properly said is `should`.

Rules are asked in this order, specific ones first. A finding claims the pieces of the run that it
explains, and no later rule reports them again: one defect is one finding.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

SOURCES = {
    "OpenResponses": "the OpenResponses specification, release 2026-04-24",
    "RFC 8259": "The JavaScript Object Notation (JSON) Data Interchange Format",
    "lm-stream-semantics": "Language Model Provider Stream Semantics 1.0, draft of 2026-01-30: "
    "what a language model provider of VS Code may emit, and when",
    "rfc-00022": "SSE-to-VS Code State Machine Mapping, draft of 2026-01-30: OpenResponses events "
    "to the parts of VS Code",
    "stream-mapping": "Stream Feature Mapping & Integration Fixes, 2026-01-28: the streams of the "
    "AI SDK to the parts of VS Code",
}

_FOOT = """
The sources:

| name | document |
| --- | --- |
{sources}
This page is made from `conformance/rules/`; [CONTRIBUTING.md](../CONTRIBUTING.md#a-rule) says how.
"""


def page() -> str:
    """The text that `docs/rules.md` must have."""
    sources = "".join(_row(f"`{name}`", document) for name, document in SOURCES.items())
    rules = "".join(_row(f"`{r.id}`", r.level, r.holds, r.source) for r in RULES)
    return f"{_HEAD}{rules}{_FOOT.format(sources=sources)}"


def write() -> None:
    """Make the page anew."""
    PLACE.write_text(page(), "utf-8")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |\n"
