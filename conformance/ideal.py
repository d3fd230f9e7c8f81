"""The parts that a correct adapter emits, each with the number of the event that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.ledger import Entry, shown_kinds
from conformance.vocabularies import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.expectation.projection import Expected
    from conformance.expectation.traits import Traits
    from conformance.transcript import Part


def ideal_parts(
    entries: Sequence[Entry], expected: Expected, vocabulary: str, traits: Traits
) -> list[tuple[Part, int]]:
    """Parts in order: content as it arrives, each call at the event that completes it."""
    words = VOCABULARIES[vocabulary]
    calls = {call.id: call for call in expected.calls}
    shown = shown_kinds(traits)
    parts: list[tuple[Part, int]] = []
    for row, entry in enumerate(entries):
        call = calls.pop(traits.call_id_prefix + entry.call, None) if entry.call else None
        if call:
            parts.append((words.call(call.id, call.name, call.input), row))
        elif entry.value and entry.kind in shown:
            parts.append((words.text(entry.value), row))
        elif entry.value and entry.kind == "reasoning" and traits.reasoning == "thinking":
            parts.append((words.thinking(entry.value), row))
    # Calls that the wire tells of only in its last event.
    last = len(entries) - 1
    parts.extend((words.call(c.id, c.name, c.input), last) for c in calls.values())
    return parts
