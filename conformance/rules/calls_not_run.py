"""The defect of a run that reports no failure, and emits a call that no host can run.

Such a run counts as failed, since a host stops at the call. The adapter has not said so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, prose_defect, topics
from conformance.rules.alternatives import call_in_words, or_a_failure

if TYPE_CHECKING:
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies import CallNotRun


def defect_of_call_not_run(evidence: Evidence) -> Defect:
    """The defect of the first call that no host can run; there must be one."""
    first, *more = evidence.calls_not_run
    others = f", and {len(more)} more such call{'s' if len(more) > 1 else ''}" if more else ""
    return prose_defect(
        f"no host can run the call {first.id!r}{others}: {first.why}",
        right=_right_call(evidence, first) + or_a_failure(evidence),
        about=topics("end", "told") | evidence.lost_by_stopping_early(),
        event=evidence.event_of_call(first.id),
        part=first.part,
    )


def _right_call(evidence: Evidence, call: CallNotRun) -> str:
    """The call as it should be; none if the upstream has completed none with this id.

    It may be one that only another expectation of the case has; then no call is right as well.
    """
    ids = {call.id, evidence.upstream_id(call.id)} - {""}
    expected, other = (
        next((c for e in each for c in e.calls if {c.bare_id, c.id} & ids), None)
        for each in ((evidence.expected,), evidence.alternatives)
    )
    if expected:
        return call_in_words(expected)
    return f"{call_in_words(other)}, or no call" if other else _NONE


_NONE = "no call with arguments that cannot be read"
