"""Recognises errors in a stream, in all shapes in which upstreams send them."""

from __future__ import annotations

from conformance.dialects.client.fields import Event, reason_of, string

NO_REASON = "the upstream failed and gave no reason"


def is_error(data: Event) -> bool:
    """Whether an event is or has an error; a null `error` in a chunk is none."""
    return bool(data.get("error")) or data.get("type") == "error" or _flat(data)


def _flat(data: Event) -> bool:
    """Whether an event is itself an error: it has `detail`, or `message` and `code`."""
    if "choices" in data or string(data, "type") not in ("", "message"):
        return False
    named = data.get("object") == "error" or bool(string(data, "detail"))
    return named or bool(string(data, "message") and data.get("code"))


def error_details(data: Event) -> dict[str, object]:
    """The kind, message and code (if any) of an error event."""
    return {"kind": "upstream", "message": NO_REASON, **reason_of(data)}
