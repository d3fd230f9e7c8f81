"""The page of rules, made from the rules themselves: about runs, about requests, about streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.rules import RULES
from conformance.rules.counting import COUNT_RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.contract.finding import Rule

PLACE = ROOT / "docs" / "rules.md"
BAR = "\\|"

_HEAD = """\
# Rules

An adapter is judged by what it emits, and an upstream by what it sends. Both kinds of rules are
asked in the order of their tables, specific ones first. What follows from an earlier finding is
counted under it and kept with it: one defect is one finding. A cause is never weaker than what it
explains, so a `should` never hides a `must`.

## What an adapter emits

Every run is judged by these rules. A finding of level `must` fails the test; one of level `should`
is reported, and fails it under `--should`. Where an upstream itself breaks its specification
(`conduct: violation`), losing what it never properly said is `should`.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_TURN = """
## What an adapter sends back upstream

The requests of a conversation are judged by these rules, from its second turn on with all that was
said before, and so is the request of a single turn where the scenario says what its `host` says. A
turn whose request is wrong is not judged further, and neither are those behind it.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_COUNT = """
## What an adapter counts

An adapter that claims [`count: true`](adapters.md#counting-tokens) is held to these rules. What it
tells is compared with what it has told before, and with what the upstream tells of its usage.

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

_STREAM = """
## What an upstream sends

`streamproof judge --stream` holds a recorded stream to the rules of its dialect, and
`streamproof lint` every scenario whose conduct is `legal`. What the prose or the schema of a
specification says is of level `must`; what SDKs enforce and what recordings show is of level
`should`. A single finding may stand at the other level, where its own clause does.
"""

_DIALECT = """
### In `{dialect}`

| rule | level | what holds | source |
| --- | --- | --- | --- |
"""

SOURCES = {
    "OpenResponses": "the OpenResponses specification, release 2026-04-24",
    "RFC 8259": "The JavaScript Object Notation (JSON) Data Interchange Format",
    "WHATWG HTML": "the HTML Standard; § 9.2.6 is the interpretation of an event stream",
    "openai": "what the published SDKs of OpenAI expect",
    "observed": "what recorded streams of several servers have in common",
    "streamproof": "no document: what a stream is of no use without",
    "lm-stream-semantics": "Language Model Provider Stream Semantics 1.0, draft of 2026-01-30: "
    "what a language model provider of VS Code may emit, and when",
    "copilot-annex": "Copilot Chat Annex: End-to-end Example, Mermaid Flow, and JSON Samples: an "
    "agent's conversation with the proxy",
    "OpenAI": "OpenAI's API reference: chat completions, and the guides to them",
    "drive/1": "the protocol between the kit and an adapter, `schemas/driver.json`",
    "ai": "the package of the AI SDK, 4 to 7: its types, and what its core and its client of UI "
    "messages take and refuse",
    "@ai-sdk/provider": "the types of a provider's parts: LanguageModelV2, V3 and V4",
    "@ai-sdk/gateway": "what the AI SDK's client of the AI Gateway takes and refuses",
    "AI SDK Core": "the AI SDK's documentation: streamText and its parts",
    "AI SDK UI": "the AI SDK's documentation: the protocol of a stream of UI messages",
    "scenario": "the sources that the scenario itself names",
    "rfc-00022": "SSE-to-VS Code State Machine Mapping, draft of 2026-01-30: OpenResponses events "
    "to the parts of VS Code",
    "stream-mapping": "Stream Feature Mapping & Integration Fixes, 2026-01-28: the streams of the "
    "AI SDK to the parts of VS Code",
}

_FOOT = """
## Sources

| name | document |
| --- | --- |
{sources}
This page is made from the tables of rules in `conformance/rules/` and in
`conformance/dialects/`; [CONTRIBUTING.md](../CONTRIBUTING.md#a-rule) says how.
"""


def page() -> str:
    """The text that `docs/rules.md` must have."""
    sources = "".join(_row(f"`{name}`", document) for name, document in SOURCES.items())
    of_adapters = f"{_HEAD}{_rows(RULES)}{_TURN}{_rows(TURN_RULES)}{_COUNT}{_rows(COUNT_RULES)}"
    streams = "".join(
        _DIALECT.format(dialect=dialect) + _rows(rules) for dialect, rules in STREAM_RULES.items()
    )
    return f"{of_adapters}{_STREAM}{streams}{_FOOT.format(sources=sources)}"


def write() -> None:
    """Make the page anew."""
    PLACE.write_text(page(), "utf-8")


def _rows(rules: Iterable[Rule[Any]]) -> str:
    return "".join(_row(f"`{r.id}`", r.level, r.holds, r.source) for r in rules)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |\n"
