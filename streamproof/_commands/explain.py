"""``streamproof explain``: prints what a rule holds, its sources, kinds, reason and remedy.

Without a rule it lists them all; words that are no rule are answered with the rules that have them.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from conformance.findings.finding import LEVELS, Rule, Weight
from conformance.findings.words import describe
from conformance.report.sources import clauses, link, paragraphs, remedies
from conformance.rules.tables import TABLES
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.scenario.model import Standing
from streamproof._commands.options import width_option
from streamproof._commands.printing import make_console, print_paragraph, print_rows

_MOST_NAMED = 5


@click.command()
@click.argument("rule", nargs=-1)
@width_option
def explain(rule: tuple[str, ...], width: int | None) -> None:
    """Explain RULE (such as call-once): what it holds, its findings, why, and how to mend it.

    RULE may also be an anchor of docs/semantics.md, as in the source line of a finding. Without
    it, all rules are listed.
    """
    if not rule:
        _list(width)
        return
    anchor = " ".join(rule).rpartition("#")[2]
    named = [(about, r) for about, table in TABLES.items() for r in table if r.id == anchor]
    paragraph = paragraphs().get(anchor)
    if not named and paragraph is None:
        raise UserError(Problem(f"no rule is called {anchor!r}", hint=_hint(anchor)))
    console = make_console(width)
    for rows in _alike(named):
        _print_rules(rows, console)
    if paragraph:
        where = f"docs/semantics.md#{paragraph.anchor}: {paragraph.subject}"
        print_paragraph(where, console, "dim")
        print_paragraph(paragraph.plain, console)
    if remedy := remedies().get(anchor):
        console.print()
        print_paragraph("how to mend it", console, "dim")
        print_paragraph(remedy, console)


def _list(width: int | None) -> None:
    console = make_console(width)
    for about, table in TABLES.items():
        print_paragraph(about, console, "bold")
        print_rows([(f"  {rule.id}", rule.holds) for rule in table], console, width)
        console.print()
    print_paragraph("'streamproof explain RULE' says why, and how to mend what breaks it", console)


def _hint(anchor: str) -> str:
    """The rules that have all words of a name which is not theirs; else the nearest name."""
    rules = {rule.id: rule.holds for table in TABLES.values() for rule in table}
    words = [f" {word}" for word in anchor.lower().replace("-", " ").split()]
    texts = {id_: f" {id_} {holds}".lower().replace("-", " ") for id_, holds in rules.items()}
    about = [id_ for id_, text in texts.items() if all(word in text for word in words)]
    if words and about:
        return f"rules about it: {', '.join(about[:_MOST_NAMED])}"
    named = did_you_mean(anchor, {*rules, *paragraphs()})
    return named or "'streamproof explain' lists the rules"


def _alike(named: list[tuple[str, Rule[Any]]]) -> Iterable[list[tuple[str, Rule[Any]]]]:
    """The rules in groups of those that say the same; a rule may be asked in several dialects."""
    groups: dict[tuple[object, ...], list[tuple[str, Rule[Any]]]] = {}
    for about, rule in named:
        same = (rule.level, rule.holds, rule.source, rule.kinds)
        groups.setdefault(same, []).append((about, rule))
    return groups.values()


def _print_rules(rows: list[tuple[str, Rule[Any]]], console: Console) -> None:
    rule = rows[0][1]
    weights = tuple(weight for weight in LEVELS if weight in {k.weight for k in rule.kinds})
    title = rule.id if weights else f"{rule.id} ({rule.level})"
    print_paragraph(title, console, "bold")
    print_paragraph(rule.holds, console)
    for about, _ in rows:
        print_paragraph(f"judges: {about}", console, "dim")
    for clause in clauses(rule.source):
        print_paragraph(f"source: {clause}", console, "dim")
        if address := link(clause):
            # A link stays on one line, so that a terminal can open it.
            console.print(Text(f"  {address}", "dim"), soft_wrap=True)
    console.print()
    print_paragraph("kinds of findings, and what they say", console, "dim")
    for kind in rule.kinds:
        about, message = describe(kind)
        weight = f" ({kind.weight})" if kind.weight else ""
        print_paragraph(f"{kind.name}{weight}: {about}", console)
        print_paragraph(f"  {message}", console, "dim")
    console.print()
    for weight in weights:
        print_paragraph(f"{weight}: {_levels(weight)}", console, "dim")
    if weights:
        console.print()


_STREAMS: Mapping[Standing, str] = {
    "legal": "on legal streams",
    "deviation": "on deviations that an upstream is known to send",
    "violation": "on violations that one is known to send",
    "unknown": "on streams that nobody is known to send",
}


def _levels(weight: Weight) -> str:
    """The levels of a weight, each with the streams on which findings have it."""
    where: dict[str, list[str]] = {}
    for standing, level in LEVELS[weight].items():
        where.setdefault(level or "no finding", []).append(_STREAMS[standing])
    return "; ".join(f"{level} {', '.join(streams)}" for level, streams in where.items())
