"""The rule on the ids of approvals, which lead from a request to the call that was approved."""

from collections.abc import Collection, Iterator

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence
from conformance.rules.hosted.uses import Use, uses, without_hosted_parts
from conformance.vocabularies.stream_parts import StreamPart
from mockserver.foundation.json_fields import text


class OtherApprovalId(Kind):
    """A request for approval has another id than the upstream's request."""

    call: str | None
    approval: str
    due: tuple[str, ...]

    message = (
        "the approval of {call!r} is asked for as {approval!r}; the upstream asks as {due:quotes}"
    )
    right = "the id of the upstream's request, under which it takes the answer"
    headline = "approval is asked for as {approval!r}, not {due:quotes}"


class ApprovedUnderAnotherId(Kind):
    """The call that was approved, or its result, has another id than the call that was shown."""

    part_type: str
    id: str | None
    shown: str

    message = (
        "{part_type} of the approved call has the id {id!r}; approval was asked for {shown!r}, "
        "which stays without a result"
    )
    right = "the call and its result under {shown!r}"
    headline = "the approved call has the id {id!r}, not {shown!r}"
    same_by = ("part_type",)


def _is_of(use: Use, asks: Collection[str]) -> bool:
    """Whether a use is one of these requests for approval, or the call that was approved."""
    return bool({use.sent.asks, use.sent.approval} & {*asks})


@rule(
    holds="a request for approval has the id of the upstream's request; the call that was "
    "approved, and its result, have the id of the call for which approval was asked",
    source="semantics § mcp-approvals; @ai-sdk/provider § LanguageModelV4ToolApprovalRequest",
    not_applicable=without_hosted_parts,
    kinds=(OtherApprovalId, ApprovedUnderAnotherId),
)
def approval_id(evidence: Evidence) -> Iterator[Defect]:
    found = uses(evidence)
    asks = {use.sent.asks for use in found} - {""}
    for part in evidence.stream_parts:
        approval = text(part.fields.get("approvalId"))
        if part.type == "tool-approval-request" and approval and approval not in asks and asks:
            yield Defect(
                OtherApprovalId(part.id, approval, tuple(sorted(asks))),
                about=topics(f"approval:{part.id}", *(f"call:{id_}" for id_ in asks))
                | topics(*(f"emitted:{use.named}" for use in found if _is_of(use, asks))),
                part=part.n,
            )
    for use in found:
        if use.shown and (other := _under_another_id(use)):
            (shown,) = use.shown
            yield Defect(
                ApprovedUnderAnotherId(other.written, other.id, shown),
                about=use.claims | topics(f"result:{other.id}"),
                event=use.sent.event,
                part=other.n,
            )


def _under_another_id(use: Use) -> StreamPart | None:
    parts = use.of_type("tool-call", "tool-result")
    return next((part for part in parts if part.id not in use.shown), None)
