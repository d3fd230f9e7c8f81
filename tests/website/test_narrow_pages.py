"""Names are broken where a reader would break them, and wide tables fit into narrow windows."""

import re

import pytest

from website.accessibility import narrow

LONG = "What becomes of a call of a tool that the request did not offer"


def table(heads: list[str], *rows: list[str]) -> str:
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{each}</td>' for each in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("response.output_item.added", "response.<wbr>output_<wbr>item.<wbr>added"),
        ("openresponses/hosted-web-search", "openresponses/<wbr>hosted-web-search"),
        ("sequence_number", "sequence_number"),
        ("--results-in-a-long-name", "--results-in-a-long-name"),
    ],
)
def test_a_long_name_may_be_broken_behind_its_marks(name: str, broken: str) -> None:
    in_table = table(["event"], [f"<code>{name}</code>"])
    assert narrow(in_table) == in_table.replace(name, broken)
    in_contents = f'<span class="md-ellipsis">{name}</span>'
    assert narrow(in_contents) == in_contents.replace(name, broken)
    in_text = f"<p><code>{name}</code></p>"
    assert narrow(in_text) == in_text


def test_each_cell_of_a_wide_table_has_its_heading() -> None:
    page = narrow(table(["a", "b", "c", "d &amp; e"], ["1", "2", "3", LONG], ["4", "", "6", "7"]))
    assert page.startswith("<table data-wide>")
    assert re.findall(r'<td data-head="(.*?)">', page) == ["a", "b", "c", "d &amp; e"] * 2


def test_a_table_of_few_digits_below_long_headings_is_wide() -> None:
    heads = ["operator", "mutants", "viable", "killed", "equivalent", "survived"]
    assert narrow(table(heads, ["1", "2", "3", "4", "5", "6"])).startswith("<table data-wide>")


@pytest.mark.parametrize(
    "kept",
    [
        table(["a", "b", "c"], ["1", "2", LONG]),
        table(["a", "b", "c", "d"], ["1", "2", "3", "4"]),
        table(["rate, to a peer", "one process", "two", "by time"], ["1", "2", "3", "4"]),
    ],
    ids=["few columns", "short cells", "headings of short words"],
)
def test_a_table_that_fits_stays_as_it_is(kept: str) -> None:
    assert narrow(kept) == kept
