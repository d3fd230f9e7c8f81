"""Every source resolves to a link, and ``docs/semantics.md`` has a paragraph for every rule."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from conformance.dialects.contracts import CONTRACTS
from conformance.findings.finding import Rule
from conformance.report.sources import (
    PAGE,
    Paragraph,
    anchor_of,
    cited,
    clauses,
    link,
    links,
    paragraphs,
    paragraphs_in,
    with_links,
)
from conformance.rules.tables import TABLES
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.variations import FAULTS, VARIATIONS
from tests.data import DATA, needs_data
from tests.docs.pages import ROOT

TEXT = ROOT.joinpath(PAGE).read_text("utf-8")
WRITE = f"write it below '### {{}}' in {PAGE}: what holds, when and for whom, and the reason"
TABLE = "name it in sources.yaml of conformance/report or of its dialect, with its link"
URLS = [address for address in links().values() if not anchor_of(address)]

# The sentences in which a paragraph names rules.
_JUDGED = re.compile(r"(?:Judged by|Judged of upstreams by) ([^.]*)\.")
_SCHEMA = "https://www.openresponses.org/openapi/openapi.json#/components/schemas/"


def rules() -> Iterator[Rule[Any]]:
    for table in TABLES.values():
        yield from table


def named_by_whom() -> dict[str, str]:
    """Every clause that something cites, with the first that cites it."""
    found: dict[str, str] = {}
    for rule in rules():
        for clause in clauses(rule.source):
            found.setdefault(clause, f"the rule {rule.id}")
    for entry in Catalogue.shipped().entries():
        assert entry.scenario, entry.id
        seen = (each.at for each in entry.scenario.seen)
        for clause in (*entry.scenario.source, *entry.scenario.reports, *seen):
            found.setdefault(clause, f"the scenario {entry.id}")
    for each in (*VARIATIONS.values(), *FAULTS.values()):
        for form in (each, *(of for _, of in each.by_dialect)):
            for clause in (*(seen.at for seen in form.seen), form.legal_by):
                found.setdefault(clause, f"the variation {each.name}")
    found.pop("")
    for known in CONTRACTS:
        for exception in known.exceptions:
            for clause in exception.source:
                of = f"{known.profile.name}@{known.profile.dialect}"
                found.setdefault(clause, f"the exception {exception.id} of {of}")
    return found


def test_every_source_of_a_rule_a_scenario_and_an_exception_is_a_link() -> None:
    lost = {clause: who for clause, who in named_by_whom().items() if not link(clause)}
    assert not lost, f"{TABLE}; or correct its spelling: {lost}"


def test_every_link_to_a_paragraph_has_its_paragraph() -> None:
    lost = [a for c in named_by_whom() if (a := anchor_of(link(c))) and a not in paragraphs()]
    lost += [a for each in links().values() if (a := anchor_of(each)) and a not in paragraphs()]
    assert not lost, WRITE.format(lost[0])


def test_every_rule_has_its_paragraph() -> None:
    lost = [rule.id for rule in rules() if rule.id not in paragraphs()]
    assert not lost, f"{lost} have no paragraph: {WRITE.format(lost[0])}" if lost else ""


def test_anchors_are_headings_of_their_own() -> None:
    anchors = [each.anchor for each in paragraphs_in(TEXT)]
    assert anchors == list(paragraphs())
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", anchor) for anchor in anchors)
    assert all(each.text and each.subject for each in paragraphs().values())


def test_paragraphs_name_rules_that_exist() -> None:
    ids = {rule.id for rule in rules()}
    for each in paragraphs().values():
        named = {n for j in _JUDGED.findall(each.plain) for n in re.findall(r"`([^`]+)`", j)}
        assert named <= ids, f"{each.anchor}: {named - ids}"


def test_every_paragraph_is_that_of_a_rule_or_says_which_rule_judges_it() -> None:
    ids = {rule.id for rule in rules()}
    without = {"stream-blocks", "tool-input-parts", "hosted-results", "image-results"}
    without |= {"mcp-approvals", "reasoning-summaries", "annotations-of-text", "stream-finish"}
    for each in paragraphs().values():
        if each.anchor in ids or each.subject == "Sources without a document":
            continue
        assert _JUDGED.search(each.plain) or each.anchor in without, each.anchor


def test_addresses_are_whole() -> None:
    for address in URLS:
        parts = urlsplit(address)
        assert (parts.scheme, bool(parts.netloc), " " in address) == ("https", True, False), address


@needs_data
def test_links_to_the_schema_of_openresponses_are_to_what_it_has() -> None:
    document = json.loads(DATA.joinpath("openresponses-2026-04-24.json").read_text("utf-8"))
    for address in URLS:
        if address.startswith(_SCHEMA):
            value = document["components"]["schemas"]
            for step in address.removeprefix(_SCHEMA).split("/"):
                assert step in value, address
                value = value[step]


@pytest.mark.parametrize(
    ("source", "split"),
    [
        ("A § 1", ("A § 1",)),
        ("A § 1, § 2; B", ("A § 1", "A § 2", "B")),
        ("A § x (y, z); A § 2", ("A § x (y, z)", "A § 2")),
    ],
)
def test_the_source_of_a_rule_is_split_into_clauses(source: str, split: tuple[str, ...]) -> None:
    assert clauses(source) == split


@pytest.mark.parametrize(
    ("clause", "address"),
    [
        ("vercel/ai#18548", "https://github.com/vercel/ai/issues/18548"),
        ("RFC 9110 § 10.2.3", "https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3"),
        ("a/b@f85, docs/c.json: D", "https://github.com/a/b/blob/f85/docs/c.json"),
        ("a/b, docs/c.json", "https://github.com/a/b/blob/HEAD/docs/c.json"),
        ("lm-stream-semantics § 5.3", "docs/semantics.md#errors"),
        ("semantics § stream-finish", "docs/semantics.md#stream-finish"),
        ("a document of one's own § 3", ""),
        ("javascript:alert(1)", ""),
        ("a/b#1\nc", ""),
    ],
)
def test_a_clause_has_a_link_by_its_name_or_its_form(clause: str, address: str) -> None:
    assert link(clause) == address


def test_the_source_of_a_finding_has_its_links_behind_it() -> None:
    assert with_links("RFC 8259 § 6; mine § 1") == (
        "RFC 8259 § 6 (https://www.rfc-editor.org/rfc/rfc8259#section-6); mine § 1"
    )


def test_a_page_is_read_by_its_headings() -> None:
    text = "# P\n\nbefore\n\n## S\n\nof s\n\n### a\n\none\ntwo [x](y#z)\n\n### b\n\nthree\n"
    first, second = paragraphs_in(text)
    assert (first.anchor, first.subject, first.plain) == ("a", "S", "one two x")
    assert second == Paragraph("b", "S", "three")


def test_the_paragraphs_that_sources_cite_come_once_in_the_order_of_the_page() -> None:
    sources = ["lm-stream-semantics § 5.3", "lm-stream-semantics § 1.1, § 5.3; observed", "x"]
    assert [each.anchor for each in cited(sources)] == ["stream-model", "errors", "observed"]
