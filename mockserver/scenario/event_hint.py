"""What to write where an event of ``sends`` has a text or a list in place of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.foundation.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

# The fields that are most of an event, of which it has one.
_MAIN = ("reason", "delta", "content", "text", "arguments", "refusal")


def hint(name: str) -> str:
    """How to write a value that stands beside a name, which may be that of a field."""
    events: Mapping[str, Any] = schema("scenario")["$defs"]["events"]["properties"]
    fields = {event: node.get("properties", {}) for event, node in events.items()}
    holder = next((event for event, names in fields.items() if name in names), "")
    if name not in events and holder:
        return f"{name!r} is no event but a field: write {holder}: {{{name}: …}}"
    main = next((each for each in _MAIN if each in fields.get(name, ())), "FIELD")
    return f"an event has fields: write {name}: {{{main}: …}}"
