"""YAML is read as plain data within limits, and every value has its place."""

import json
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cases.load import load
from mockserver.foundation.faults import ScenarioError
from mockserver.foundation.shipped import folder
from mockserver.scenario.source import MAX_BYTES, MAX_DEPTH, MAX_VALUES, Tree, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def value(text: str) -> object:
    return read(text.encode(), "x.yaml").value


def dumped(data: object, indent: int | None) -> str:
    """JSON as it is read here: invisible characters are escaped, those beyond U+FFFF are not."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(lambda unseen: f"\\u{ord(unseen[0]):04x}", text)


def alike(left: object, right: object) -> bool:
    """Equal and of the same types: 1 is neither 1.0 nor true."""
    return left == right and json.dumps(left) == json.dumps(right)


@given(JSON, st.sampled_from([None, 2]))
def test_json_is_read_as_a_json_parser_reads_it(data: object, indent: int | None) -> None:
    assert alike(value(dumped(data, indent)), data)


def test_json_may_be_compact_and_may_escape_its_slashes() -> None:
    assert value('{"a":[1,"b",null,{"":true}],"c":"\\/\\u0000"}') == {
        "a": [1, "b", None, {"": True}],
        "c": "/\0",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("~", "~"), ("2026-01-30", "2026-01-30"),
        ("0o17", "0o17"), ("017", "017"), ("1_000", "1_000"), ("0x1F", "0x1F"), (".5", ".5"),
        (".inf", ".inf"), ("True", "True"), ("12:30:00", "12:30:00"), ("true", True),
        ("null", None), ("", None), ("-0.5e3", -500.0),
        ("2512292042121000001", 2512292042121000001), ("1E5", 100000.0), ("1.", "1."), ("+1", "+1"),
        ("9_9", "9_9"), (".nan", ".nan"), ("Null", "Null"), ("off", "off"), ("0b1", "0b1"),
        ("190:20:30", "190:20:30"), ("<<", "<<"), ("=", "="), ('"5"', "5"), ("'true'", "true"),
    ],
)  # fmt: skip
def test_only_values_with_a_json_form_are_not_strings(text: str, expected: object) -> None:
    assert alike(value(f"key: {text}"), {"key": expected})


def test_a_key_is_always_a_string() -> None:
    assert value("1: a\ntrue: b\n1e400: c\n-0.50: d\nnull: e") == {
        "1": "a",
        "true": "b",
        "1e400": "c",
        "-0.50": "d",
        "null": "e",
    }


def test_integers_keep_their_digits_up_to_a_bound() -> None:
    assert value("9" * 4000) == int("9" * 4000)


REFUSED = {
    "a tag": ("key: !!python/object:os.system x", "1:6", "tag"),
    "a tag that is harmless elsewhere": ("key: !!str 5", "1:6", "tag"),
    "two documents": ("a: 1\n---\nb: 2", "2:1", "second document"),
    "nothing": ("# only a comment\n", "2:1", "empty"),
    "a key twice": ("a: 1\nb: 2\na: 3", "3:1", "'a' is here twice"),
    "a list as a key": ("? [a]\n: 1", "1:3", "a key must be a word"),
    "a mapping as a key": ("a:\n  ? {b: c}\n  : 1", "2:5", "a key must be a word"),
    "a list as a key by its alias": ("a: &x [1]\n*x : 1", "1:4", "a key must be a word"),
    "a key twice in a flow": ("a: {b: 1, b: 2}", "1:11", "'b' is here twice"),
    "a key twice, once in quotes": ('a: 1\n"a": 2', "2:1", "'a' is here twice"),
    "an alias to itself": ("a: &x [*x]", "1:8", "no finished anchor"),
    "an alias to nothing": ("a: *x", "1:4", "no finished anchor"),
    "too many digits": (f"a: {'9' * 5000}", "1:4", "5,000 digits"),
    "a number too large": ("a: 1e400", "1:4", "does not fit"),
    "a number too small": ("a: -1e400", "1:4", "does not fit"),
    "a tag of the author's own": ("%TAG ! x:\n---\na: !b 1", "3:4", "tag"),
    "a document marker alone": ("a: 1\n---\n", "2:1", "second document"),
    "a bell": ("a: 1\nb: x\x07", "2:5", "U+0007"),
    "a nul after an emoji": ("a: 👩‍👧\0", "1:7", "U+0000"),
    "a line separator": ("a: 1\r\nb: ' \u2028 '", "2:6", "U+2028"),
    "a next line": ('a: "x\x85y"', "1:6", "U+0085"),
    "a second byte order mark": ("\ufeff\ufeffa: 1", "1:1", "U+FEFF"),
    "a pair of surrogates": ('a: "\\ud83d\\ude00"', "1:7", "escape"),
    "a YAML of the future": ("%YAML 3.0\n---\na: 1", "1:1", "not YAML"),
    "too deep": ("[" * (MAX_DEPTH + 2), f"1:{MAX_DEPTH + 2}", "nested deeper"),
    "a tab for a space": ("a:\n\tb: 1", "2:1", "not YAML"),
    "an open quote": ('a: "b', "1:6", "not YAML"),
}


@pytest.mark.parametrize(("text", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_yaml_outside_the_subset_is_refused_at_its_place(
    text: str, place: str, message: str
) -> None:
    with pytest.raises(ScenarioError) as raised:
        value(text)
    (problem,) = raised.value.problems
    assert str(problem.place) == f"x.yaml:{place}"
    assert message in problem.message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: 1\nb: 2\na: 3", "first at x.yaml:1:1"),
        ("a: 1e400", "quote it"),
        ("a: " + "9" * 4001, "quote it"),
        ("a: \u2029", r"\u2028"),
        ('a: "\\ud83d\\ude00"', r"\U0001F600"),
        ('a: 1\nb: "x\nc: 1\n', "the quote that is opened in line 2, column 4"),
        ("a: [b\nc: d", "the '[' in line 1, column 4 is not closed"),
        ("- 1\n- a: {b: 1\n- 2", "the '{' in line 2, column 6 is not closed"),
        ("a: b: c", "': '"),
        ("a:\n  - 1\n - 2", "in the same column"),
        ("a: 'it's'", "a quote in single quotes is doubled"),
        ("a:\n\tb: 1", "spaces, not with tabs"),
        ("a: @b", "a text that begins with '@' must be quoted"),
    ],
)
def test_a_refusal_has_a_hint(text: str, hint: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        value(text)
    assert hint in raised.value.problems[0].hint


def test_aliases_are_followed_and_counted() -> None:
    assert value("a: &x [1, 2]\nb: *x") == {"a": [1, 2], "b": [1, 2]}
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    # The lists before a5 have 123,456 values, and a5 the others up to the ninth x of a0.
    with pytest.raises(ScenarioError, match=rf"x\.yaml:1:34: more than {MAX_VALUES:,} values"):
        value("\n".join(lines))


def test_depth_counts_through_aliases() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [[[*a{n - 1}]]]" for n in range(1, 20)]
    with pytest.raises(ScenarioError, match=r"x\.yaml:1:10: .* once aliases are expanded"):
        value("\n".join(lines))


def test_text_is_counted_through_aliases() -> None:
    long = "x" * 1_000_000
    assert value(f"a: &a {long}\nb: [*a, *a, *a]") == {"a": long, "b": [long] * 3}
    with pytest.raises(ScenarioError, match=r"x\.yaml:1:4: more than 4,194,304 characters"):
        value(f"a: &a {long}\nb: [*a, *a, *a, *a]")
    with pytest.raises(ScenarioError, match="more than 4,194,304 characters"):
        value(f"a: &a\n  ? {long}\n  : 1\nb: [*a, *a, *a, *a]")


def test_values_at_the_limits_are_accepted() -> None:
    assert read(b"a: " + b"x" * (MAX_BYTES - 3), "x.yaml").value["a"][-1] == "x"
    assert value("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    # 199 rows, each of 1000 values with the row itself, and a shorter last one
    rows = "[&row [" + "1," * 999 + "]," + "*row," * 198 + "[{}]]"
    last = MAX_VALUES - 199_002
    assert value(rows.format("1," * last)) == [[1] * 999] * 199 + [[1] * last]
    place = len(rows) - len("{}]]") + 2 * (last + 1) - 1
    with pytest.raises(ScenarioError, match=rf"x\.yaml:1:{place}: more than {MAX_VALUES:,} values"):
        value(rows.format("1," * (last + 1)))


def test_size_and_encoding_are_checked_first() -> None:
    with pytest.raises(ScenarioError, match="bytes"):
        read(b"a" * (MAX_BYTES + 1), "x.yaml")
    with pytest.raises(ScenarioError, match=r"x\.yaml:2:3: the byte 0xff is not UTF-8"):
        read("a: 1\näö".encode() + b"\xff", "x.yaml")
    with pytest.raises(ScenarioError, match=r"x\.yaml:1:4: the byte 0xed is not UTF-8"):
        read(b"a: \xed\xa0\x80", "x.yaml")
    with pytest.raises(ScenarioError, match=r"x\.yaml:1:1: the byte 0xff is not UTF-8"):
        read("a: 1".encode("utf-16"), "x.yaml")


PLACED = """\
# a comment
a:
  - {b: 1, "c": [x,  y]}
  - 😀: é
    long: >-
      folded
empty:
again: &here {k: v}
alias: *here
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_every_value_and_key_has_its_place(newline: str, mark: str) -> None:
    tree: Tree = read((mark + PLACED.replace("\n", newline)).encode(), "x.yaml")
    places = {path: (place.line, place.column) for path, place in tree.values.items()}
    keys = {path: (place.line, place.column) for path, place in tree.keys.items()}
    assert places == {
        (): (2, 1), ("a",): (3, 3), ("a", 0): (3, 5), ("a", 0, "b"): (3, 9), ("a", 0, "c"): (3, 17),
        ("a", 0, "c", 0): (3, 18), ("a", 0, "c", 1): (3, 22), ("a", 1): (4, 5),
        ("a", 1, "😀"): (4, 8), ("a", 1, "long"): (5, 11), ("empty",): (7, 7), ("again",): (8, 8),
        ("again", "k"): (8, 18), ("alias",): (8, 8), ("alias", "k"): (8, 18),
    }  # fmt: skip
    assert keys == {
        ("a",): (2, 1), ("a", 0, "b"): (3, 6), ("a", 0, "c"): (3, 12), ("a", 1, "😀"): (4, 5),
        ("a", 1, "long"): (5, 5), ("empty",): (7, 1), ("again",): (8, 1), ("again", "k"): (8, 15),
        ("alias",): (9, 1), ("alias", "k"): (8, 15),
    }  # fmt: skip


def test_a_value_without_a_place_has_the_place_of_its_parent() -> None:
    tree = read(b"a:\n  - {b: 1}\n", "x.yaml")
    assert str(tree.place(("a", 0, "nowhere", 3))) == "x.yaml:2:5"
    assert str(tree.key_place(("a", 0, "nowhere"))) == "x.yaml:2:5"


GOOD = [path.read_bytes() for path in sorted(folder("scenarios").rglob("*.yaml"))[:8]]


@given(st.sampled_from(GOOD), st.data())
def test_a_garbled_file_is_a_scenario_or_a_scenario_error(good: bytes, data: st.DataObject) -> None:
    garbled = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(garbled)))
        end = data.draw(st.integers(start, min(len(garbled), start + 30)))
        garbled[start:end] = data.draw(st.binary(max_size=6))
    with suppress(ScenarioError):
        load(bytes(garbled), "garbled.yaml", "any/garbled")
