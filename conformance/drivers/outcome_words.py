"""Says in words how a run or a count ended, for messages that are not about a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.notes import exception_in, first_seen
from conformance.dialects.short_text import first_line

if TYPE_CHECKING:
    from conformance.contract.transcript import Transcript
    from conformance.drivers.driver import Outcome

_MAX_WHY = 160


def describe_outcome(outcome: Outcome | Transcript) -> str:
    """The verdict with its reason, such as ``crashed: KeyError: 'choices'``."""
    why = first_line(_reason(outcome), _MAX_WHY)
    return f"{outcome.verdict}: {why}" if why else outcome.verdict


def _reason(outcome: Outcome | Transcript) -> str:
    """What the adapter reported, or else what it raised and what the kit saw."""
    error = outcome.ends[0].error if outcome.ends else None
    if error and error.message.strip():
        return error.message
    raised = exception_in(outcome.notes) if outcome.verdict == "crashed" else ""
    return "; ".join(filter(None, (raised, first_seen(outcome.notes))))
