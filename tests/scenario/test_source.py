"""YAML is read as plain data: bounded, without surprises, every value with its place."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.faults import ScenarioError
from mockserver.scenario.load import load
from mockserver.scenario.source import MAX_BYTES, MAX_DEPTH, MAX_VALUES, Tree, read
from mockserver.shipped import folder

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # What YAML itself cannot hold inside of quotes is no text of a scenario file.
    | st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\x85")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner),
    max_leaves=12,
)


def value(text: str) -> object:
    return read(text.encode(), "x.yaml").value


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_json_is_read_as_json_reads_it(data: object) -> None:
    assert value(json.dumps(data, ensure_ascii=False)) == data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("~", "~"),
        ("2026-01-30", "2026-01-30"),
        ("0o17", "0o17"),
        ("017", "017"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        (".5", ".5"),
        (".inf", ".inf"),
        ("True", "True"),
        ("12:30:00", "12:30:00"),
        ("true", True),
        ("null", None),
        ("", None),
        ("-0.5e3", -500.0),
        ("2512292042121000001", 2512292042121000001),
        ('"5"', "5"),
        ("'true'", "true"),
    ],
)
def test_only_what_json_has_is_anything_but_a_string(text: str, expected: object) -> None:
    assert value(f"key: {text}") == {"key": expected}


REFUSED = {
    "a tag": ("key: !!python/object:os.system x", "1:6", "tag"),
    "a tag that is harmless elsewhere": ("key: !!str 5", "1:6", "tag"),
    "two documents": ("a: 1\n---\nb: 2", "2:1", "second document"),
    "nothing": ("# only a comment\n", "2:1", "empty"),
    "a key twice": ("a: 1\nb: 2\na: 3", "3:1", "'a' stands twice"),
    "a list as a key": ("? [a]\n: 1", "1:3", "a key must be a word"),
    "an alias to itself": ("a: &x [*x]", "1:8", "no finished anchor"),
    "an alias to nothing": ("a: *x", "1:4", "no finished anchor"),
    "too many digits": (f"a: {'9' * 5000}", "1:4", "5,000 digits"),
    "a number too large": ("a: 1e400", "1:4", "does not fit"),
    "too deep": ("[" * (MAX_DEPTH + 2), f"1:{MAX_DEPTH + 2}", "nested deeper"),
    "a tab for a space": ("a:\n\tb: 1", "2:1", "not YAML"),
    "an open quote": ('a: "b', "1:6", "not YAML"),
}


@pytest.mark.parametrize(("text", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_outside_the_subset_is_refused_at_its_place(
    text: str, place: str, message: str
) -> None:
    with pytest.raises(ScenarioError) as told:
        value(text)
    (problem,) = told.value.problems
    assert str(problem.place) == f"x.yaml:{place}"
    assert message in problem.message


def test_a_key_that_stands_twice_is_told_with_both_places() -> None:
    with pytest.raises(ScenarioError) as told:
        value("a: 1\nb: 2\na: 3")
    assert "x.yaml:1:1" in told.value.problems[0].hint


def test_aliases_are_followed_and_counted() -> None:
    assert value("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ScenarioError, match=f"more than {MAX_VALUES:,} values"):
        value("\n".join(lines))


def test_depth_counts_through_aliases() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [[[*a{n - 1}]]]" for n in range(1, 20)]
    with pytest.raises(ScenarioError, match="once aliases are expanded"):
        value("\n".join(lines))


def test_size_and_encoding_are_checked_before_anything_is_read() -> None:
    with pytest.raises(ScenarioError, match="bytes"):
        read(b"a" * (MAX_BYTES + 1), "x.yaml")
    with pytest.raises(ScenarioError, match=r"x\.yaml:2:1: the byte 0xff is not UTF-8"):
        read(b"a: 1\n\xff", "x.yaml")


def test_every_value_and_key_has_its_place() -> None:
    tree: Tree = read(b"a:\n  - {b: 1}\n", "x.yaml")
    assert str(tree.place(("a", 0, "b"))) == "x.yaml:2:9"
    assert str(tree.key_place(("a", 0, "b"))) == "x.yaml:2:6"
    assert str(tree.place(("a", 0, "nowhere"))) == "x.yaml:2:5"


GOOD = [path.read_bytes() for path in sorted(folder("scenarios").rglob("*.yaml"))[:8]]


@given(st.sampled_from(GOOD), st.data())
@settings(max_examples=1000, deadline=None)
def test_a_garbled_file_is_a_scenario_or_a_scenario_error(good: bytes, data: st.DataObject) -> None:
    garbled = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(garbled)))
        end = data.draw(st.integers(start, min(len(garbled), start + 30)))
        garbled[start:end] = data.draw(st.binary(max_size=6))
    with suppress(ScenarioError):
        load(bytes(garbled), "garbled.yaml", "any/garbled")
