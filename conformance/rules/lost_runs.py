"""Says in words how a run was lost: the adapter crashed, broke the protocol, or did not start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.notes import exception_in, first_seen
from conformance.dialects.short_text import clip
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from conformance.contract.transcript import Transcript

_HOW = {
    "crashed": "the adapter crashed",
    "broke-protocol": "the adapter broke the protocol between it and the kit",
    "not-run": "the adapter could not be driven any further",
}

LOST = frozenset(_HOW)
"""The verdicts of runs that were lost."""

_MAX_EXCEPTION = 120
_MAX_SEEN = 240


def lost(transcript: Transcript) -> str:
    """How a run was lost, with what the driver saw; empty if it was not lost."""
    if transcript.verdict not in _HOW:
        return ""
    how, notes = _HOW[transcript.verdict], transcript.notes
    raised = exception_in(notes) if transcript.verdict == "crashed" else ""
    details = (clip(raised, _MAX_EXCEPTION), clip(first_seen(notes), _MAX_SEEN))
    said = "; ".join(filter(None, details))
    return f"{how}: {visible(said)}" if said else f"{how} before the run had ended"
