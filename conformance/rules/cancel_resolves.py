"""cancel-resolves: a cancelled run ends as cancelled or completed, not as failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.expectation.cancellation import RESOLVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    end = evidence.end
    if evidence.transcript.cancelled is None or end is None or end.outcome in RESOLVED:
        return
    told = f": {end.error.message}" if end.error and end.error.message else ""
    yield Defect(
        f"the run was cancelled and ended as '{end.outcome}{told}'",
        right="an ending that says cancelled or completed; what came out so far is valid",
        about=topics("end"),
    )


RULE = Rule(
    id="cancel-resolves",
    holds="a cancelled run ends as cancelled or completed, not as failed",
    source="lm-stream-semantics § 5.2",
    check=_check,
    level="should",
)
