"""The fields of an object, with all that a JSON Schema says about them in different places.

A schema of what is sent decides between alternatives: an item of this type has these fields, one of
that type has those. For a person who writes one, all of them are of interest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from mockserver.foundation.json_fields import mapping
from mockserver.foundation.shipped import schema


@dataclass(frozen=True, slots=True)
class Field:
    """What a value may be: its JSON types, its usual values, its own fields or items.

    ``kinds`` are the names of the fields that it has for each value of its ``type``.
    """

    about: str = ""
    types: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    fields: Mapping[str, Field] = field(default_factory=dict)
    items: Field | None = None
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def joined(one: Field, other: Field) -> Field:
    """Both alternatives in one; the description of the first one, if it has any."""
    return Field(
        one.about or other.about,
        tuple(dict.fromkeys((*one.types, *other.types))),
        _distinct((*one.values, *other.values)),
        {
            name: joined(one.fields.get(name, Field()), other.fields.get(name, Field()))
            for name in dict.fromkeys((*one.fields, *other.fields))
        },
        joined(one.items, other.items) if one.items and other.items else one.items or other.items,
        kinds_of([one, other]),
    )


def kinds_of(several: Iterable[Field]) -> dict[str, tuple[str, ...]]:
    """The fields for each ``type`` in any of several alternatives."""
    found: dict[str, dict[str, None]] = {}
    for each in several:
        for kind, names in each.kinds.items():
            found.setdefault(kind, {}).update(dict.fromkeys(names))
    return {kind: tuple(names) for kind, names in found.items()}


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class Contract:
    """A schema below ``schemas/`` with words for its fields.

    ``words`` has them by the name of a field, or by that of the field around it and its own, as in
    ``error.code``. ``more`` are contracts whose definitions of the same name are added.
    """

    name: str
    words: Mapping[str, str]
    more: tuple[str, ...] = ()

    def definition(self, name: str, outer: str = "") -> Field:
        """The object that a definition describes."""
        found = [
            self._read(definitions[name], outer, "")
            for definitions in map(_definitions, (self.name, *self.more))
            if name in definitions
        ]
        return reduce(joined, found, Field())

    def _read(self, written: Any, name: str, outer: str) -> Field:
        part = mapping(written)
        values = part.get("enum", [part["const"]] if "const" in part else [])
        types = part.get("type", [])
        own = Field(
            part.get("description") or self._words(name, outer),
            (types,) if isinstance(types, str) else tuple(types),
            _distinct(tuple(value for value in values if value is not None)),
            {each: self._read(inner, each, name) for each, inner in _properties(part)},
            self._read(part["items"], name, outer) if "items" in part else None,
        )
        return reduce(joined, self._others(part, name, outer), own)

    def _words(self, name: str, outer: str) -> str:
        return self.words.get(f"{outer}.{name}") or self.words.get(name, "")

    def _others(self, part: Mapping[str, Any], name: str, outer: str) -> Iterator[Field]:
        if "$ref" in part:
            yield self.definition(part["$ref"].removeprefix("#/$defs/"), name)
        for several in ("allOf", "anyOf", "oneOf"):
            yield from (self._read(each, name, outer) for each in part.get(several, []))
        for each in mapping(part.get("dependentSchemas")).values():
            yield self._read(each, name, outer)
        kinds: tuple[Any, ...] = ()
        if "if" in part:
            tested = self._tested(part["if"], name)
            kinds = tested.fields["type"].values if tested.fields.keys() == {"type"} else ()
            yield tested
        for branch in ("then", "else"):
            if branch in part:
                read = self._read(part[branch], name, outer)
                own = dict.fromkeys(kinds if branch == "then" else (), tuple(read.fields))
                yield replace(read, kinds={**read.kinds, **own})

    def _tested(self, test: Mapping[str, Any], name: str) -> Field:
        types = test.get("type", [])
        values = {
            each: self._read(inner, each, name)
            for each, inner in _properties(test)
            if "const" in mapping(inner) or "enum" in mapping(inner)
        }
        return Field(types=(types,) if isinstance(types, str) else tuple(types), fields=values)


def _definitions(contract: str) -> Mapping[str, Any]:
    definitions: dict[str, Any] = schema(contract)["$defs"]
    return definitions


def _properties(part: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from part.get("properties", {}).items()
