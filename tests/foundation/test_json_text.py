"""Untrusted JSON: what RFC 8259 allows, up to a given depth."""

import pytest

from mockserver.foundation.json_text import TooDeep, is_deeper, parse


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "1e400", "9" * 5000, "{", ""])
def test_invalid_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text, 9)


@pytest.mark.parametrize("levels", [3, 100, 100_000])
def test_json_above_the_given_depth_is_refused(levels: int) -> None:
    with pytest.raises(TooDeep, match="nested deeper than 2 levels"):
        parse("[" * levels + "]" * levels, 2)


def test_json_at_the_given_depth_is_read() -> None:
    assert parse('[{"a": 1}, [2]]', 2) == [{"a": 1}, [2]]


@pytest.mark.parametrize(
    ("value", "levels"), [(1, 0), ("x", 0), ([], 1), ({"a": 1}, 1), ([1, {"a": []}], 3)]
)
def test_depth_counts_nested_lists_and_objects(value: object, levels: int) -> None:
    assert not is_deeper(value, levels)
    assert levels == 0 or is_deeper(value, levels - 1)
