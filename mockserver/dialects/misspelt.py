"""Finds misspelt field names, by comparing them with the fields in a JSON Schema.

Unknown fields are legal in every protocol (clients ignore them), so a field is reported only if its
name is similar to a known one which is not given beside it.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ALIKE = 0.75
# A field that is longer than this is not similar to any known one.
_LONGEST = 100


def misspelt(fields: Iterable[str], contract: str, definition: str) -> Iterator[tuple[str, str]]:
    """Each unknown field with the similar known field of a definition in a schema.

    ``contract`` is the schema's path below ``schemas/``, ``definition`` a key of its ``$defs``.
    """
    known, given = known_fields(contract, definition), list(fields)
    for field in given:
        is_long = len(field) > _LONGEST
        meant = "" if field in known or is_long else nearest_field(field, known)
        if meant and meant not in given:
            yield field, meant


# The same few unknown fields come in event after event.
@lru_cache(maxsize=8192)
def nearest_field(field: str, known: frozenset[str]) -> str:
    """The known field of the same letters, as toolCallId and tool_call_id, or of similar ones."""
    same = [each for each in sorted(known) if _letters(each) == _letters(field)]
    return next(iter(same or get_close_matches(field, known, n=1, cutoff=_ALIKE)), "")


def _letters(field: str) -> str:
    return field.replace("_", "").lower()


@lru_cache(maxsize=256)
def known_fields(contract: str, definition: str) -> frozenset[str]:
    """The fields that a definition names, including those of its ``$ref``, ``allOf``, ``anyOf``."""
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
