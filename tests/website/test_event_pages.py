"""Every event that a scenario can send has a heading on its dialect's page, and is in the list."""

import re

import pytest

from conformance.suite.workbench import reference_adapters
from mockserver.dialects import DIALECTS
from tests.events.sent import events_of
from website.event_pages import pages
from website.start import anchor

PAGES = pages()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_event_has_a_heading_and_a_row_for_each_field(dialect: str) -> None:
    page = PAGES[f"reference/events/{dialect}.md"]
    headings = re.findall("^#+ (.+)$", page, re.MULTILINE)
    assert len(headings) == len({anchor(heading) for heading in headings})
    for event in events_of(dialect):
        section = re.split(rf"^#+ {re.escape(event.name)}$", page, flags=re.MULTILINE)[1]
        section = section.partition("\n#")[0]
        assert section.startswith(f"\n\n{event.field.about}.")
        rows = re.findall(r"^\| `(.+?)` \| .+? \| (✓?)", section, re.MULTILINE)
        assert [name for name, _ in rows] == list(event.field.fields)
        assert {name for name, mark in rows if mark} == event.filled & event.field.fields.keys()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_page_has_the_routes_and_the_reference_adapters_of_its_dialect(dialect: str) -> None:
    page = PAGES[f"reference/events/{dialect}.md"]
    routes = re.findall(r"`POST …/(.+?)`", page)
    assert routes == list(DIALECTS[dialect].requests.operations)
    listed = re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", page, re.MULTILINE)
    known = [each for each in reference_adapters() if dialect in each.dialects]
    assert known
    assert listed == [(each.name, each.vocabulary) for each in known]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_link_to_an_object_has_its_table(dialect: str) -> None:
    page = PAGES[f"reference/events/{dialect}.md"]
    anchors = {anchor(heading) for heading in re.findall("^#+ (.+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors


def test_every_event_is_in_the_list_with_a_link() -> None:
    listed = re.findall(r"\[`(.+?)`\]\(events/(.+?)\.md#", PAGES["reference/events.md"])
    assert listed == [(event.name, name) for name in DIALECTS for event in events_of(name)]
