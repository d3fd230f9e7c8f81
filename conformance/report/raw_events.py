"""Reads the event in raw bytes that a scenario sends, if they are one with JSON for its data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from conformance.contract.transcript import SentEvent

DONE = "[DONE]"


def data_of(event: SentEvent) -> Any:
    """The data of an event; of raw bytes, the JSON object in them if they are one whole event."""
    if event.kind != "raw":
        return event.data
    found = read_raw(str(event.data))
    return found[1] if found else event.data


def read_raw(said: str) -> tuple[str, dict[str, Any]] | None:
    """The type and the data of the one event in raw bytes; None unless its data is an object."""
    try:
        data = json.loads(_data(said))
    except ValueError:
        return None
    return (_named(said) or text(data.get("type")), data) if isinstance(data, dict) else None


def ends_stream(event: SentEvent) -> bool:
    """Whether an event is the end of the stream, ``[DONE]``, also if it is sent as raw bytes."""
    return event.kind == "done" or (event.kind == "raw" and _data(str(event.data)) == DONE)


def _data(said: str) -> str:
    """The data of the one event in raw bytes; empty if they are something else."""
    lines = _lines(said)
    values = [value.removeprefix(" ") for name, value in lines if name == "data"]
    return "" if any(not name for name, _ in lines) else "\n".join(values)


def _named(said: str) -> str:
    return next((value.strip() for name, value in _lines(said) if name == "event"), "")


def _lines(said: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in said.strip().splitlines())
    return [(name, value) for name, _, value in lines]
