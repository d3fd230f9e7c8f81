"""The rule on the reason to finish that a run reports, in a part or at its end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.findings.finding import Defect, Kind, Rule, topics
from conformance.findings.values import UpstreamValue
from conformance.rules.framing.judged import excused_by_upstream, unframed
from conformance.rules.upstream_response import upstream_did
from conformance.vocabularies.stream import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Level
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart


class OtherReason(Kind):
    """The reason to finish is another one than the upstream gave, in a part or at the end."""

    reason: str
    is_in_part: bool
    upstream: UpstreamValue
    due: tuple[str, ...]

    message = (
        "[[{is_in_part:if}finish has the reason|the run finished with the reason]] {reason!r}, and "
        "the upstream {upstream:upstream}"
    )
    right = "the reason {due:either}"
    headline = "[[{is_in_part:if}finish has|finished with]] the reason {reason!r}, not {due:either}"
    same_by = ("reason", "due")


def _finish_reason(evidence: Evidence) -> Iterator[Defect]:
    """The reason is that of the wire, or follows from what the wire has sent."""
    if evidence.transcript.cancelled:
        return
    part = _finish_part(evidence)
    reason = reason_of(part.fields) if part else _reason_of_end(evidence)
    right = _reasons_due(evidence) | evidence.reasons_sent
    if reason is not None and right and reason not in right:
        yield Defect(
            OtherReason(reason, part is not None, _ending(evidence), tuple(sorted(right))),
            about=topics("finish-reason"),
            part=part.n if part else None,
            level=_level(evidence.expected.upstream, reason, right) if part else "should",
            needs=topics("end")
            | (topics("calls", f"part:{part.n}") if part else _content(evidence)),
        )


def _finish_part(evidence: Evidence) -> StreamPart | None:
    """The last part that says in a framed stream of parts why it finished."""
    if unframed(evidence):
        return None
    return next((part for part in reversed(evidence.stream_parts) if part.type == "finish"), None)


def _reason_of_end(evidence: Evidence) -> str | None:
    """The reason that a completed run reports without framed parts."""
    end = evidence.end
    if end is None or end.outcome != "completed" or evidence.expected.upstream == "failed":
        return None
    return end.finish


def _content(evidence: Evidence) -> frozenset[str]:
    """The topics of all content and the end: a mistake in these makes the reason wrong."""
    calls = [f"call:{call.id}" for call in evidence.expected.calls]
    return topics(
        "end", "text", "calls", *calls, *(f"part:{c.part}" for c in evidence.reading.calls)
    )


def _ending(evidence: Evidence) -> UpstreamValue:
    """How the upstream ended its response."""
    expected = evidence.expected
    if expected.upstream == "completed":
        return UpstreamValue("completed-with-calls", host_calls=len(expected.calls))
    if expected.upstream == "incomplete":
        return UpstreamValue("cut-short", reason=expected.reason)
    return upstream_did(evidence)


def _reasons_due(evidence: Evidence) -> set[str]:
    """The right reasons by the content; empty if nothing says which one is right."""
    expected = evidence.expected
    if expected.upstream == "failed":
        return {"error"} if _has_reported_failure(evidence) else set()
    if expected.upstream == "incomplete":
        return {expected.reason} - {""}
    if expected.upstream != "completed":
        return set()
    if not expected.calls:
        due = {"stop"}
    elif all(call.optional for call in expected.calls):
        due = {"stop", "tool-calls"}
    else:
        due = {"tool-calls"}
    # A refusal may finish as a stop or by the content filter.
    is_refusal = "content-filter" not in expected.wrong_finish
    return due | {"content-filter"} if is_refusal else due | ({expected.reason} - {""})


def _has_reported_failure(evidence: Evidence) -> bool:
    """Whether the adapter itself reports that the run failed.

    A call with an invalid input is a failure to the host alone: its finish is still of a call.
    """
    own = evidence.transcript.end
    return bool(evidence.reading.errors) or (own is not None and own.outcome == "failed")


def _level(upstream: str, reason: str, right: set[str]) -> Level:
    """``must`` where a host that reads the reason does something else than it should.

    Hosts execute calls that finish with "stop", and count calls to see whether there are any.
    """
    if upstream == "completed":
        executed = reason in ("stop", "tool-calls")
        return "must" if "tool-calls" in right and not executed else "should"
    return "should" if reason == "other" or right == {"other"} else "must"


FINISH_REASON = Rule(
    id="finish-reason",
    holds="finish has the reason that the upstream gave: why it was cut short, error where it "
    "failed, tool-calls with calls for the host, stop without (the last two should); a reason that "
    "is no part of a framed stream should be right as well",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4FinishReason; "
    "ai § streamText",
    check=_finish_reason,
    not_applicable=partial(excused_by_upstream, _finish_reason),
    kinds=(OtherReason,),
)
