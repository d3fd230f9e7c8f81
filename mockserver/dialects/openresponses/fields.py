"""The fields that events and items have, for finding misspelt ones.

A field that the protocol does not know is legal anywhere (clients ignore it), so it is taken for a
mistake only where it looks like one that the protocol does know.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ALIKE = 0.75


def misspelt(type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each field of an event, or of its item, that looks like another one, with that other one."""
    yield from _near(fields, _properties(f"event:{type_}"))
    item = fields.get("item")
    if isinstance(item, dict):
        yield from _near(item, _properties(f"item:{item.get('type')}"))


def _near(fields: Mapping[str, Any], known: frozenset[str]) -> Iterator[tuple[str, str]]:
    for field in fields:
        close = get_close_matches(field, known, n=1, cutoff=_ALIKE) if field not in known else ()
        if close:
            yield field, close[0]


@lru_cache(maxsize=256)
def _properties(definition: str) -> frozenset[str]:
    """The names that a definition of the event schema lists, its parts included."""
    found: set[str] = set()
    definitions = schema("events/openresponses")["$defs"]
    waiting = [definitions.get(definition, {})]
    while waiting:
        part = waiting.pop()
        found |= part.get("properties", {}).keys()
        waiting += part.get("allOf", [])
        if "$ref" in part:
            waiting.append(definitions[part["$ref"].removeprefix("#/$defs/")])
    return frozenset(found)
