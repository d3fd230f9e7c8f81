"""Makes a value that satisfies a JSON Schema, as the arguments of an improvised tool call.

It uses constants, defaults, bounds, required fields and references within the document, without
any search. If the result does not satisfy the schema, there is no value.

The schema comes from an untrusted client: nothing is fetched for it, and its patterns are applied
to short texts only, since the time of a match may double with each character.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

Schema = Mapping[str, Any]

_MAX_DEPTH = 8
_MAX_TEXT = 1000
_WORD = "example"
_FORMATS = {
    "date": "2026-01-30",
    "date-time": "2026-01-30T12:00:00Z",
    "time": "12:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "hostname": "example.com",
}


class NoExample(Exception):
    """No value was found, or the schema is invalid."""


def example(schema: Any) -> Any:
    """A value that the schema accepts. Raises NoExample if none was found."""
    try:
        Draft202012Validator.check_schema(schema)
        value = _Maker(schema).value(schema, 0)
        accepted = _Validator(schema, registry=_NOTHING_ELSE).is_valid(value)
    except _UNUSABLE as bad:
        raise NoExample(f"the schema cannot be used: {type(bad).__name__}") from bad
    if not accepted:
        raise NoExample("no value was found that the schema accepts")
    return value


_UNUSABLE = (
    SchemaError,
    Unresolvable,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    re.error,
)
_MAX_MATCHED = 16
_NOTHING_ELSE: Registry[Any] = Registry()


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matches(pattern, instance):
        yield ValidationError("no match")


def _pattern_properties(_: Any, patterns: Schema, instance: Any, __: Any) -> Iterator[Any]:
    names = instance if isinstance(instance, dict) else ()
    if any(_matches(pattern, name) for pattern in patterns for name in names):
        yield ValidationError("properties by pattern are not made")


def _matches(pattern: str, text: str) -> bool:
    if len(text) > _MAX_MATCHED:
        raise NoExample("a pattern is not tried on a text of that length")
    return re.search(pattern, text) is not None


_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"pattern": _pattern, "patternProperties": _pattern_properties}
)


class _Maker:
    """Makes values for one schema document."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def value(self, schema: Any, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise NoExample("the schema goes deeper than an example can")
        if not isinstance(schema, Mapping):
            return {}
        for key in ("const", "default"):
            if key in schema:
                return schema[key]
        for key in ("enum", "examples"):
            if schema.get(key):
                return schema[key][0]
        if merged := self._combined(schema, depth):
            return self.value(merged, depth + 1)
        return _MAKERS[_type(schema)](self, schema, depth)

    def _combined(self, schema: Schema, depth: int) -> Schema | None:
        """The schema with its reference resolved, or its first alternative merged in; else None."""
        rest = {key: value for key, value in schema.items() if key not in _COMBINING}
        if "$ref" in schema:
            return {**rest, **self._at(schema["$ref"])}
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return _merged(rest, _keywords(schema[key][0]))
        if schema.get("allOf"):
            for part in map(_keywords, schema["allOf"]):
                rest = _merged(rest, self._combined(part, depth) or part)
            return rest
        return None

    def _at(self, reference: str) -> Schema:
        """The schema that a reference within the document points to."""
        found = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            if step:
                found = found[step.replace("~1", "/").replace("~0", "~")]
        if not isinstance(found, Mapping):
            raise NoExample("a reference leads nowhere")
        return found

    def object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        wanted = schema.get("required") or list(properties)[:1]
        return {name: self.value(properties.get(name, {}), depth + 1) for name in wanted}

    def array(self, schema: Schema, depth: int) -> list[Any]:
        first = [self.value(item, depth + 1) for item in schema.get("prefixItems", ())]
        missing = min(schema.get("minItems", 0), _MAX_TEXT) - len(first)
        return first + [self.value(schema.get("items", {}), depth + 1) for _ in range(missing)]

    def string(self, schema: Schema, _depth: int) -> str:
        text = _FORMATS.get(schema.get("format", ""), _WORD)
        least = min(schema.get("minLength", 0), _MAX_TEXT)
        return text.ljust(least, "x")[: schema.get("maxLength", _MAX_TEXT)]

    def integer(self, schema: Schema, _depth: int) -> Any:
        step = schema.get("multipleOf", 1)
        return math.ceil(self.number(schema, 0) / step) * step

    def number(self, schema: Schema, _depth: int) -> Any:
        if "exclusiveMinimum" in schema:
            return math.floor(schema["exclusiveMinimum"]) + 1
        if "minimum" in schema:
            return schema["minimum"]
        if "exclusiveMaximum" in schema:
            return min(1, math.ceil(schema["exclusiveMaximum"]) - 1)
        return min(1, schema.get("maximum", 1))

    def boolean(self, _schema: Schema, _depth: int) -> bool:
        return True

    def null(self, _schema: Schema, _depth: int) -> None:
        return None


_COMBINING = ("$ref", "anyOf", "oneOf", "allOf")

_MAKERS: dict[str, Callable[[_Maker, Schema, int], Any]] = {
    "object": _Maker.object,
    "array": _Maker.array,
    "string": _Maker.string,
    "integer": _Maker.integer,
    "number": _Maker.number,
    "boolean": _Maker.boolean,
    "null": _Maker.null,
}


def _keywords(schema: Any) -> Schema:
    """The keywords of a schema; ``true`` has none. Raises NoExample for ``false``."""
    if schema is False:
        raise NoExample("the schema accepts nothing")
    return {} if schema is True else dict(schema)


def _type(schema: Schema) -> str:
    """The type that the schema requires, or the one that its keywords imply."""
    named = schema.get("type")
    if isinstance(named, list):
        named = next((name for name in named if name != "null"), "null")
    if named in _MAKERS:
        return str(named)
    if "properties" in schema or "required" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _merged(one: Schema, other: Schema) -> dict[str, Any]:
    """One schema that requires what both schemas require, as far as keywords can be merged."""
    both = {**one, **other}
    for key in ("properties", "$defs"):
        if key in one and key in other:
            both[key] = {**one[key], **other[key]}
    if "required" in one and "required" in other:
        both["required"] = [*one["required"], *other["required"]]
    return both
