"""Places in JSON that several dialects share: usage by side, and fields of text at any depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import listed, mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.dialects.dialect import Usage

Sides = Mapping[str, Sequence[str]]
"""The names of each side of a usage, ``input`` and ``output``, in one dialect."""


def usage_by_side(places: Iterable[Any], sides: Sides) -> Iterator[Usage]:
    """Each usage that is there, by side; a count may be an object with a ``total``."""
    for usage in filter(None, map(mapping, places)):
        yield {side: _count(usage, names) for side, names in sides.items() if _has(usage, names)}


def _has(usage: Mapping[str, Any], names: Sequence[str]) -> bool:
    return any(name in usage for name in names)


def _count(usage: Mapping[str, Any], names: Sequence[str]) -> Any:
    count = next(usage[name] for name in names if name in usage)
    return count.get("total") if isinstance(count, dict) else count


def fields_of_text(value: Any) -> Iterator[tuple[str, str]]:
    """Every field of text in a JSON value, at any depth, with its name."""
    for name, inner in mapping(value).items():
        yield from [(name, inner)] if isinstance(inner, str) else fields_of_text(inner)
    for inner in listed(value):
        yield from fields_of_text(inner)
