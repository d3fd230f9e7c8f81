"""The place of each upstream event: what it added to the answer, or why it is rightly silent.

A ledger is read from the wire alone, by dialect. It lays parts beside events in a timeline and
tells rules which event a finding is about; it judges nothing itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.dialects import KIT
from conformance.dialects.entry import Entry, OnTheWire, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.traits import Traits

__all__ = ["Entry", "OnTheWire", "Piece", "ledger", "offsets", "shown_kinds", "text_due"]


def ledger(dialect: str, sent: Sequence[OnTheWire], traits: Traits | None = None) -> list[Entry]:
    """One entry for each thing sent, in order; where choices are alternatives, of the first."""
    reader = KIT[dialect].reader()
    entries = [reader.entry(event) for event in sent]
    if traits is None or traits.choices == "merge":
        return entries
    return [
        replace(entry, adds=tuple(piece for piece in entry.adds if piece.choice == 0))
        if any(piece.choice for piece in entry.adds)
        else entry
        for entry in entries
    ]


def shown_kinds(traits: Traits) -> list[str]:
    """The kinds of content that an adapter with these traits shows as answer text."""
    shown = [kind for kind in ("reasoning", "refusal") if getattr(traits, kind) == "text"]
    return ["text", *shown, *(["citation"] if traits.annotations == "link" else [])]


def text_due(entries: Sequence[Entry], traits: Traits) -> list[int]:
    """For each entry, the code points of shown text sent up to and with it."""
    columns = [offsets(entries, kind) for kind in shown_kinds(traits)]
    return [sum(counts) for counts in zip(*columns, strict=True)]


def offsets(entries: Sequence[Entry], kind: str) -> list[int]:
    """For each entry, the code points of that kind sent up to and with it."""
    total, totals = 0, []
    for entry in entries:
        total += sum(len(piece.value) for piece in entry.adds if piece.kind == kind)
        totals.append(total)
    return totals
