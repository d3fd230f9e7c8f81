"""Makes a page for each rule: what it asks, why, what breaks it, and how to mend that."""

import re
from collections.abc import Iterator, Sequence

from conformance.findings.finding import Finding, Kind
from conformance.findings.words import describe, message_of, right_of
from conformance.report.rows import Row
from conformance.report.sources import clauses, paragraphs, remedies
from conformance.rules.claims import CLAIMS_KEPT
from conformance.rules.counting import COUNT_RULES
from conformance.rules.streams import STREAM_RULES
from conformance.rules.tables import TABLES
from website import found_in, rule_examples
from website.rule_examples import Example
from website.timeline_svg import draw
from website.words import link_clause, plain, prose

_DOCS = ".."
# Links of a paragraph of docs/semantics.md, within the page and to others.
_LINK = re.compile(r"\]\((?!https?://)([^)#]*)(#[^)]*)?\)")

_PAGE = """\
---
title: {id}
hide: [toc]
---

[Rules](../rules.md)

# {id}

{asks}

## Why

{why}

## What breaks it

{example}

## How to mend it

{remedy}

## What a finding says

A finding is of one of these kinds. `«name»` is one of its values, and what is in brackets is said
only sometimes.

{kinds}
{found}"""
_FOUND = """
## Where it was found

{libraries}
"""
_ASKS = (
    "[*{level}*](../rules.md#what-an-adapter-emits): {holds}.\n\nJudges {about}. Source: {sources}."
)
_KIND = "- `{}`: {} *{}*"
_OF_ADAPTER = """\
{scenario} in `{dialect}`, played to an adapter of the vocabulary `{vocabulary}` that is right but
for one bug. {about}

{timeline}
{code}
`streamproof show {case} --adapter adapter.yaml` plays it to yours.
"""
_CODE = """
The adapter is one that is right, with this change:

```python
{code}
```
"""
_OF_STREAM = """\
In `{dialect}`, a stream that is legal but for this finding:

{timeline}
"""
_AROUND = 4


def pages() -> dict[str, str]:
    """The pages of all rules, by place."""
    ids = dict.fromkeys(rule.id for rules in TABLES.values() for rule in rules)
    return {f"rules/{id_}.md": page(id_) for id_ in ids}


def page(id_: str) -> str:
    """The page about the rule with this id, as Markdown.

    It says what the rule asks and why, shows a run or a stream that breaks it, lists the kinds of
    its findings, and says how to mend that.
    """
    return _PAGE.format(
        id=id_,
        asks="\n\n".join(_asks(id_)),
        why=_why(id_),
        example=_example(id_),
        kinds="\n\n".join(_kinds(id_)),
        remedy=remedies()[id_],
        found="" if _dialects(id_) else _FOUND.format(libraries=found_in.of_rule(id_, _DOCS)),
    )


def _asks(id_: str) -> Iterator[str]:
    """What a rule asks, by whom it is judged: several dialects may have one of the same name."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for about, rules in TABLES.items():
        for rule in rules:
            if rule.id == id_:
                groups.setdefault((rule.level, rule.holds, rule.source), []).append(about)
    for (level, holds, source), abouts in groups.items():
        sources = "; ".join(link_clause(clause, _DOCS) for clause in clauses(source))
        yield _ASKS.format(
            level=level, holds=prose(holds), about="; ".join(abouts), sources=sources
        )


def _kinds(id_: str) -> Iterator[str]:
    """The kinds of findings of a rule as lists, one for the dialects that have the same kinds."""
    groups: dict[tuple[type[Kind], ...], list[str]] = {}
    for about, rules in TABLES.items():
        for rule in rules:
            if rule.id == id_:
                groups.setdefault(rule.kinds, []).append(about)
    for kinds, abouts in groups.items():
        rows = [_KIND.format(kind.name, *map(prose, describe(kind))) for kind in kinds]
        head = [f"About {'; '.join(abouts)}:", ""] if len(groups) > 1 else []
        yield "\n".join([*head, *rows])


def _why(id_: str) -> str:
    """The paragraph of docs/semantics.md, with links that lead there from the rule's page."""
    return _LINK.sub(
        lambda found: f"]({_DOCS}/{found[1] or 'semantics.md'}{found[2] or ''})",
        paragraphs()[id_].text,
    )


def _example(id_: str) -> str:
    if id_ == CLAIMS_KEPT.id:
        return _findings(rule_examples.find_in_claims(), "an adapter's claims")
    if id_ in {rule.id for rule in COUNT_RULES}:
        code, findings = rule_examples.find_in_counts(id_)
        shown = _findings(findings, "an adapter that counts wrongly")
        return f"{shown}\n{_CODE.format(code=code.strip())}"
    if dialects := _dialects(id_):
        return "\n".join(
            _of_stream(id_, rule_examples.show_stream(id_, dialect)) for dialect in dialects
        )
    return _of_adapter(id_, rule_examples.show_adapter(id_))


def _dialects(id_: str) -> list[str]:
    """The dialects whose upstreams a rule judges; none if it judges adapters."""
    return [name for name, rules in STREAM_RULES.items() if id_ in {rule.id for rule in rules}]


def _of_adapter(id_: str, shown: Example) -> str:
    assert shown.case
    scenario = shown.case.scenario
    return _OF_ADAPTER.format(
        scenario=f"[{plain(scenario.title)}]({_DOCS}/scenarios/{scenario.id}.md)",
        dialect=shown.case.dialect,
        about=prose(shown.about),
        case=shown.case,
        vocabulary=shown.vocabulary,
        timeline=draw(
            around(shown.rows), "the upstream sent", f"{shown.name} emitted", f"{id_} is broken"
        ),
        code=_CODE.format(code=shown.code.strip()) if shown.code else "",
    )


def _of_stream(id_: str, shown: Example) -> str:
    return _OF_STREAM.format(
        dialect=shown.dialect,
        timeline=draw(around(shown.rows), "the upstream sent", "", f"{id_} is broken"),
    )


def _findings(findings: Sequence[Finding], of: str) -> str:
    rows = [f"- {plain(message_of(f))}; *right*: {plain(right_of(f))}" for f in findings[:3]]
    return "\n".join([f"No single stream shows it. Findings about {of}:", "", *rows])


def around(rows: Sequence[Row]) -> list[Row]:
    """The rows near findings, with a row for each gap between them; all of a short timeline."""
    if len(rows) <= 5 * _AROUND:
        return list(rows)
    at = [n for n, row in enumerate(rows) if row.findings or row.missing]
    near = [n for n in range(len(rows)) if n < 2 or any(abs(n - place) <= _AROUND for place in at)]
    kept: list[Row] = []
    for before, n in zip([-1, *near], near, strict=False):
        kept += [_gap(n - before - 1)] if n > before + 1 else []
        kept.append(rows[n])
    return kept + ([_gap(len(rows) - near[-1] - 1)] if near[-1] < len(rows) - 1 else [])


def _gap(rows: int) -> Row:
    return Row(None, f"… {rows} more")
