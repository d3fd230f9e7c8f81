"""Finds misspelt field names in the events and items of scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTRACT = "events/openresponses"


def misspelt(type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each unknown field of an event or of its item, with the similar known field."""
    yield from contract.misspelt(fields, _CONTRACT, f"event:{type_}")
    item = fields.get("item")
    if isinstance(item, dict):
        yield from contract.misspelt(item, _CONTRACT, f"item:{item.get('type')}")
