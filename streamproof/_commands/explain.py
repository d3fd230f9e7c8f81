"""``streamproof explain``: prints what a rule holds, its sources, why it holds, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from conformance.contract.sources import clauses, link
from conformance.report.remedies import remedies
from conformance.report.semantics import Paragraph, paragraphs
from conformance.rules.tables import TABLES
from conformance.suite.claims import RULE
from mockserver.faults import Problem, UserError, did_you_mean
from streamproof._commands.printing import console_of, print_paragraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

    from conformance.contract.finding import Rule

_TABLES: Mapping[str, Sequence[Rule[Any]]] = {**TABLES, "what adapter.yaml claims": (RULE,)}


@click.command()
@click.argument("rule")
@click.option("--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's.")
def explain(rule: str, width: int | None) -> None:
    """Explain RULE (such as call-once): what it holds, its sources, why, and how to mend it.

    RULE may also be an anchor of docs/semantics.md, as in the source line of a finding.
    """
    anchor = rule.rpartition("#")[2]
    named = [(about, r) for about, table in _TABLES.items() for r in table if r.id == anchor]
    paragraph = paragraphs().get(anchor)
    if not named and paragraph is None:
        raise UserError(Problem(f"no rule is called {anchor!r}", hint=_hint(anchor)))
    console = console_of(width)
    for rows in _alike(named):
        _print_rules(rows, console)
    if paragraph:
        _print_reason(paragraph, console)
    if remedy := remedies().get(anchor):
        console.print()
        print_paragraph("how to mend it", console, "dim")
        print_paragraph(remedy, console)


def _hint(anchor: str) -> str:
    rules = {rule.id for table in _TABLES.values() for rule in table}
    named = did_you_mean(anchor, {*rules, *paragraphs()})
    return named or "findings name their rules, such as call-once"


def _alike(named: list[tuple[str, Rule[Any]]]) -> Iterator[list[tuple[str, Rule[Any]]]]:
    """The rules in groups of those that say the same; a rule may be asked in several dialects."""
    groups: dict[tuple[str, str, str], list[tuple[str, Rule[Any]]]] = {}
    for about, rule in named:
        groups.setdefault((rule.level, rule.holds, rule.source), []).append((about, rule))
    yield from groups.values()


def _print_rules(rows: list[tuple[str, Rule[Any]]], console: Console) -> None:
    rule = rows[0][1]
    print_paragraph(f"{rule.id} ({rule.level})", console, "bold")
    print_paragraph(rule.holds, console)
    for about, _ in rows:
        print_paragraph(f"judges: {about}", console, "dim")
    for clause in clauses(rule.source):
        print_paragraph(f"source: {clause}", console, "dim")
        if address := link(clause):
            # A link stays on one line, so that a terminal can open it.
            console.print(Text(f"  {address}", "dim"), soft_wrap=True)
    console.print()


def _print_reason(paragraph: Paragraph, console: Console) -> None:
    print_paragraph(f"docs/semantics.md#{paragraph.anchor}: {paragraph.subject}", console, "dim")
    print_paragraph(paragraph.plain, console)
