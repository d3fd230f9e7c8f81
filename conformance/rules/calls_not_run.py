"""The defect of a run that reports no failure, and emits a call that no host can run.

Such a run counts as failed, since a host stops at the call. The adapter has not said so.
"""

from typing import Literal

from conformance.findings.finding import Defect, Kind, topics
from conformance.findings.values import CallValue, FailureInstead
from conformance.rules.alternatives import failure_instead, right_call
from conformance.rules.evidence import Evidence

WHY_NOT_RUN = {
    "not JSON": "its arguments are not JSON",
    "not an object": "its arguments are no JSON object",
    "marked as invalid": "it is marked as invalid",
}
"""The reasons why no host can run a call, in words."""


class CallNotRun(Kind):
    """A run reports no failure and emits a call that no host can run.

    ``due`` is the call as the upstream completed it. If only another expectation of the case has
    it, no call is right as well.
    """

    call: str
    more: int
    why: Literal["not JSON", "not an object", "marked as invalid"]
    arguments: str
    reason: str
    due: CallValue | None
    is_optional: bool
    or_failure: FailureInstead

    message = (
        "no host can run the call {call!r}[[, and {more:more such call|more such calls}]]: "
        "{why:phrase}: {reason}{arguments:first-80}"
    )
    right = (
        "[[{due:call}|no call with arguments that cannot be read]][[{is_optional:if}, or no call]]"
        "{or_failure:or-failure}"
    )
    phrases = {"why": WHY_NOT_RUN}
    same_by = ("why",)


def defect_of_call_not_run(evidence: Evidence) -> Defect:
    """The defect of the first call that no host can run; there must be one."""
    first, *more = evidence.calls_not_run
    ids = {first.id, evidence.upstream_id(first.id)} - {""}
    expected, other = (
        next((c for e in each for c in e.calls if {c.bare_id, c.id} & ids), None)
        for each in ((evidence.expected,), evidence.alternatives)
    )
    due = expected or other
    kind = CallNotRun(
        first.id,
        len(more),
        first.why,
        first.arguments,
        first.reason,
        due=right_call(due) if due else None,
        is_optional=bool(other) and not expected,
        or_failure=failure_instead(evidence),
    )
    return Defect(
        kind,
        about=topics("end", "told") | evidence.lost_by_stopping_early(),
        event=evidence.event_of_call(first.id),
        part=first.part,
    )
