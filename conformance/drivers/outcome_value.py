"""How a run or a count ended, as a value, for findings and messages that are not about a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.notes import error_class, exception_in, first_seen
from conformance.dialects.short_text import first_line
from conformance.findings.values import EndedValue

if TYPE_CHECKING:
    from conformance.contract.transcript import Transcript
    from conformance.drivers.driver import Outcome

_MAX_REASON = 160


def ended_value(outcome: Outcome | Transcript) -> EndedValue:
    """The verdict, with what the adapter reported, or else what it raised and what the kit saw."""
    error = outcome.ends[0].error if outcome.ends else None
    reason = error.message if error else ""
    if not reason.strip():
        raised = exception_in(outcome.notes) if outcome.verdict == "crashed" else ""
        reason = "; ".join(filter(None, (raised, first_seen(outcome.notes))))
    return EndedValue(outcome.verdict, first_line(reason, _MAX_REASON), error_class(reason))
