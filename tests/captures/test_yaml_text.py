"""Any JSON value becomes YAML that is read as the same value, and as nothing but data."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.scenario.source import read
from streamproof._captures.file_text import can_write, write_entry, write_inline, write_item

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _read(text: str) -> Any:
    return read(text.encode(), "text.yaml").value


@given(VALUES)
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    assert can_write(value)
    assert _read("\n".join(write_entry("value:", value, 2))) == {"value": value}
    assert _read("\n".join(write_item(value, 0))) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "true", "No", "null", "~", "1", "1e5", "0x1f", "2026-01-30", "&a b", "*a",
        "!!python/object:os.system", "- a", "a: b", "a #b", "{a}", "[a]", "%TAG", "'", '"', "'\"",
        "\\", '{"path":"C:\\\\Users"}', "a\nb", "\ttab", "é🚀", "\u2028\u0085\ufeff\x00\x7f", "---",
        "...", "?", "=", "<<",
    ],
)  # fmt: skip
def test_text_that_is_special_in_yaml_stays_text(text: str) -> None:
    assert _read(f"a: {write_inline(text)}") == {"a": text}
    # Other readers of YAML 1.1 find the same.
    assert yaml.safe_load(f"{{a: {write_inline(text)}, {write_inline(text)}: b}}") == {
        "a": text,
        text: "b",
    }


def _nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


UNWRITABLE = {
    "infinity": float("inf"),
    "half a character": "\ud83d",
    "half a character in a key": {"\ude80": 1},
    "a long key": {"k" * 501: 1},
    "a long number": 10**5000,
    "deep": _nested(50),
}


@pytest.mark.parametrize("name", list(UNWRITABLE))
def test_values_that_no_scenario_file_can_hold_are_known(name: str) -> None:
    assert not can_write(UNWRITABLE[name])
