"""Finds token usage and text fields in JSON, for all dialects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.dialects.dialect import Usage
from mockserver.foundation.json_fields import listed, mapping

Sides = Mapping[str, Sequence[str]]
"""The field names of the ``input`` and ``output`` counts of a usage in one dialect."""


def usage_by_side(places: Iterable[Any], sides: Sides) -> Iterator[Usage]:
    """Normalise usages to ``input`` and ``output`` counts; empty and missing ones are skipped.

    A count may be an object with a ``total``.
    """
    for usage in filter(None, map(mapping, places)):
        yield {side: _count(usage, names) for side, names in sides.items() if _has(usage, names)}


def _has(usage: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(name in usage for name in names)


def _count(usage: Mapping[str, Any], names: Sequence[str]) -> Any:
    count = next(usage[name] for name in names if name in usage)
    return count.get("total") if isinstance(count, dict) else count


def fields_of_text(value: Any) -> Iterator[tuple[str, str]]:
    """The name and value of every string field in a JSON value, at any depth."""
    for name, inner in mapping(value).items():
        yield from [(name, inner)] if isinstance(inner, str) else fields_of_text(inner)
    for inner in listed(value):
        yield from fields_of_text(inner)
