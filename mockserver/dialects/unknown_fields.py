"""Finds fields of events that no schema of a dialect has at their place, at any depth.

Such fields are legal, since clients ignore them, and scenarios send them on purpose. So a field is
doubted only if its name is similar to that of a known field of the same object, which is not given,
or if it is the name of a field that another object of the dialect has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from mockserver.dialects.misspelt import nearest_field
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.faults import did_you_mean
from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mockserver.dialects.profile import Profile
    from mockserver.scenario.script import Send

_Path = tuple[str | int, ...]
_Schemas = list[dict[str, Any]]
_DEFINITIONS = "#/$defs/"
_ALL_OF = ("allOf", "anyOf", "oneOf")


def doubts_about_unknown(
    n: int,
    step: Send,
    contracts: Sequence[str],
    definition: str,
    besides: Collection[_Path],
    profiles: Sequence[Profile] = (),
) -> Iterator[LintWarning]:
    """Doubts about the fields of a step, whose event is a definition in one of the contracts.

    ``contracts`` are paths below ``schemas/``, and what one defines may be in another, too. Fields
    at the paths in ``besides``, and those that ``profiles`` add, are left out.
    """
    names = _all_names(tuple(contracts))
    added = {each.field for profile in profiles for each in profile.additions}
    absent = {each[-1] for each in step.absent}
    schemas = _defined(contracts, definition)
    for field in _unknown(step.fields, schemas, contracts, (), named=True):
        name, others = str(field.path[-1]), field.known - field.given - absent
        if field.path in besides or name in added:
            continue
        if nearest_field(name, others) or (field.is_named and name in names):
            message = f"{name!r} is sent, and {_place(field.path)} has no such field"
            yield LintWarning(n, field.path, message, did_you_mean(name, others))


def _place(path: _Path) -> str:
    inside = [each for each in path[:-1] if isinstance(each, str)]
    if not inside:
        return "the event"
    return f"an entry of {inside[-1]!r}" if isinstance(path[-2], int) else repr(inside[-1])


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A field that no schema has, the fields that its object may have, and those that are given.

    ``is_named`` is whether a definition describes the object; others may be described in part.
    """

    path: _Path
    known: frozenset[str]
    given: frozenset[str]
    is_named: bool


def _unknown(
    value: Any, schemas: _Schemas, contracts: Sequence[str], path: _Path, *, named: bool = False
) -> Iterator[_Unknown]:
    applied = list(_applied(value, schemas, contracts))
    named = named or any("$ref" in each for each in applied)
    if isinstance(value, list):
        items = [each["items"] for each in applied if isinstance(each.get("items"), dict)]
        for n, each in enumerate(value):
            yield from _unknown(each, items, contracts, (*path, n))
    if not isinstance(value, dict):
        return
    properties: dict[str, _Schemas] = {}
    for each in applied:
        for name, about in each.get("properties", {}).items():
            properties.setdefault(name, []).append(about)
    if properties.keys() <= {"type"}:  # nothing describes such an object
        return
    for name, inner in value.items():
        if name in properties:
            yield from _unknown(inner, properties[name], contracts, (*path, name))
        else:
            yield _Unknown((*path, name), frozenset(properties), frozenset(value), named)


def _applied(value: Any, schemas: _Schemas, contracts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The schemas that apply to a value, with those that they refer to."""
    waiting = [each for each in schemas if isinstance(each, dict)]
    while waiting:
        part = waiting.pop()
        yield part
        for key in _ALL_OF:
            waiting += part.get(key, [])
        waiting += part.get("dependentSchemas", {}).values()
        if "if" in part:
            branch = "then" if Draft202012Validator(part["if"]).is_valid(value) else "else"
            waiting += [part[branch]] if branch in part else []
        if part.get("$ref", "").startswith(_DEFINITIONS):
            waiting += _defined(contracts, part["$ref"].removeprefix(_DEFINITIONS))


def _defined(contracts: Sequence[str], definition: str) -> _Schemas:
    found = (schema(each)["$defs"].get(definition) for each in contracts)
    return [each for each in found if each is not None]


@lru_cache(maxsize=16)
def _all_names(contracts: tuple[str, ...]) -> frozenset[str]:
    """The names of fields in some contracts, but for those of one letter."""
    found: set[str] = set()
    waiting: list[Any] = [schema(each)["$defs"] for each in contracts]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(named := part.get("properties"), dict):
                found |= named.keys()
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    # Coordinates and the like, which say nothing about the object that they belong to.
    return frozenset(name for name in found if len(name) > 1)
