"""Makes values for a JSON Schema.

Each part of the schema has candidates: its constants and defaults, else values that its bounds,
required fields, alternatives and references suggest. The first that the part accepts is taken. What
is optional is left out where it cannot be made, so that recursion ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any
from urllib.parse import unquote

from referencing.exceptions import Unresolvable

from mockserver.foundation.json_text import dump
from mockserver.server.example.check import checker, problem, short
from mockserver.server.example.limits import MAX_ITEMS, Budget, NoExample
from mockserver.server.example.scalars import booleans, integers, nulls, numbers, strings

Schema = Mapping[str, Any]

_MAX_DEPTH = 40
_MAX_EXPANSIONS = 2
_NAME = "example"


def example(schema: Any) -> Any:
    """A value that the schema accepts. Raises NoExample, which says why, if none was found."""
    try:
        return next(_Maker(schema).values(schema, _Path()))
    except NoExample as error:
        raise NoExample(short(str(error))) from None
    except Unresolvable as error:
        raise NoExample(f"the reference {error.ref!r} leads to nothing within it") from None
    except RecursionError:
        raise NoExample("it goes too deep") from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # A reference may lead to any part of the document, which was then not checked as a schema.
        raise NoExample(f"it cannot be used: {type(error).__name__}") from error


@dataclass(frozen=True, slots=True)
class _Path:
    """The path to a value, and the references that were followed from the root of the schema."""

    steps: tuple[str, ...] = ()
    followed: tuple[str, ...] = ("#",)
    depth: int = 0

    def to(self, *steps: str) -> _Path:
        """The path of a member, or of another schema for the same value."""
        if self.depth == _MAX_DEPTH:
            raise NoExample(f"it is more than {_MAX_DEPTH} levels deep")
        return _Path((*self.steps, *steps), self.followed, self.depth + 1)

    def through(self, reference: str) -> _Path:
        """The same path, seen through a reference; a recursive one is followed twice at most."""
        if self.followed.count(reference) == _MAX_EXPANSIONS:
            raise NoExample(f"the reference {reference!r} has no end")
        return _Path(self.steps, (*self.followed, reference), self.depth)

    def __str__(self) -> str:
        return f"at {'/'.join(self.steps)}: " if self.steps else ""


class _Maker:
    """Makes values for one schema document."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._budget = Budget()
        self._checked = checker(root, self._budget)

    def values(self, schema: Any, path: _Path) -> Iterator[Any]:
        """The values that a part of the schema accepts, one at least, else raises NoExample."""
        failed = ""
        accepted = False
        for value in self._candidates(schema, path):
            self._budget.spend()
            if why := problem(self._checked, schema, value):
                failed = failed or why
            else:
                accepted = True
                yield value
        if not accepted:
            raise NoExample(f"{path}{failed or 'it accepts nothing'}")

    def _value(self, schema: Any, path: _Path) -> Any:
        return next(self.values(schema, path))

    def _optional(self, schema: Any, path: _Path) -> list[Any]:
        """A value in a list, which is empty if there is none."""
        try:
            return [self._value(schema, path)]
        except NoExample:
            self._budget.spend()
            return []

    def _candidates(self, schema: Any, path: _Path) -> Iterator[Any]:
        schema = _keywords(schema)
        fixed = [[schema[key]] for key in ("const", "default") if key in schema]
        yield from chain(*fixed, *(schema.get(key, ()) for key in ("examples", "enum")))
        if "const" in schema or "enum" in schema:
            return
        combined = self._combined(schema, path)
        yield from _any_of(combined) if combined else self._of_types(schema, path)

    def _of_types(self, schema: Schema, path: _Path) -> Iterator[Any]:
        for type_ in _types(schema):
            yield from _MAKERS[type_](self, schema, path)

    def _combined(self, schema: Schema, path: _Path) -> list[Iterator[Any]]:
        """The candidates of each alternative, merged with the schema; of it alone if none has any.

        A reference and ``allOf`` give one.
        """
        if "$ref" in schema:
            reference = schema["$ref"]
            merged = _merged(_without(schema, "$ref"), self._at(reference))
            return [self._candidates(merged, path.through(reference).to())]
        if parts := schema.get("allOf"):
            merged = _without(schema, "allOf")
            for part in parts:
                merged = _merged(merged, _keywords(part))
            return [self._candidates(merged, path.to())]
        for key in ("anyOf", "oneOf"):
            if options := schema.get(key):
                rest = _without(schema, key)
                return [
                    self._candidates(_merged(rest, option), path.to())
                    for option in options
                    if option is not False
                ]
        return []

    def _at(self, reference: str) -> Schema:
        """The schema that a reference within the document points to."""
        found = self._root
        for step in unquote(reference.removeprefix("#")).strip("/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and name.isdigit() and int(name) < len(found):
                found = found[int(name)]
            elif isinstance(found, Mapping) and name in found:
                found = found[name]
            elif name:
                raise NoExample(f"the reference {reference!r} leads to nothing within it")
        return _keywords(found)

    def object(self, schema: Schema, path: _Path) -> Iterator[dict[str, Any]]:
        """An object with what is required, else with one field; then with as many as demanded."""
        properties = schema.get("properties", {})
        required = dict.fromkeys(schema.get("required", ()))
        made = {name: self._value(self._member(schema, name), path.to(name)) for name in required}
        others = (
            (name, value)
            for name in chain(properties, self._names(schema, path))
            if name not in made
            for value in self._optional(self._member(schema, name), path.to(name))
        )
        least = min(schema.get("minProperties", 0), MAX_ITEMS)
        for name, value in islice(others, max(least - len(made), 0 if made else 1)):
            made[name] = value
        yield made
        yield {name: made[name] for name in required}

    def _names(self, schema: Schema, path: _Path) -> Iterator[str]:
        """Names for fields that are not listed."""
        if schema.get("additionalProperties", True) is False:
            patterns = schema.get("patternProperties", {})
            yield from chain(*(strings({"pattern": each}) for each in patterns))
        elif "additionalProperties" in schema or schema.get("minProperties"):
            names = {"type": "string", **_keywords(schema.get("propertyNames", True))}
            yield from islice(self.values(names, path.to("")), MAX_ITEMS)

    def _member(self, schema: Schema, name: str) -> Any:
        """The schema of a field."""
        if name in (properties := schema.get("properties", {})):
            return properties[name]
        if patterns := schema.get("patternProperties", {}):
            return next(iter(patterns.values()))
        return schema.get("additionalProperties", True)

    def array(self, schema: Schema, path: _Path) -> Iterator[list[Any]]:
        """An array with an item if possible, then one with as few as allowed."""
        tuple_ = isinstance(schema.get("items"), list)
        first = schema["items"] if tuple_ else schema.get("prefixItems", ())
        rest = schema.get("additionalItems" if tuple_ else "items", True)
        if (least := schema.get("minItems", 0)) > MAX_ITEMS:
            raise NoExample(f"{path}more than {MAX_ITEMS} items are demanded")
        made = [self._value(item, path.to(str(n))) for n, item in enumerate(first)]
        missing = max(least - len(made), 0)
        if not made and not missing and schema.get("maxItems") != 0:
            yield from ([value] for value in self._optional(rest, path.to("0")))
        yield made + self._items(rest, missing, path, unique=schema.get("uniqueItems") is True)

    def _items(self, schema: Any, number: int, path: _Path, *, unique: bool) -> list[Any]:
        if not number:
            return []
        if not unique:
            return [self._value(schema, path.to("0"))] * number
        different = {dump(value): value for value in self.values(schema, path.to("0"))}
        return list(different.values())[:number]


_MAKERS: dict[str, Callable[[_Maker, Schema, _Path], Iterator[Any]]] = {
    "object": _Maker.object,
    "array": _Maker.array,
    "string": lambda _, schema, __: strings(schema),
    "integer": lambda _, schema, __: integers(schema),
    "number": lambda _, schema, __: numbers(schema),
    "boolean": lambda *_: booleans(),
    "null": lambda *_: nulls(),
}


def _any_of(options: list[Iterator[Any]]) -> Iterator[Any]:
    """The candidates of all options. Raises the NoExample of the first, if no option has any."""
    failed: list[NoExample] = []
    for option in options:
        try:
            yield from option
        except NoExample as error:
            failed.append(error)
    if len(failed) == len(options) and failed:
        raise failed[0]


def _keywords(schema: Any) -> Schema:
    """The keywords of a schema; ``true`` has none. Raises NoExample for ``false``."""
    if isinstance(schema, Mapping):
        return schema
    if schema is True:
        return {}
    raise NoExample("it accepts nothing" if schema is False else "a part of it is no schema")


def _types(schema: Schema) -> list[str]:
    """The types that the schema allows, null last; else the one that its keywords imply."""
    named = schema.get("type")
    if isinstance(named, list):
        return sorted(named, key=lambda name: name == "null")
    if named is not None:
        return [named]
    if _OF_OBJECTS & schema.keys():
        return ["object"]
    if _OF_ARRAYS & schema.keys():
        return ["array"]
    return ["number"] if _OF_NUMBERS & schema.keys() else ["string"]


_OF_OBJECTS = {"properties", "required", "additionalProperties", "minProperties"}
_OF_ARRAYS = {"items", "prefixItems", "minItems"}
_OF_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}


def _without(schema: Schema, key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}


def _merged(one: Schema, other: Any) -> dict[str, Any]:
    """One schema that requires what both schemas require, as far as keywords can be merged."""
    other = _keywords(other)
    both = {**one, **other}
    for key in ("properties", "patternProperties", "$defs"):
        if key in one and key in other:
            both[key] = {**one[key], **other[key]}
    for key in ("required", "allOf"):
        if key in one and key in other:
            both[key] = [*one[key], *other[key]]
    return both
