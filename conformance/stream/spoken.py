"""Which dialect a recorded event is of, where nobody says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.copilot.chunks import CHUNK, ERROR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.transcript import SentEvent


def kind(data: Any) -> str:
    """What an event of chat completions is, whose data has no type; empty where it is none."""
    if not isinstance(data, dict) or "type" in data:
        return ""
    if "choices" in data or data.get("object") == "chat.completion.chunk":
        return CHUNK
    return ERROR if "error" in data else ""


def dialect_of(events: Iterable[SentEvent]) -> str:
    """The dialect of the first event that tells one; OpenResponses where none does."""
    for one in events:
        if one.kind == "event" and isinstance(one.data, dict):
            if kind(one.data):
                return "copilot"
            if one.type:
                return "openresponses"
    return "openresponses"
