"""Finds token usage and text fields in JSON, for all dialects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from conformance.dialects.dialect import Usage
from mockserver.foundation.json_fields import listed, mapping

Sides = Mapping[str, Sequence[str]]
"""The fields of the counts of a usage in one dialect: ``input``, ``output``, and those of them that
were ``cached`` or for ``reasoning``.

A dot leads into an object.
"""

USAGE_DETAILS: Sides = {
    "cached": ("inputTokens.cacheRead", "inputTokenDetails.cacheReadTokens", "cachedInputTokens"),
    "reasoning": (
        *("outputTokens.reasoning", "outputTokenDetails.reasoningTokens", "reasoningTokens"),
    ),
}
"""The details in a usage of the AI SDK, of any generation."""


def usage_by_side(places: Iterable[Any], sides: Sides) -> Iterator[Usage]:
    """Normalise usages to counts by side; empty and missing ones are skipped.

    A count may be an object with a ``total``.
    """
    for usage in filter(None, map(mapping, places)):
        found = ((side, _counts(usage, names)) for side, names in sides.items())
        yield {side: counts[0] for side, counts in found if counts}


def _counts(usage: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """The counts under any of these names, in their order."""
    counts = []
    for *path, name in (each.split(".") for each in names):
        place = reduce(lambda inner, key: mapping(inner.get(key)), path, usage)
        if name in place:
            count = place[name]
            counts.append(count.get("total") if isinstance(count, dict) else count)
    return counts


def fields_of_text(value: Any) -> Iterator[tuple[str, str]]:
    """The name and value of every string field in a JSON value, at any depth."""
    for name, inner in mapping(value).items():
        yield from [(name, inner)] if isinstance(inner, str) else fields_of_text(inner)
    for inner in listed(value):
        yield from fields_of_text(inner)
