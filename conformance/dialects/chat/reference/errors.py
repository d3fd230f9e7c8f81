"""Failures in the band: the shapes in which upstreams send them, in place of a chunk or in one."""

from __future__ import annotations

from conformance.dialects.client.fields import Event, reason_of, string

NO_REASON = "the upstream failed and gave no reason"


def is_error(data: Event) -> bool:
    """Does this tell of a failure? Chunks may have an `error` that is null."""
    return bool(data.get("error")) or data.get("type") == "error" or _flat(data)


def _flat(data: Event) -> bool:
    """An error without a wrapping; what has a type of its own is something else."""
    if "choices" in data or string(data, "type") not in ("", "message"):
        return False
    named = data.get("object") == "error" or bool(string(data, "detail"))
    return named or bool(string(data, "message") and data.get("code"))


def told(data: Event) -> dict[str, object]:
    """What it says of itself."""
    return {"kind": "upstream", "message": NO_REASON, **reason_of(data)}
