"""Typed access to the fields of JSON objects: a missing or mistyped value reads as empty."""

from __future__ import annotations

from collections.abc import Mapping

Event = Mapping[str, object]
Part = dict[str, object]


def string(source: Event, name: str) -> str:
    """The string in a field; empty if there is none."""
    value = source.get(name)
    return value if isinstance(value, str) else ""


def object_(source: Event, name: str) -> Event:
    """The object in a field; empty if there is none."""
    value = source.get(name)
    return value if isinstance(value, dict) else {}


def objects(source: Event, name: str) -> list[Event]:
    """The entries of an array field; an entry that is not an object reads as an empty one."""
    value = source.get(name)
    entries = value if isinstance(value, list) else []
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def integer(source: Event, name: str) -> int | None:
    """The integer in a field; None if there is none."""
    value = source.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def reason_of(body: Event) -> dict[str, object]:
    """The `message` and `code` of an error, as far as set: under `error`, or in the body itself."""
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
