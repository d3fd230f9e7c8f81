"""The rule that approval requests reach the host, which alone can answer them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.expectation.approvals import approval_ids
from conformance.findings.finding import Defect, Kind, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


class ApprovalNotAsked(Kind):
    """An approval request of the upstream does not reach the host."""

    request: str

    message = "the approval request {request!r} did not come out"
    right = "a tool-approval-request with an approvalId, so that the host can answer it"


def _approval_asked(evidence: Evidence) -> Iterator[Defect]:
    """Every approval request that the scenario's host answers is emitted."""
    due = evidence.content.approvals
    emitted = approval_ids(evidence.transcript, due)
    for id_ in due:
        if id_ not in emitted:
            about = topics(f"approval:{id_}")
            yield Defect(ApprovalNotAsked(id_), about, needs=topics("end"))


APPROVAL_ASKED = Rule(
    id="approval-asked",
    holds="each approval request of the upstream that the host has to answer reaches the host",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest",
    check=_approval_asked,
    kinds=(ApprovalNotAsked,),
    not_applicable=lambda evidence: (
        "" if evidence.content.approvals else "the host of this turn answers no approval request"
    ),
)
