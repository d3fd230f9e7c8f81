"""The page that lists scenarios has each one once, under its folder and its subject."""

import re
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import ScenarioError
from tests.suite import scenario
from website.scenario_pages import catalogue_page

_ROW = re.compile(
    r"^\| `(.+)` \| \[.+\]\(scenarios/(.+)\.md\) \| (?:legal|a \w+) \|$", re.MULTILINE
)


def test_the_page_links_the_page_of_every_scenario_once() -> None:
    rows = _ROW.findall(catalogue_page())
    assert [id_ for id_, _ in rows] == [place for _, place in rows]
    assert sorted(id_ for id_, _ in rows) == sorted(Catalogue.shipped().ids())


AREAS = {
    "a": ("text: Hello", "Text, and the stream itself"),
    "b": ("call: {id: call_1, name: run, input: {}}", "Calls"),
    "c": ("reasoning: Hm", "Thinking"),
    "d": ("refusal: No", "Refusals"),
    "e": ("incomplete: length", "Answers cut short"),
    "f": ("close: cut", "Failures"),
}


def test_a_scenario_is_under_its_folder_and_its_subject(tmp_path: Path) -> None:
    for name, (step, _) in AREAS.items():
        scenario(tmp_path, f"any/{name}", f"title: Mine\nturns: [{{says: [{{{step}}}]}}]\n")
    found = re.findall(
        r"^### (.+) \(any\)\n\n(?:\| [^`\n]*\n)*\| `any/(\w)`",
        catalogue_page(tmp_path),
        re.MULTILINE,
    )
    assert {name: area for area, name in found} == {n: area for n, (_, area) in AREAS.items()}
    assert "| [any](#any) | 6 | 6 | 0 | 0 |" in catalogue_page(tmp_path)


def test_a_broken_scenario_makes_no_page(tmp_path: Path) -> None:
    scenario(tmp_path, "any/broken", "title: Mine\nturns: [{sayz: []}]\n")
    with pytest.raises(ScenarioError):
        catalogue_page(tmp_path)
