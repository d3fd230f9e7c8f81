"""The page of hosted parts is up to date with its rows and the scenarios, and has no empty row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.docs.hosted_page import PLACE, page, parts_of
from tests.reference.hosted_rows import ROWS, Row, case_of

_AGAIN = 'python -c "from tests.docs.hosted_page import write; write()"'

SILENT = {
    "response.output_item.added (local_shell_call)",
    "response.output_item.added (shell_call)",
    "response.output_item.done (mcp_list_tools)",
}
"""The rows that the documents have, and of which no part comes."""


def test_the_page_has_every_row_with_its_parts_and_its_scenario() -> None:
    assert PLACE.read_text("utf-8") == page(), f"make it again: {_AGAIN}"


def test_each_row_has_an_event_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_has_parts_unless_its_event_is_only_kept(row: Row) -> None:
    assert bool(parts_of(row, case_of(row))) != (row.id in SILENT)


def test_a_row_whose_scenario_lacks_its_event_makes_no_page() -> None:
    row = replace(ROWS[0], event="response.audio.done")
    with pytest.raises(AssertionError, match="has no such event"):
        parts_of(row, case_of(row))
