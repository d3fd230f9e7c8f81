"""The rule on the ids of approvals, which lead from a request to the call that was approved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.hosted.uses import Use, uses, without_hosted_parts
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart


def _is_of(use: Use, asks: Collection[str]) -> bool:
    """Whether a use is one of these requests for approval, or the call that was approved."""
    return bool({use.sent.asks, use.sent.approval} & {*asks})


def _approval_id(evidence: Evidence) -> Iterator[Defect]:
    """A request has the upstream's id, and the approved call has the id of the call shown."""
    found = uses(evidence)
    asks = {use.sent.asks for use in found} - {""}
    for part in evidence.stream_parts:
        approval = text(part.fields.get("approvalId"))
        if part.type == "tool-approval-request" and approval and approval not in asks and asks:
            yield prose_defect(
                f"the approval of {part.id!r} is asked for as {approval!r}; the upstream asks as "
                f"{', '.join(map(repr, sorted(asks)))}",
                right="the id of the upstream's request, under which it takes the answer",
                about=topics(f"approval:{part.id}", *(f"call:{id_}" for id_ in asks))
                | topics(*(f"emitted:{use.named}" for use in found if _is_of(use, asks))),
                part=part.n,
            )
    for use in found:
        if use.shown and (other := _under_another_id(use)):
            (shown,) = use.shown
            yield prose_defect(
                f"{other.written} of the approved call has the id {other.id!r}; approval was asked "
                f"for {shown!r}, which stays without a result",
                right=f"the call and its result under {shown!r}",
                about=use.claims | topics(f"result:{other.id}"),
                event=use.sent.event,
                part=other.n,
            )


def _under_another_id(use: Use) -> StreamPart | None:
    parts = use.of_type("tool-call", "tool-result")
    return next((part for part in parts if part.id not in use.shown), None)


APPROVAL_ID = Rule(
    id="approval-id",
    holds="a request for approval has the id of the upstream's request; the call that was "
    "approved, and its result, have the id of the call for which approval was asked",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest",
    check=_approval_id,
    not_applicable=without_hosted_parts,
)
