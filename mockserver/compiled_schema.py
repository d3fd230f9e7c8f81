"""Compiles a JSON Schema into a function that says quickly whether a value is valid.

Only the keywords that the shipped schemas need are known; a schema with any other is not compiled.
Why a value is invalid is for jsonschema to say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[Any], bool]
    Schema = bool | Mapping[str, Any]

_ANNOTATIONS = frozenset(
    {
        "$schema",
        "$id",
        "$defs",
        "$comment",
        "title",
        "description",
        "enumDescriptions",
        "default",
        "contentEncoding",
    }
)
# They are compiled together with the keyword beside them.
_COMPANIONS = frozenset({"then", "else"})


_MOST_COMPARED = 200


class _Unknown(Exception):
    """The schema has a keyword or a reference that is not known here."""


def compiled(schema: Schema) -> Check | None:
    """The function for a schema; None if it cannot be compiled.

    The function raises ValueError for a list that it cannot compare in reasonable time.
    """
    try:
        return _Compiler(schema).check(schema)
    except _Unknown:
        return None


class _Compiler:
    """Compiles the parts of one document; a definition is compiled once."""

    def __init__(self, document: Schema) -> None:
        definitions = {} if isinstance(document, bool) else document.get("$defs", {})
        self._defs = {
            "#": document,
            **{f"#/$defs/{name}": definitions[name] for name in definitions},
        }
        self._compiled: dict[str, Check] = {}

    def check(self, schema: Schema) -> Check:
        if isinstance(schema, bool):
            return lambda _value: schema
        checks = [
            self._keyword(name, schema)
            for name in schema
            if name not in _ANNOTATIONS and name not in _COMPANIONS
        ]
        return checks[0] if len(checks) == 1 else _all(checks)

    def _keyword(self, name: str, schema: Mapping[str, Any]) -> Check:
        if name not in _KEYWORDS:
            raise _Unknown
        check: Check = _KEYWORDS[name](self, schema[name], schema)
        return check

    def checks(self, schemas: list[Schema]) -> list[Check]:
        return [self.check(schema) for schema in schemas]

    def named(self, schemas: Mapping[str, Schema]) -> dict[str, Check]:
        return {name: self.check(schema) for name, schema in schemas.items()}

    def definition(self, reference: str) -> Check:
        """The check of a definition, which may refer to itself."""
        if reference not in self._defs:
            raise _Unknown
        found = self._compiled
        later: Check = lambda value: found[reference](value)  # noqa: E731
        if reference not in found:
            found[reference] = later
            found[reference] = self.check(self._defs[reference])
        return later


def _type(wanted: str | list[str]) -> Check:
    tests = [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: dict[str, Check] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON: 1 is 1.0, and not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)


def _one_of(values: list[Any]) -> Check:
    if all(isinstance(value, str) for value in values):
        known = frozenset(values)
        return lambda value: isinstance(value, str) and value in known
    return lambda value: any(_same(value, each) for each in values)


def _all(checks: list[Check]) -> Check:
    return lambda value: all(check(value) for check in checks)


def _any(checks: list[Check]) -> Check:
    return lambda value: any(check(value) for check in checks)


def _exactly_one(checks: list[Check]) -> Check:
    return lambda value: sum(map(bool, (check(value) for check in checks))) == 1


def _properties(checks: dict[str, Check]) -> Check:
    def valid(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, inner in value.items():
            if name in checks and not checks[name](inner):
                return False
        return True

    return valid


def _additional(check: Check, schema: Mapping[str, Any]) -> Check:
    if "patternProperties" in schema:
        raise _Unknown
    known = frozenset(schema.get("properties", ()))
    return lambda value: (
        not isinstance(value, dict)
        or all(name in known or check(inner) for name, inner in value.items())
    )


def _dependent(checks: dict[str, Check]) -> Check:
    return lambda value: (
        not isinstance(value, dict)
        or all(check(value) for name, check in checks.items() if name in value)
    )


def _required(names: list[str]) -> Check:
    return _of(dict, lambda value: all(name in value for name in names))


def _each(kind: type, check: Check) -> Check:
    """A check of each item of a list, or of each name in an object."""
    return _of(kind, lambda value: all(check(inner) for inner in value))


def _searches(pattern: str) -> Check:
    search = re.compile(pattern).search
    return lambda value: search(value) is not None


def _negation(check: Check) -> Check:
    return lambda value: not check(value)


def _branch(compiler: _Compiler, schema: Mapping[str, Any]) -> Check:
    test, then, other = (compiler.check(schema.get(name, True)) for name in ("if", "then", "else"))
    return lambda value: then(value) if test(value) else other(value)


def _unique(items: list[Any]) -> bool:
    if all(isinstance(item, str) for item in items):
        return len(set(items)) == len(items)
    if len(items) > _MOST_COMPARED:
        raise ValueError("too many values to compare each pair of them")
    return not any(_same(one, other) for n, one in enumerate(items) for other in items[:n])


def _of(kind: type | tuple[type, ...], test: Check) -> Check:
    """A check of values of one type; all others are valid."""
    return lambda value: not isinstance(value, kind) or isinstance(value, bool) or test(value)


_NUMBER = (int, float)

# Each takes the compiler, the value of the keyword, and the schema in which it stands.
_KEYWORDS: dict[str, Any] = {
    "type": lambda _c, wanted, _s: _type(wanted),
    "const": lambda _c, wanted, _s: _one_of([wanted]),
    "enum": lambda _c, values, _s: _one_of(values),
    "$ref": lambda c, reference, _s: c.definition(reference),
    "properties": lambda c, schemas, _s: _properties(c.named(schemas)),
    "required": lambda _c, names, _s: _required(names),
    "additionalProperties": lambda c, inner, schema: _additional(c.check(inner), schema),
    "dependentSchemas": lambda c, schemas, _s: _dependent(c.named(schemas)),
    "dependentRequired": lambda _c, names, _s: _dependent(
        {name: _required(needed) for name, needed in names.items()}
    ),
    "propertyNames": lambda c, inner, _s: _each(dict, c.check(inner)),
    "items": lambda c, inner, _s: _each(list, c.check(inner)),
    "uniqueItems": lambda _c, unique, _s: _of(list, _unique) if unique else _all([]),
    "pattern": lambda _c, pattern, _s: _of(str, _searches(pattern)),
    "not": lambda c, inner, _s: _negation(c.check(inner)),
    "oneOf": lambda c, schemas, _s: _exactly_one(c.checks(schemas)),
    "anyOf": lambda c, schemas, _s: _any(c.checks(schemas)),
    "allOf": lambda c, schemas, _s: _all(c.checks(schemas)),
    "if": lambda c, _test, schema: _branch(c, schema),
    "minimum": lambda _c, least, _s: _of(_NUMBER, lambda value: value >= least),
    "maximum": lambda _c, most, _s: _of(_NUMBER, lambda value: value <= most),
    "minLength": lambda _c, least, _s: _of(str, lambda value: len(value) >= least),
    "maxLength": lambda _c, most, _s: _of(str, lambda value: len(value) <= most),
    "minItems": lambda _c, least, _s: _of(list, lambda value: len(value) >= least),
    "maxItems": lambda _c, most, _s: _of(list, lambda value: len(value) <= most),
    "minProperties": lambda _c, least, _s: _of(dict, lambda value: len(value) >= least),
    "maxProperties": lambda _c, most, _s: _of(dict, lambda value: len(value) <= most),
}
