"""Makes the page that lists the rules about runs, requests, counts and streams."""

from collections.abc import Iterable
from typing import Any

from conformance.findings.finding import Rule
from conformance.report.sources import documents
from conformance.rules import RULES
from conformance.rules.claims import CLAIMS_KEPT
from conformance.rules.counting import COUNT_RULES
from conformance.rules.framing import FRAMING_RULES
from conformance.rules.hosted import HOSTED_RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES
from website.words import link_clauses

BAR = "\\|"

_HEAD = """\
# Rules

Adapters are judged by what they emit, send back upstream and count; upstreams are judged by what
they send. Rules are asked in the order of their tables, specific ones first. A finding that is a
consequence of an earlier one is counted under that cause and kept with it, so that one defect is
one finding. A cause is never weaker than what it explains: a `should` never hides a `must`.

The page of a rule says when it holds, for whom and why, shows a run that breaks it, and how to mend
that. `streamproof explain RULE` prints the same without the run.

## What an adapter emits

Every run is judged by these rules. A finding of level `must` fails the test. A finding of level
`should` is reported, and fails the test only with `--should`. If the upstream itself breaks its
specification (`conduct: violation`), losing what it never properly sent is `should`.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_FRAMING = """
### How it frames the parts of `stream` and `fullstream`

Runs in these vocabularies are also judged by these rules, which say in which order the parts come
and how they refer to each other. An adapter in `stream` that declares
[`framing: none`](adapters.md#traits) is judged only in runs that have starts and ends of blocks,
`stream-start` or `response-metadata`. A run is not judged where its upstream breaks its
specification (unless it merely sends extensions), and not by a rule that an upstream which sends
such parts itself breaks.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_HOSTED = """
### What it emits of the upstream's own tools

Runs in `stream` and `fullstream` are also judged by these rules, which compare their parts with the
items of the upstream's own tools (code, images, searches, MCP), with its messages and with its
reasoning. OpenResponses has no such tools, so an adapter may ignore them altogether. One that
declares [`hosted_tools: emitted`](adapters.md#traits) may not. Who executes a call, and the ids of
approvals, are judged whatever the upstream does; the other rules do not judge a run whose upstream
breaks its specification (unless it merely sends extensions).

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_TURN = """
## What an adapter sends back upstream

These rules judge the requests of conversations, from the second turn on together with the
conversation so far. They also judge the requests of a scenario of one turn if it has a `host`. If
the request of a turn breaks a `must`, the rest of that turn and later turns are not judged.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_COUNT = """
## What an adapter counts

These rules judge adapters that claim [`count: true`](adapters.md#counting-tokens). Counts are
compared with earlier counts of the adapter, and with the usage that the upstream reports.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_CLAIMS = """
## What adapter.yaml claims

Claims that no scenario can test have [cases of their own](adapters.md#adapteryaml), before all
others.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_STREAM = """
## What an upstream sends

`streamproof judge --stream` judges a recorded stream by the rules of its dialect, and
`streamproof lint` does so with every scenario whose conduct is `legal`. Rules from the text or the
schema of a specification have the level `must`; rules from what SDKs enforce and recordings show
have the level `should`. A single finding may have the other level, if its own clause has.
`streamproof judge --stream --profile NAME` accepts the known exceptions of
[one upstream](profiles.md).
"""

_DIALECT = """
### In `{dialect}`

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_FOOT = """
## Sources

What documents say that are not published is restated in [semantics.md](semantics.md).

| name | document |
| --- | --- |
{sources}
This page is made from the tables of rules in `conformance/rules/` and in
`conformance/dialects/`; [CONTRIBUTING.md](../CONTRIBUTING.md#a-rule) says how.
"""


def page() -> str:
    """The text of the page."""
    sources = "".join(_row(f"`{name}`", document) for name, document in documents().items())
    emitted = [rule for rule in RULES if rule not in (*FRAMING_RULES, *HOSTED_RULES)]
    in_parts = f"{_FRAMING}{_rows(FRAMING_RULES)}{_HOSTED}{_rows(HOSTED_RULES)}"
    of_runs = f"{_HEAD}{_rows(emitted)}{in_parts}"
    of_adapters = f"{of_runs}{_TURN}{_rows(TURN_RULES)}{_COUNT}{_rows(COUNT_RULES)}"
    of_adapters += f"{_CLAIMS}{_rows([CLAIMS_KEPT])}"
    streams = "".join(
        _DIALECT.format(dialect=dialect) + _rows(rules) for dialect, rules in STREAM_RULES.items()
    )
    return f"{of_adapters}{_STREAM}{streams}{_FOOT.format(sources=sources)}"


def _rows(rules: Iterable[Rule[Any]]) -> str:
    return "".join(
        _row(f"[`{r.id}`](rules/{r.id}.md)", r.level, r.holds, link_clauses(r.source))
        for r in rules
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |\n"
