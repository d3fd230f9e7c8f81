"""Which dialect a recorded event is of, where nobody says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.vercel.contracts import keeps
from mockserver.dialects.chat.chunks import CHUNK, ERROR
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.contract.transcript import SentEvent


def kind(data: Any) -> str:
    """What an event of chat completions is, whose data has no type; empty where it is none."""
    if not isinstance(data, dict) or "type" in data:
        return ""
    if "choices" in data or data.get("object") == "chat.completion.chunk":
        return CHUNK
    return ERROR if "error" in data else ""


def dialect_of(events: Iterable[SentEvent]) -> str:
    """The dialect of the events; OpenResponses where none of them tells one.

    Chunks and the events of OpenResponses are known one by one. The three layers of the AI SDK
    share most of their types, so theirs is the layer whose contract most events keep.
    """
    told = [one for one in events if one.kind == "event" and isinstance(one.data, dict)]
    for one in told:
        if kind(one.data):
            return "chat"
        if one.type.startswith(_RESPONSE):
            return "openresponses"
    typed = [one.data for one in told if isinstance(one.data.get("type"), str)][:_ENOUGH]
    kept = {layer: sum(keeps(layer, data) for data in typed) for layer in LAYERS}
    best = max(LAYERS, key=lambda layer: kept[layer])
    own = best == UI or any(data["type"] not in _SHARED for data in typed)
    return best if kept[best] and own else "openresponses"


_RESPONSE = "response."
_SHARED = frozenset({"error"})
"""Types that OpenResponses has as well."""

_ENOUGH = 200
LAYERS = (GATEWAY, FULLSTREAM, UI)
