"""Every rule is listed and has a page, with a run or a stream that breaks it."""

import re

import pytest

from conformance.dialects.tables import folders
from conformance.report.sources import documents, remedies
from conformance.rules import RULES
from conformance.rules.requests import TURN_RULES
from conformance.rules.streams import STREAM_RULES
from conformance.rules.tables import TABLES
from tests.docs.pages import ROOT
from website import rule_examples, rule_pages

IDS = {rule.id for rules in TABLES.values() for rule in rules}


def test_the_page_links_the_page_of_every_rule() -> None:
    linked = re.findall(r"^\| \[`(.+)`\]\(rules/\1\.md\)", rule_pages.list_page(), re.MULTILINE)
    assert set(linked) == IDS


def test_every_source_of_a_rule_is_explained_on_the_page() -> None:
    streams = [rule.source for rules in STREAM_RULES.values() for rule in rules]
    sources = [*(rule.source for rule in RULES), *streams]
    cited = {
        re.split(r" § ", source, maxsplit=1)[0]
        for several in sources
        for source in several.split("; ")
    }
    assert cited <= set(documents())


def test_every_rule_has_a_remedy_and_every_remedy_a_rule() -> None:
    assert set(remedies()) == IDS


@pytest.mark.parametrize("rule", [*(rule.id for rule in RULES), *(rule.id for rule in TURN_RULES)])
def test_the_run_on_the_page_of_a_rule_has_a_finding_of_it(rule: str) -> None:
    shown = rule_examples.show_adapter(rule)
    assert shown.about or shown.code
    assert rule in {f.rule for row in rule_pages.around(shown.rows) for f in row.findings}


@pytest.mark.parametrize(
    ("dialect", "rule"),
    [(dialect, rule.id) for dialect, rules in STREAM_RULES.items() for rule in rules],
)
def test_the_stream_on_the_page_of_a_rule_has_a_finding_of_it(dialect: str, rule: str) -> None:
    shown = rule_examples.show_stream(rule, dialect)
    assert rule in {f.rule for row in rule_pages.around(shown.rows) for f in row.findings}


def test_the_page_of_a_rule_says_what_why_where_and_how() -> None:
    text = rule_pages.page("call-once")
    headings = re.findall("^#+ (.+)$", text, re.MULTILINE)
    assert headings[:4] == ["call-once", "Why", "What breaks it", "How to mend it"]
    assert "exactly one part per call" in text
    assert "class EmitsAtEachPoint" in text
    assert "✗ call-once (must)" in text
    assert remedies()["call-once"] in text


def test_the_page_of_a_rule_lists_its_kinds_by_dialect() -> None:
    kinds = rule_pages.page("framing").partition("## What a finding says")[2].split("About ")
    assert len(kinds) == 1 + len(folders())
    for several in kinds[1:]:
        assert "- `not-utf8`: The data of an event has bytes that are not UTF-8. *" in several
    assert "- `unnamed`: Events have no names." in kinds[1]
    assert "«event\\_name»\\[ (and «more» more)\\], which no client reads*" in kinds[3]


def test_the_page_of_a_rule_links_the_libraries_that_break_it() -> None:
    of_library = ROOT.joinpath("docs/findings/langchain-openai.md").read_text("utf-8")
    assert "(../semantics.md#call-none-invented)" in of_library
    link = "[langchain-openai](../findings/langchain-openai.md)"
    assert link in rule_pages.page("call-none-invented")
