"""Reading fields of events: whatever is missing or of another type is empty."""

from __future__ import annotations

from collections.abc import Mapping

Event = Mapping[str, object]
Part = dict[str, object]


def string(source: Event, name: str) -> str:
    value = source.get(name)
    return value if isinstance(value, str) else ""


def object_(source: Event, name: str) -> Event:
    value = source.get(name)
    return value if isinstance(value, dict) else {}


def objects(source: Event, name: str) -> list[Event]:
    """The entries of an array, each at its own position."""
    value = source.get(name)
    entries = value if isinstance(value, list) else []
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def integer(source: Event, name: str) -> int | None:
    value = source.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def reason_of(body: Event) -> dict[str, object]:
    """`message` and `code` of an error, nested or flat, as far as it has them."""
    nested = body.get("error")
    source = nested if isinstance(nested, dict) else body
    message = nested if isinstance(nested, str) else source.get("message") or source.get("detail")
    code = source.get("code")
    reason: dict[str, object] = {}
    if isinstance(message, str) and message:
        reason["message"] = message
    if isinstance(code, str | int) and not isinstance(code, bool) and code != "":
        reason["code"] = str(code)
    return reason
