"""Whether a value keeps to a contract of ours, told fast; why it does not, jsonschema says.

Nearly everything that is checked is right, and jsonschema takes its time to find no error. Here a
schema becomes functions once. Only the keywords that our contracts use are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

Check = Callable[[Any], bool]

_SAY_NOTHING = frozenset(
    {"$schema", "$defs", "title", "description", "default", "contentEncoding", "then", "else"}
)
_compiled: dict[int, tuple[Any, Check]] = {}


def accepts(contract: bool | Mapping[str, Any]) -> Check:
    """A function that tells of a JSON value whether the contract accepts it.

    It is made once for a contract, which is known by its identity. Raises KeyError for a keyword
    that is not known here.
    """
    known = _compiled.get(id(contract))
    if known is None:
        # The contract is kept, so that no other can take over its identity.
        known = _compiled[id(contract)] = contract, _Compiler(contract).check(contract)
    return known[1]


def errors_of(validator: Draft202012Validator, value: Any) -> Iterator[ValidationError]:
    """What jsonschema says of a value; where there is nothing to say it is not asked."""
    return iter(()) if accepts(validator.schema)(value) else validator.iter_errors(value)


class _Compiler:
    """Makes the checks of one document; definitions may lead back to themselves."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._defined: dict[str, Check] = {}

    def check(self, schema: Any) -> Check:
        if isinstance(schema, bool):
            return _anything if schema else _nothing
        return _all([_KEYWORDS[word](self, schema) for word in schema if word not in _SAY_NOTHING])

    def at(self, reference: str) -> Check:
        """What a reference leads to, when it is first asked for."""
        assert reference.startswith("#"), reference

        def check(value: Any) -> bool:
            return self._resolved(reference)(value)

        return check

    def _resolved(self, reference: str) -> Check:
        if reference not in self._defined:
            schema: Any = self._document
            for step in reference[1:].split("/")[1:]:
                schema = schema[step]
            self._defined[reference] = self.check(schema)
        return self._defined[reference]


Schema = Mapping[str, Any]


def _anything(_: Any) -> bool:
    return True


def _nothing(_: Any) -> bool:
    return False


def _all(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def check(value: Any) -> bool:
        for each in checks:  # noqa: SIM110 (a generator takes twice as long)
            if not each(value):
                return False
        return True

    return check


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: Mapping[str, Check] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _type(_: _Compiler, schema: Schema) -> Check:
    wanted = schema["type"]
    return _TYPES[wanted] if isinstance(wanted, str) else _any([_TYPES[each] for each in wanted])


def _any(checks: list[Check]) -> Check:
    return lambda value: any(check(value) for check in checks)


def _key(value: Any) -> Any:
    """Equal for what is equal as JSON, where true is not 1, and 1 is 1.0."""
    if isinstance(value, dict):
        return frozenset((name, _key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return tuple(map(_key, value))
    return (bool, value) if isinstance(value, bool) else value


def _const(_: _Compiler, schema: Schema) -> Check:
    return _one_of_these([schema["const"]])


def _enum(_: _Compiler, schema: Schema) -> Check:
    return _one_of_these(schema["enum"])


def _one_of_these(wanted: list[Any]) -> Check:
    if all(isinstance(each, str) for each in wanted):
        words = frozenset(wanted)
        return lambda value: isinstance(value, str) and value in words
    keys = frozenset(map(_key, wanted))
    return lambda value: _key(value) in keys


def _bound(word: str, of: type | tuple[type, ...], holds: Callable[[Any, Any], bool]) -> Any:
    def made(_: _Compiler, schema: Schema) -> Check:
        bound = schema[word]
        return lambda value: (
            not isinstance(value, of) or isinstance(value, bool) or holds(value, bound)
        )

    return made


_BOUNDS = {
    "minLength": _bound("minLength", str, lambda value, bound: len(value) >= bound),
    "maxLength": _bound("maxLength", str, lambda value, bound: len(value) <= bound),
    "minItems": _bound("minItems", list, lambda value, bound: len(value) >= bound),
    "maxItems": _bound("maxItems", list, lambda value, bound: len(value) <= bound),
    "minProperties": _bound("minProperties", dict, lambda value, bound: len(value) >= bound),
    "maxProperties": _bound("maxProperties", dict, lambda value, bound: len(value) <= bound),
    "minimum": _bound("minimum", (int, float), lambda value, bound: value >= bound),
    "maximum": _bound("maximum", (int, float), lambda value, bound: value <= bound),
}


def _pattern(_: _Compiler, schema: Schema) -> Check:
    search = re.compile(schema["pattern"]).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _required(_: _Compiler, schema: Schema) -> Check:
    names = frozenset(schema["required"])
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _properties(compiler: _Compiler, schema: Schema) -> Check:
    checks = {name: compiler.check(inner) for name, inner in schema["properties"].items()}

    def check(value: Any) -> bool:
        if isinstance(value, dict):
            for name, inner in value.items():
                if name in checks and not checks[name](inner):
                    return False
        return True

    return check


def _additional(compiler: _Compiler, schema: Schema) -> Check:
    known = frozenset(schema.get("properties", ()))
    check = compiler.check(schema["additionalProperties"])
    if check is _nothing:
        return lambda value: not isinstance(value, dict) or value.keys() <= known
    return lambda value: (
        not isinstance(value, dict)
        or all(check(inner) for name, inner in value.items() if name not in known)
    )


def _names(compiler: _Compiler, schema: Schema) -> Check:
    check = compiler.check(schema["propertyNames"])
    return lambda value: not isinstance(value, dict) or all(map(check, value))


def _items(compiler: _Compiler, schema: Schema) -> Check:
    check = compiler.check(schema["items"])
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _unique(_: _Compiler, schema: Schema) -> Check:
    if not schema["uniqueItems"]:
        return _anything
    return lambda value: not isinstance(value, list) or len(set(map(_key, value))) == len(value)


def _depending(compiler: _Compiler, schema: Schema) -> Check:
    checks = {name: compiler.check(each) for name, each in schema["dependentSchemas"].items()}
    return lambda value: (
        not isinstance(value, dict)
        or all(check(value) for name, check in checks.items() if name in value)
    )


def _depending_names(_: _Compiler, schema: Schema) -> Check:
    wanted = {name: frozenset(names) for name, names in schema["dependentRequired"].items()}
    return lambda value: (
        not isinstance(value, dict)
        or all(names <= value.keys() for name, names in wanted.items() if name in value)
    )


def _all_of(compiler: _Compiler, schema: Schema) -> Check:
    return _all([compiler.check(each) for each in schema["allOf"]])


def _any_of(compiler: _Compiler, schema: Schema) -> Check:
    return _any([compiler.check(each) for each in schema["anyOf"]])


def _one_of(compiler: _Compiler, schema: Schema) -> Check:
    checks = [compiler.check(each) for each in schema["oneOf"]]
    return lambda value: sum(check(value) for check in checks) == 1


def _not(compiler: _Compiler, schema: Schema) -> Check:
    check = compiler.check(schema["not"])
    return lambda value: not check(value)


def _if(compiler: _Compiler, schema: Schema) -> Check:
    holds = compiler.check(schema["if"])
    then = compiler.check(schema.get("then", True))
    otherwise = compiler.check(schema.get("else", True))
    return lambda value: then(value) if holds(value) else otherwise(value)


def _ref(compiler: _Compiler, schema: Schema) -> Check:
    return compiler.at(schema["$ref"])


_KEYWORDS: Mapping[str, Callable[[_Compiler, Schema], Check]] = {
    "$ref": _ref,
    "type": _type,
    "const": _const,
    "enum": _enum,
    **_BOUNDS,
    "pattern": _pattern,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "uniqueItems": _unique,
    "dependentSchemas": _depending,
    "dependentRequired": _depending_names,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
