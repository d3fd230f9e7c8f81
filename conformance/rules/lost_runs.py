"""Says in words how a run was lost: the adapter crashed, broke the protocol, or did not start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.dialects.short_text import clip, visible

if TYPE_CHECKING:
    from conformance.contract.transcript import Transcript

_HOW = {
    "crashed": "the adapter crashed before the run had ended",
    "broke-protocol": "the adapter broke the protocol between it and the kit",
    "not-run": "the adapter could not be driven any further",
}

LOST = frozenset(_HOW)
"""The verdicts of runs that were lost."""

STDERR = "on stderr it said:\n"
"""The beginning of the note with what an adapter wrote to stderr."""

# A line that names an exception, as Python, Node and the JVM write it.
_EXCEPTION = re.compile(
    r"^(?:Uncaught |Exception in thread \S+ )?((?:[A-Za-z_][\w$]*\.)*[A-Z]\w*"
    r"(?:Error|Exception|Interrupt|Exit|Warning)\b(?: \[\w+\])?(?::.*)?)$",
    re.MULTILINE,
)
_MAX_EXCEPTION = 120
_MAX_WHY = 200


def lost(transcript: Transcript) -> str:
    """How a run was lost; empty if it was not.

    The notes of the transcript say what the driver saw, and what the adapter wrote to stderr.
    """
    if transcript.verdict not in _HOW:
        return ""
    why = next((note for note in transcript.notes if not note.startswith(STDERR)), "")
    raised = exception_in(transcript.notes) if transcript.verdict == "crashed" else ""
    seen = visible(clip(why.partition("\n")[0], _MAX_WHY))
    details = "; ".join(filter(None, (raised, seen)))
    return f"{_HOW[transcript.verdict]}: {details}" if details else _HOW[transcript.verdict]


def exception_in(notes: tuple[str, ...]) -> str:
    """The last exception that notes name, with the first line of its message; empty if none."""
    found = [match[1] for note in notes for match in _EXCEPTION.finditer(note)]
    return visible(clip(found[-1], _MAX_EXCEPTION)) if found else ""
