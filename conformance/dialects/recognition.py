"""Detects the dialect of a recorded stream from its events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import KIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.contract.transcript import SentEvent

_ENOUGH = 200


def dialect_of(events: Iterable[SentEvent]) -> str:
    """The dialect that recognises most of the first 200 events; empty if none recognises any."""
    data = [one.data for one in events if one.kind == "event" and isinstance(one.data, dict)]
    counts = {name: sum(map(dialect.recognises, data[:_ENOUGH])) for name, dialect in KIT.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""
