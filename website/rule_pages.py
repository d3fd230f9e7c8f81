"""Makes the page that lists the rules, and a page for each: why, what breaks it, how to mend it."""

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from conformance.findings.finding import Rule
from conformance.findings.words import describe, message_of, right_of
from conformance.report.rows import Row
from conformance.report.sources import documents, paragraphs, remedies
from conformance.rules import RULES
from conformance.rules.claims import CLAIMS_KEPT
from conformance.rules.counting import COUNT_RULES
from conformance.rules.framing import FRAMING_RULES
from conformance.rules.hosted import HOSTED_RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES
from conformance.rules.tables import TABLES
from website import found_in, rule_examples
from website.timeline_svg import draw
from website.words import fill

T = TypeVar("T", bound=Hashable)

_DOCS = ".."
# Links of a paragraph of docs/semantics.md, within the page and to others.
_LINK = re.compile(r"\]\((?!https?://)([^)#]*)(#[^)]*)?\)")
_AROUND = 4


def list_page() -> str:
    """The page that lists the rules about runs, requests, counts and streams, as Markdown."""
    return fill(
        "rules",
        emitted=[rule for rule in RULES if rule not in (*FRAMING_RULES, *HOSTED_RULES)],
        framing=FRAMING_RULES,
        hosted=HOSTED_RULES,
        turns=TURN_RULES,
        counts=COUNT_RULES,
        claims=[CLAIMS_KEPT],
        streams=STREAM_RULES,
        documents=documents(),
    )


def pages() -> dict[str, str]:
    """The pages of all rules, by place."""
    ids = dict.fromkeys(rule.id for rules in TABLES.values() for rule in rules)
    return {f"rules/{id_}.md": page(id_) for id_ in ids}


def page(id_: str) -> str:
    """The page about the rule with this id, as Markdown.

    It says what the rule asks and why, shows a run or a stream that breaks it, lists the kinds of
    its findings, and says how to mend that.
    """
    dialects = [name for name, rules in STREAM_RULES.items() if id_ in {rule.id for rule in rules}]
    is_claim, is_count = id_ == CLAIMS_KEPT.id, id_ in {rule.id for rule in COUNT_RULES}
    is_shown = not (dialects or is_claim or is_count)
    return fill(
        "rule",
        id=id_,
        asked=_tables_of(id_, lambda rule: (rule.level, rule.holds, rule.source)),
        why=_why(id_),
        streams=[rule_examples.show_stream(id_, dialect) for dialect in dialects],
        claims=rule_examples.find_in_claims() if is_claim else (),
        counts=rule_examples.find_in_counts(id_) if is_count else (),
        adapter=rule_examples.show_adapter(id_) if is_shown else None,
        remedy=remedies()[id_],
        kinds_by_tables=_tables_of(id_, lambda rule: rule.kinds),
        libraries=found_in.of_rule(id_, _DOCS),
        **{each.__name__: each for each in (around, describe, draw, message_of, right_of)},
    )


def _tables_of(id_: str, what: Callable[[Rule[Any]], T]) -> dict[T, list[str]]:
    """What rules with an id have, and which tables have such a rule: dialects may share an id."""
    groups: dict[T, list[str]] = {}
    for table, rules in TABLES.items():
        for rule in rules:
            if rule.id == id_:
                groups.setdefault(what(rule), []).append(table)
    return groups


def _why(id_: str) -> str:
    """The paragraph of docs/semantics.md, with links that lead there from the rule's page."""
    return _LINK.sub(
        lambda found: f"]({_DOCS}/{found[1] or 'semantics.md'}{found[2] or ''})",
        paragraphs()[id_].text,
    )


def around(rows: Sequence[Row]) -> list[Row]:
    """The rows near findings, with a row for each gap between them; all of a short timeline."""
    if len(rows) <= 5 * _AROUND:
        return list(rows)
    at = [n for n, row in enumerate(rows) if row.findings or row.missing]
    near = [n for n in range(len(rows)) if n < 2 or any(abs(n - place) <= _AROUND for place in at)]
    kept: list[Row] = []
    for before, n in zip([-1, *near], [*near, len(rows)], strict=True):
        if n > before + 1:
            kept.append(Row(None, f"… {n - before - 1} more"))
        kept += rows[n : n + 1]
    return kept
