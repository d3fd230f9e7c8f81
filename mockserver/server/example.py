"""Makes a value that satisfies a JSON Schema, as an improvised answer or arguments of a call.

Each part of the schema has candidates: its constants and defaults, else values that its bounds,
required fields, alternatives and references suggest. The first that the part accepts is taken. What
is optional is left out where it cannot be made, so that recursion ends. The same schema always
gives the same value.

The schema comes from an untrusted client: nothing is fetched for it, and all work is bounded.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from mockserver.foundation.json_text import dump
from mockserver.server.pattern import MAX_TEXT, NoExample, matcher, texts

Schema = Mapping[str, Any]
Path = tuple[str, ...]
"""The fields and items that lead to a value, and the references that were followed on the way."""

_MAX_VALUES = 5000
_MAX_STEPS = 30_000
_MAX_DEPTH = 40
_MAX_EXPANSIONS = 2
_MAX_ITEMS = 100
_MAX_MESSAGE = 300
_NO_FORMATS = FormatChecker(formats=())


def example(schema: Any) -> Any:
    """A value that the schema accepts. Raises NoExample, which says why, if none was found."""
    try:
        return next(_Maker(schema).values(schema, ("#",)))
    except NoExample as error:
        raise NoExample(_shorten(str(error))) from None
    except Unresolvable as error:
        raise NoExample(f"the reference {error.ref!r} leads to nothing within it") from None
    except RecursionError:
        raise NoExample("it goes too deep") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A reference may lead to a part of the document that was not checked as a schema.
        raise NoExample(f"it cannot be used: {type(error).__name__}") from error


class _Maker:
    """Makes values for one schema document, within a number of steps."""

    def __init__(self, root: Any) -> None:
        self._steps = 0
        draft = _draft(root)
        self._resolver = Registry().resolver_with_root(DRAFT202012.create_resource(root))
        keywords = {**draft.VALIDATORS, **_KEYWORDS}
        counted = {name: self._counted(keyword) for name, keyword in keywords.items()}
        validator: Any = extend(draft, counted)  # type: ignore[no-untyped-call]
        self._validator = validator(root, registry=Registry())

    def _spend(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise NoExample(f"the search was given up after {_MAX_STEPS:,} steps")

    def _counted(self, keyword: Any) -> Any:
        def check(*arguments: Any) -> Iterator[ValidationError]:
            self._spend()
            yield from keyword(*arguments) or ()

        return check

    def values(self, schema: Any, path: Path) -> Iterator[Any]:
        """The values that a part of the schema accepts, one at least, else raises NoExample."""
        place = "/".join(step for step in path if not step.startswith("#"))
        failed, accepted = "", False
        for value in self._candidates(schema, path):
            self._spend()
            if error := next(self._validator.evolve(schema=schema).iter_errors(value), None):
                failed = failed or _shorten(error.message)
            else:
                accepted = True
                yield value
        if not accepted:
            raise NoExample(f"{f'at {place}: ' if place else ''}{failed or 'it accepts nothing'}")

    def _value(self, schema: Any, path: Path, step: str) -> Any:
        if len(path) > _MAX_DEPTH:
            raise NoExample(f"it is more than {_MAX_DEPTH} levels deep")
        return next(self.values(schema, (*path, step)))

    def _optional(self, schema: Any, path: Path, step: str) -> list[Any]:
        try:
            return [self._value(schema, path, step)]
        except NoExample:
            self._spend()
            return []

    def _candidates(self, schema: Any, path: Path) -> Iterator[Any]:
        schema = _keywords(schema)
        fixed = ([schema[key]] for key in ("const", "default") if key in schema)
        yield from chain(*fixed, *(schema.get(key, ()) for key in ("examples", "enum")))
        if "const" in schema or "enum" in schema:
            return
        if key := next((key for key in _COMBINERS if schema.get(key)), ""):
            yield from self._combined(key, schema, path)
        else:
            for type_ in _types(schema):
                yield from _MAKERS[type_](self, schema, path)

    def _combined(self, key: str, schema: Schema, path: Path) -> Iterator[Any]:
        """The candidates of a schema that is merged with each alternative in turn.

        ``$ref`` and ``allOf`` give one. Raises the NoExample of the first if none has candidates.
        """
        rest = {name: value for name, value in schema.items() if name != key}
        if key == "$ref":
            reference = schema[key]
            if path.count(reference) == _MAX_EXPANSIONS:
                raise NoExample(f"the reference {reference!r} has no end")
            path, options = (*path, reference), [self._resolver.lookup(reference).contents]
        elif key == "allOf":
            for part in schema[key]:
                rest = _merge(rest, part)
            options = [{}]
        else:
            options = [option for option in schema[key] if option is not False]
        failed: list[NoExample] = []
        for option in options:
            try:
                yield from self._candidates(_merge(rest, option), path)
            except NoExample as error:
                failed.append(error)
        if failed and len(failed) == len(options):
            raise failed[0]

    def object(self, schema: Schema, path: Path) -> Iterator[dict[str, Any]]:
        """An object with what is required, else with one field; then with as few as allowed."""
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        others = next(iter(schema.get("patternProperties", {}).values()), others)
        required = dict.fromkeys(schema.get("required", ()))
        made = {name: self._value(properties.get(name, others), path, name) for name in required}
        missing = max(min(schema.get("minProperties", 0), _MAX_ITEMS) - len(made), not made)
        optional = (
            (name, value)
            for name in properties
            if name not in made
            for value in self._optional(properties.get(name, others), path, name)
        )
        yield {**made, **dict(islice(optional, missing))}
        yield made

    def array(self, schema: Schema, path: Path) -> Iterator[list[Any]]:
        """An array with an item if possible, then one with as few as allowed."""
        tuple_ = isinstance(schema.get("items"), list)
        first = schema["items"] if tuple_ else schema.get("prefixItems", ())
        rest = schema.get("additionalItems" if tuple_ else "items", True)
        if (least := schema.get("minItems", 0)) > _MAX_ITEMS:
            raise NoExample(f"more than {_MAX_ITEMS} items are demanded")
        made = [self._value(item, path, str(n)) for n, item in enumerate(first)]
        missing = max(least - len(made), 0)
        if not made and not missing and schema.get("maxItems") != 0:
            yield self._optional(rest, path, "0")
        if missing and schema.get("uniqueItems"):
            different = {dump(value): value for value in self.values(rest, (*path, "0"))}
            made += islice(different.values(), missing)
        elif missing:
            made += [self._value(rest, path, "0")] * missing
        yield made


def _draft(schema: Any) -> Any:
    """The validator of the draft that a schema names, else of 2020-12.

    Raises NoExample if the schema is invalid or too large.
    """
    if not isinstance(schema, dict | bool):
        raise NoExample("it is neither an object nor a boolean")
    values: list[Any] = [schema]
    for value in values:  # which are added in the loop
        values += value.values() if isinstance(value, dict) else ()
        values += value if isinstance(value, list) else ()
        if len(values) > _MAX_VALUES:
            raise NoExample(f"it has more than {_MAX_VALUES:,} values")
    draft: Any = validator_for(schema, default=Draft202012Validator)
    try:
        draft.check_schema(schema, format_checker=_NO_FORMATS)
    except SchemaError as error:
        place = f" at {'/'.join(map(str, error.absolute_path))}" if error.absolute_path else ""
        raise NoExample(f"it is invalid{place}: {_shorten(error.message)}") from None
    return draft


def _shorten(message: str) -> str:
    """A message without the end of a long value in it."""
    return message if len(message) <= _MAX_MESSAGE else f"{message[: _MAX_MESSAGE - 1]}…"


def _keywords(schema: Any) -> Schema:
    """The keywords of a schema; ``true`` has none. Raises NoExample for ``false``."""
    if isinstance(schema, Mapping):
        return schema
    if schema is True:
        return {}
    raise NoExample("it accepts nothing" if schema is False else "a part of it is no schema")


def _merge(one: Schema, other: Any) -> dict[str, Any]:
    """One schema that requires what both schemas require, as far as keywords can be merged."""
    other = _keywords(other)
    both = {**one, **other}
    if "properties" in one and "properties" in other:
        both["properties"] = {**one["properties"], **other["properties"]}
    for key in {"required", "allOf"} & one.keys() & other.keys():
        both[key] = [*one[key], *other[key]]
    return both


def _types(schema: Schema) -> list[str]:
    """The types that the schema allows, null last; else the one that its keywords imply."""
    implied = next((type_ for key, type_ in _IMPLIED.items() if key in schema), "string")
    named = schema.get("type", implied)
    return sorted([named] if isinstance(named, str) else named, key=lambda name: name == "null")


def _strings(schema: Schema) -> Iterator[str]:
    """A text of the schema's format, a usual word, texts of its pattern, then numbered words."""
    if isinstance(usual := _FORMATS.get(schema.get("format", "")), str):
        yield usual
    least = min(schema.get("minLength", 0), MAX_TEXT)
    yield "example".ljust(least, "x")[: schema.get("maxLength", MAX_TEXT)]
    if "pattern" in schema:
        yield from texts(schema["pattern"])
    else:
        yield from (f"example {n}".ljust(least, "x") for n in range(2, _MAX_ITEMS + 2))


def _numbers(schema: Schema) -> Iterator[Any]:
    """1 and 0, multiples, numbers next to the bounds and between them, then others above."""
    low = max((schema[key] for key in ("minimum", "exclusiveMinimum") if key in schema), default=0)
    high = min((schema[k] for k in ("maximum", "exclusiveMaximum") if k in schema), default=low + 1)
    step = schema.get("multipleOf", 1)
    start = math.floor(low / step) * step
    yield from (1, 0, step, low, low + 1, high, high - 1, (low + high) / 2)
    yield from (start + n * step for n in range(1, _MAX_ITEMS + 1))


def _integers(schema: Schema) -> Iterator[int]:
    for number in _numbers(schema):
        yield from dict.fromkeys((math.ceil(number), math.floor(number)))


_COMBINERS = ("$ref", "allOf", "anyOf", "oneOf")
_MAKERS: dict[str, Callable[[_Maker, Schema, Path], Iterator[Any]]] = {
    "object": _Maker.object,
    "array": _Maker.array,
    "string": lambda _, schema, __: _strings(schema),
    "integer": lambda _, schema, __: _integers(schema),
    "number": lambda _, schema, __: _numbers(schema),
    "boolean": lambda *_: iter((True, False)),
    "null": lambda *_: iter((None,)),
}
_IMPLIED = {
    **dict.fromkeys(("properties", "required", "additionalProperties", "minProperties"), "object"),
    **dict.fromkeys(("items", "prefixItems", "minItems"), "array"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"),
    "multipleOf": "number",
}
_FORMATS = {
    "date": "2026-01-30",
    "date-time": "2026-01-30T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
}


def _check_pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and not matcher(pattern)(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _check_by_pattern(validator: Any, patterns: Any, value: Any, _: Any) -> Iterator[Any]:
    for name, member in value.items() if isinstance(value, dict) else ():
        for pattern, schema in patterns.items():
            if matcher(pattern)(name):
                yield from validator.descend(member, schema)


def _check_others(validator: Any, other: Any, value: Any, schema: Any) -> Iterator[Any]:
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, member in value.items() if isinstance(value, dict) else ():
        if name not in known and not any(matcher(each)(name) for each in patterns):
            yield from validator.descend(member, other)


def _refuse_unevaluated(*_: Any) -> Iterator[Any]:
    raise NoExample("unevaluatedProperties is not supported")


# Keywords that jsonschema checks with ``re``.
_KEYWORDS = {
    "pattern": _check_pattern,
    "patternProperties": _check_by_pattern,
    "additionalProperties": _check_others,
    "unevaluatedProperties": _refuse_unevaluated,
}
