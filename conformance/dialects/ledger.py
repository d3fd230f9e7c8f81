"""The ledger of a stream: what each event adds to the answer, or why it adds nothing.

A ledger is computed from the events alone, by the reader of their dialect. Timelines use it to
align an adapter's parts with events, and rules use it to name the event of a finding.
"""

from collections.abc import Sequence
from dataclasses import replace

from conformance.contract.traits import Traits
from conformance.dialects import KIT
from conformance.dialects.entry import Entry, OnTheWire, Piece

__all__ = ["Entry", "OnTheWire", "Piece", "ledger", "offsets", "shown_kinds", "text_due"]


_OTHER_KINDS = {"done": "end of stream", "raw": "sent as raw bytes"}
"""Why an entry that is not an event adds nothing; by default, its kind says it."""


def ledger(dialect: str, sent: Sequence[OnTheWire], traits: Traits | None = None) -> list[Entry]:
    """One entry for each event, in order.

    With ``traits`` of an adapter that shows one choice, only content of choice 0 is counted.
    """
    read = KIT[dialect].reader().entry
    entries = [
        read(event)
        if event.kind == "event"
        else Entry(event.n, silent=_OTHER_KINDS.get(event.kind, event.kind))
        for event in sent
    ]
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
    """For each entry, the number of code points of answer text sent so far, including it."""
    columns = [offsets(entries, kind) for kind in shown_kinds(traits)]
    return [sum(counts) for counts in zip(*columns, strict=True)]


def offsets(entries: Sequence[Entry], kind: str) -> list[int]:
    """For each entry, the number of code points of this kind sent so far, including it."""
    total, totals = 0, []
    for entry in entries:
        total += sum(len(piece.value) for piece in entry.adds if piece.kind == kind)
        totals.append(total)
    return totals
