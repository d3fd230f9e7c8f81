"""cancel-upstream: a cancelled run lets go of its upstream within a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.expectation.cancellation import RELEASE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import Request
    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    for request in evidence.transcript.requests:
        released = _released(request)
        if released is None or released - cancelled.at > RELEASE_SECONDS:
            yield Defect(
                f"the upstream connection was still open {RELEASE_SECONDS:g} s after the "
                "cancellation",
                right="the request aborted or its connection closed, so that the model stops",
                about=topics("upstream"),
                # A run that does not end holds its connection, too.
                needs=topics("end"),
            )
            return


def _released(request: Request) -> float | None:
    """When the client left, or the answer was over by itself."""
    return request.left.at if request.left else request.ended


RULE = Rule(
    id="cancel-upstream",
    holds="the upstream connection of a cancelled run is released within a second",
    source="lm-stream-semantics § 5.2",
    check=_check,
    level="should",
)
