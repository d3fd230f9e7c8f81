"""Reads the event in raw bytes that a scenario sends, if they are one with JSON for its data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from conformance.contract.transcript import SentEvent


def data_of(event: SentEvent) -> Any:
    """The data of an event; of raw bytes, the JSON object in them if they are one whole event."""
    if event.kind != "raw":
        return event.data
    found = read_raw(str(event.data))
    return found[1] if found else event.data


def read_raw(said: str) -> tuple[str, dict[str, Any]] | None:
    """The type and the data of the one event in raw bytes; None unless its data is an object."""
    lines = [line.partition(":") for line in said.strip().splitlines()]
    if "" in (name for name, _, _ in lines):
        return None
    values = [value.removeprefix(" ") for name, _, value in lines if name == "data"]
    try:
        data = json.loads("\n".join(values))
    except ValueError:
        return None
    named = next((value.strip() for name, _, value in lines if name == "event"), "")
    return (named or text(data.get("type")), data) if isinstance(data, dict) else None
