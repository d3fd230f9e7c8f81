"""The fields that events have by a contract, for finding misspelt ones.

A field that a protocol does not know is legal anywhere (clients ignore it), so it is taken for a
mistake only where it looks like one that the protocol does know.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ALIKE = 0.75


def misspelt(fields: Iterable[str], contract: str, definition: str) -> Iterator[tuple[str, str]]:
    """Each field that looks like another one of a contract's definition, with that other one."""
    known = _properties(contract, definition)
    for field in fields:
        close = get_close_matches(field, known, n=1, cutoff=_ALIKE) if field not in known else ()
        if close:
            yield field, close[0]


@lru_cache(maxsize=256)
def _properties(contract: str, definition: str) -> frozenset[str]:
    """The names that a definition lists, its parts included."""
    found: set[str] = set()
    definitions = schema(contract)["$defs"]
    waiting = [definitions.get(definition, {})]
    while waiting:
        part = waiting.pop()
        found |= part.get("properties", {}).keys()
        waiting += [*part.get("allOf", []), *part.get("anyOf", [])]
        if "$ref" in part:
            waiting.append(definitions[part["$ref"].removeprefix("#/$defs/")])
    return frozenset(found)
