"""Describes an OpenResponses event on one line: its type, its output index and its content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects.short_text import clip, failure, quoted
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Mapping

_CARRIED = ("delta", "text", "refusal", "arguments", "code", "diff", "input", "command")


def summary(type_: str, data: Mapping[str, Any]) -> str:
    """The type without ``response.``, the output index, and the content of the event."""
    index = data.get("output_index")
    place = "" if index is None else f"[{index}]"
    return " ".join(filter(None, (type_.removeprefix("response."), place, _carried(data))))


def _carried(data: Mapping[str, Any]) -> str:
    for name in _CARRIED:
        if isinstance(data.get(name), str):
            return quoted(data[name])
    if isinstance(cited := data.get("annotation"), dict):
        source = (cited.get(name) for name in ("url", "filename", "file_id", "type"))
        return clip(str(next((name for name in source if name), "")))
    item, response = data.get("item"), data.get("response")
    if isinstance(item, dict):
        words = (item.get("type"), item.get("call_id"), item.get("status"))
        return " ".join(str(word) for word in words if word and word != "in_progress")
    error = response.get("error") if isinstance(response, dict) else None
    return failure(data.get("error") or error or data) or clip(text(data.get("errorText")))
