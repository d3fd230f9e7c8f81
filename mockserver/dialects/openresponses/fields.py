"""Finds misspelt field names in the events and items of scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects import misspelt as contract
from mockserver.dialects.openresponses import openai_types
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTRACT = "events/openresponses"
_OWN_CONTRACT = "events/openai-responses"


def misspelt(type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each unknown field of an event or of its item, with the similar known field."""
    event = _OWN_CONTRACT if type_ in openai_types.EVENTS else _CONTRACT
    for name, meant in contract.misspelt(fields, event, f"event:{type_}"):
        yield (name,), meant
    item = fields.get("item")
    if isinstance(item, dict):
        own = text(item.get("type")) in openai_types.ITEMS
        about = _OWN_CONTRACT if own else _CONTRACT
        for name, meant in contract.misspelt(item, about, f"item:{item.get('type')}"):
            yield ("item", name), meant
