"""A timeline shows events, what came of them, and findings, in a picture that text fits into."""

from xml.etree import ElementTree

import pytest

from conformance.report.rows import Row
from tests.findings.made import found
from website.rule_pages import around
from website.timeline_svg import draw

FINDING = found("call-once", "must", "the call came twice", "one part", "semantics § call-once")
LONG = "text '" + "word & <tag> " * 40 + "'"
ROWS = [
    Row(0, "  0 created", silent="lifecycle"),
    Row(1, "  1 delta 'Hi'", ["text 'Hi'"]),
    Row(2, "  2 delta", missing=["did not come: call"], findings=[FINDING]),
    Row(3, "  3 output_item.done" + " x" * 200, [LONG] * 30),
    Row(None, "", ["⏹ completed"]),
]
# Generous for a monospaced font of 12 pixels.
_CHARACTER = 7.3


def _drawn(rows: list[Row]) -> dict[str, ElementTree.Element]:
    pictures = ElementTree.fromstring(draw(rows, "sent", "emitted", "a <label>"))
    return {picture.attrib["class"]: picture for picture in pictures}


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_it_has_each_row_with_the_class_of_what_it_says(size: str) -> None:
    picture = _drawn(ROWS)[size]
    said = {each.text or "": each.get("class") for each in picture.iter("text")}
    assert said["0 created"] == "event"
    assert said["lifecycle"] == "quiet"
    assert said["text 'Hi'"] == "part"
    assert said["did not come: call"] == "missing"
    assert said["✗ call-once (must): the call came twice"] == "must"
    assert said["right: one part"] == "quiet"
    assert [dot.get("class") for dot in picture.iter("circle")] == [
        *("hollow", "shown", "wrong", "shown", "shown")
    ]


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_no_text_leaves_the_picture_or_meets_another(size: str) -> None:
    picture = _drawn(ROWS)[size]
    width = float(picture.attrib["width"])
    assert width <= (800 if size == "wide" else 358)
    ends: dict[str, float] = {}
    for each in picture.iter("text"):
        start = float(each.attrib["x"])
        assert start >= ends.get(each.attrib["y"], 0)
        ends[each.attrib["y"]] = start + len(each.text or "") * _CHARACTER
    assert max(ends.values()) <= width + _CHARACTER


def test_a_stream_that_no_adapter_has_read_has_one_column() -> None:
    (wide, _) = ElementTree.fromstring(draw(ROWS[:1], "sent", "", "a label"))
    assert [each.text for each in wide.iter("text")] == ["sent", "0 created", "lifecycle"]
    assert wide.attrib["width"] == "752"
    assert float(next(iter(wide.iter("circle"))).attrib["cx"]) < 10


def test_of_long_timelines_and_long_texts_only_so_much_is_shown() -> None:
    picture = _drawn([Row(n, f"{n:>3} delta", [LONG] * 9) for n in range(100)])["wide"]
    texts = [each.text or "" for each in picture.iter("text")]
    assert "… and 40 more rows" in texts
    assert "60 delta" not in texts
    assert any(text.startswith("… and ") and text.endswith(" more lines") for text in texts)


def test_rows_far_from_findings_are_left_out_with_their_number() -> None:
    rows = [Row(n, f"{n} delta") for n in range(40)]
    rows[20].findings.append(FINDING)
    kept = [row.left for row in around(rows)]
    assert kept == [
        *("0 delta", "1 delta", "… 14 more"),
        *(f"{n} delta" for n in range(16, 25)),
        "… 15 more",
    ]
    assert around(rows[:20]) == rows[:20]
