"""The page of hosted parts has a row for each event, with the parts of the reference adapter."""

from dataclasses import replace

import pytest

from tests.rules.hosted_rows import ROWS, Row, case_of
from website.hosted import page, parts_of

SILENT = {
    "response.failed",
    "response.output_item.added (local_shell_call)",
    "response.output_item.added (shell_call)",
    "response.output_item.done (mcp_list_tools)",
}
"""The rows that the documents have, and of which no part comes; a failure is told at the end."""


def test_the_page_has_a_row_for_each_event_with_a_link_to_its_scenario() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| ")][2:]
    links = [f"../scenarios/{case_of(row).scenario.id}.yaml" for row in ROWS]
    assert len(rows) == len(links)
    assert all(link in row for link, row in zip(links, rows, strict=True))


def test_each_row_has_an_event_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_has_parts_unless_its_event_is_only_kept(row: Row) -> None:
    assert bool(parts_of(row, case_of(row))) != (row.id in SILENT)


def test_a_row_whose_scenario_lacks_its_event_makes_no_page() -> None:
    row = replace(ROWS[0], event="response.audio.done")
    with pytest.raises(AssertionError, match="has no such event"):
        parts_of(row, case_of(row))
