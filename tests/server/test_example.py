"""A value is made for a JSON Schema, or it is said why there is none; both within bounds."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockserver.server.example import example
from mockserver.server.pattern import NoExample

SCHEMAS: list[Any] = [
    {"type": "string", "maxLength": 3},
    {"type": "string", "minLength": 20},
    {"type": "string", "format": "date-time"},
    {"type": ["null", "integer"]},
    {"type": "integer", "minimum": 5, "multipleOf": 4},
    {"type": "number", "exclusiveMinimum": 2.5},
    {"type": "number", "exclusiveMaximum": -3},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 3},
    {"type": "array", "prefixItems": [{"const": 1}, {"type": "null"}]},
    {"anyOf": [{"type": "object", "required": ["a"], "properties": {"a": {"const": {}}}}, {}]},
    {"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a", "b"]}]},
    {"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "$defs": {"n": {"enum": [7]}}},
    {"allOf": [True, {"type": "null"}]},
    {"anyOf": [True, False], "type": "integer"},
    {"default": "given"},
    {},
    True,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_an_example_satisfies_its_schema(schema: Any) -> None:
    Draft202012Validator(schema).validate(example(schema))


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_an_example_is_the_same_each_time(schema: Any) -> None:
    assert json.dumps(example(schema)) == json.dumps(example(copy.deepcopy(schema)))


# The parts of schemas that libraries make of types (zod, pydantic), and what they become.
MADE: list[tuple[Any, Any]] = [
    ({"type": "string", "pattern": "^[0-9]{5}$"}, "11111"),
    ({"type": "string", "pattern": r"^[A-Z]{3}-\d{2,}$"}, "AAA-11"),
    ({"type": "string", "pattern": r"^(?!\.)(?!.*\.\.)[a-z.]+@[a-z]{2,}$"}, "a@aa"),
    ({"type": "string", "pattern": "^(a?){25}a{25}$"}, "a" * 25),
    ({"type": "string", "pattern": "b|c", "maxLength": 1}, "b"),
    ({"type": "string", "format": "email", "pattern": r"^\S+@\S+$"}, "someone@example.com"),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
    ({"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}, 1),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, ["a"]),
    ({"items": {"enum": ["a", "b"]}, "minItems": 2, "uniqueItems": True}, ["a", "b"]),
    ({"type": "object", "patternProperties": {"^x": {"const": 1}}, "required": ["xy"]}, {"xy": 1}),
    ({"anyOf": [{"type": "string", "not": {}}, {"type": "null"}]}, None),
    ({"enum": ["a", 2], "type": "integer"}, 2),
    ({"type": "integer", "default": "wrong"}, 1),
    ({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"const": 5}}}, 5),
    ({"$ref": "#/anyOf/1", "anyOf": [{"const": 1}, {"const": 2}]}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), MADE, ids=lambda each: json.dumps(each)[:60])
def test_a_usual_value_is_preferred(schema: Any, value: Any) -> None:
    assert example(schema) == value


def test_the_draft_that_a_schema_names_is_used() -> None:
    pair = {"type": "array", "items": [{"type": "integer"}, {"const": 2}], "additionalItems": False}
    assert example({"$schema": "http://json-schema.org/draft-07/schema#", **pair}) == [1, 2]
    with pytest.raises(NoExample, match="it is invalid at items"):
        example(pair)


TREE = {
    "type": "object",
    "properties": {
        "left": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        "children": {"type": "array", "items": {"$ref": "#"}},
    },
    "required": ["left", "children"],
}


def test_recursion_ends_where_the_schema_allows_it() -> None:
    leaf: dict[str, Any] = {"left": None, "children": []}
    assert example(TREE) == {"left": leaf, "children": [leaf]}


def _nested(times: int) -> Any:
    items = _nested(times - 1) if times else {"type": "integer"}
    return {"type": "array", "minItems": 100, "items": items}


def _chain(link: Callable[[Any], Any]) -> Any:
    return {"d30": {}} | {f"d{n}": link({"$ref": f"#/$defs/d{n + 1}"}) for n in range(30)}


TWICE = _chain(lambda following: {"allOf": [following] * 2})
CHAIN = _chain(lambda following: {"required": ["a"], "properties": {"a": following}})

REFUSED: dict[str, tuple[Any, str]] = {
    "recursion without end": (
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
        "the reference '#' has no end",
    ),
    "a missing definition": ({"$ref": "#/$defs/none"}, "'/$defs/none' leads to nothing within it"),
    "another host": ({"$ref": "http://127.0.0.1:9/s.json"}, "leads to nothing within it"),
    "a file": ({"allOf": [{"$ref": "file:///etc/passwd"}]}, "leads to nothing within it"),
    "an unknown type": ({"type": "nonsense"}, "it is invalid at type: 'nonsense' is not valid"),
    "an invalid bound": ({"minLength": "x"}, "it is invalid at minLength: 'x' is not of type"),
    "a multiple of 0": ({"type": "integer", "multipleOf": 0}, "it is invalid at multipleOf"),
    "nothing allowed": ({"allOf": [{}, False]}, "it accepts nothing"),
    "false": (False, "it accepts nothing"),
    "a list": ([], "it is neither an object nor a boolean"),
    "a contradiction": (
        {"properties": {"a": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["a"]},
        "at a: ",
    ),
    "an unusual pattern": ({"type": "string", "pattern": r"^\p{Lu}$"}, "'example' does not match"),
    "an open group": ({"type": "string", "pattern": "("}, "the pattern '(' cannot be read"),
    "a slow pattern": ({"const": "a" * 60, "pattern": r"^(a|aa)+\1$x"}, " does not match "),
    "a slow name": (
        {"required": ["a" * 60], "patternProperties": {r"^((a|aa)+\2$x|a)": False}},
        "it accepts nothing",
    ),
    "a large pattern": ({"type": "string", "pattern": r"(\p{L}{500}){20}"}, "cannot be read"),
    "a long text": ({"type": "string", "pattern": "(a{900}){900}"}, "cannot be read"),
    "a longer text": ({"type": "string", "pattern": "^(a{90}){90}"}, "more than 1,000 characters"),
    "many items": ({"type": "array", "minItems": 1000}, "more than 100 items are demanded"),
    "many arrays": (_nested(4), "after 30,000 steps"),
    "doubling references": ({"$ref": "#/$defs/d0", "$defs": TWICE}, "after 30,000 steps"),
    "a deep chain": ({"$ref": "#/$defs/d0", "$defs": CHAIN}, "it is more than 40 levels deep"),
    "unevaluated fields": ({"required": [], "unevaluatedProperties": False}, "not supported"),
    "a large schema": ({"enum": list(range(6000))}, "it has more than 5,000 values"),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "why"), REFUSED.values(), ids=REFUSED)
def test_without_an_example_it_is_said_why(schema: Any, why: str) -> None:
    with pytest.raises(NoExample) as refused:
        example(schema)
    assert why in str(refused.value)
    assert len(str(refused.value)) <= 300


KEYWORDS = st.sampled_from(
    ["type", "enum", "const", "$ref", "anyOf", "allOf", "required", "items", "minimum", "minItems"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["object", "string", "#", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=3),
)


@given(VALUES)
def test_a_schema_of_any_shape_has_a_fitting_example_or_none(schema: Any) -> None:
    try:
        value = example(schema)
    except NoExample:
        return
    Draft202012Validator(schema).validate(value)


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "^", "$", r"\b", r"\.", "1", ""]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({'|'.join(each)})"),
        inner.map(lambda each: f"(?:{each})*"),
        inner.map(lambda each: f"(?:{each}){{1,2}}"),
        inner.map(lambda each: f"(?!{each})"),
        inner.map(lambda each: f"(?={each})"),
    ),
    max_leaves=6,
)


@given(PATTERNS)
def test_an_example_of_any_pattern_matches_it(pattern: str) -> None:
    try:
        value = example({"type": "string", "pattern": pattern})
    except NoExample:
        return
    assert re.search(pattern, value)


def test_without_jsonschema_rs_a_pattern_is_not_matched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.server.pattern.jsonschema_rs", None)
    with pytest.raises(NoExample, match="jsonschema-rs is not installed"):
        example({"type": "string", "pattern": "^(a|aa)+$x"})
    assert example({"type": "string"}) == "example"
