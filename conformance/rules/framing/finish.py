"""Rules on the part ``finish``: it comes once and last, with the reason of the upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects import KIT
from conformance.rules.framing.judged import ANYWHERE, framing_is_not_judged
from conformance.vocabularies.fold import objects_in
from conformance.vocabularies.stream import reason_of
from mockserver.dialects.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Level
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart

_RIGHT = "finish once, as the last part"


def _finish_last(evidence: Evidence) -> Iterator[Defect]:
    """A host executes the calls when it reads ``finish``, as often as it comes."""
    parts = evidence.stream_parts
    places = [n for n, part in enumerate(parts) if part.type == "finish"]
    if not places:
        if _is_finish_due(evidence):
            yield _out_of_place("the run completed without a finish part", None)
        return
    late = [part for part in parts[places[0] + 1 :] if part.type not in ANYWHERE]
    if again := next((part for part in late if part.type == "finish"), None):
        yield _out_of_place(f"{len(places)} finish parts were emitted", again)
    elif call := next((part for part in late if part.type == "tool-call"), None):
        message = f"the call {call.id!r} comes after finish, when hosts have executed the calls"
        yield _out_of_place(message, call)
    elif late:
        yield _out_of_place(f"{late[0].written} comes after finish", late[0], "should")


def _is_finish_due(evidence: Evidence) -> bool:
    """Whether a completed run has no finish at all, although its upstream gave one."""
    transcript, end = evidence.transcript, evidence.end
    if transcript.cancelled or end is None or end.outcome != "completed":
        return False
    returned = transcript.end is not None and transcript.end.finish
    optional = KIT[transcript.dialect].reason_optional
    given = not optional or _reasons_sent(evidence)
    return bool(given and not returned)


def _out_of_place(message: str, part: StreamPart | None, level: Level = "must") -> Defect:
    return Defect(
        message,
        right=_RIGHT,
        about=topics("finish"),
        part=part.n if part else None,
        level=level,
        needs=topics("end", *([f"part:{part.n}"] if part else [])),
    )


FINISH_LAST = Rule(
    id="finish-last",
    holds="a completed run has one finish part, and no call follows it; nothing else does (should)",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4StreamPart; "
    "ai § streamText",
    check=_finish_last,
    not_applicable=framing_is_not_judged(_finish_last),
)


# The reasons of chat completions that have another name in the parts.
_OF_CHAT = {
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "content_filter": "content-filter",
}


def _reasons_sent(evidence: Evidence) -> set[str]:
    """The reasons that the wire itself gives: in ``finish`` parts, or in the choices of chunks."""
    reasons: set[str] = set()
    for event in evidence.answer:
        if isinstance(event.data, dict):
            given = reason_of(event.data) if event.type == "finish" else None
            choices = objects_in(event.data.get("choices"))
            chosen = (text(choice.get("finish_reason")) for choice in choices)
            reasons |= {given or "", *(_OF_CHAT.get(each, each) for each in chosen)}
    return reasons - {""}


def _finish_reason(evidence: Evidence) -> Iterator[Defect]:
    """The reason is that of the wire, or follows from what the wire has sent."""
    finish = next((p for p in reversed(evidence.stream_parts) if p.type == "finish"), None)
    reason = reason_of(finish.fields) if finish else None
    if finish is None or reason is None or evidence.transcript.cancelled:
        return
    due = _reasons_due(evidence)
    right = due | _reasons_sent(evidence)
    if right and reason not in right:
        upstream = evidence.expected.upstream
        yield Defect(
            f"finish has the reason {reason!r}, and the upstream's response {_ending(evidence)}",
            right=f"the reason {' or '.join(map(repr, sorted(right)))}",
            about=topics("finish-reason"),
            part=finish.n,
            level=_level(upstream, reason, right),
            needs=topics("end", "calls", f"part:{finish.n}"),
        )


def _ending(evidence: Evidence) -> str:
    """How the upstream's response ended, in words."""
    expected = evidence.expected
    if expected.upstream == "completed":
        return f"completed with {len(expected.calls)} call(s) for the host"
    return f"was cut short ({expected.reason})" if expected.upstream == "incomplete" else "failed"


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
    return "should" if reason == "other" else "must"


FINISH_REASON = Rule(
    id="finish-reason",
    holds="finish has the reason that the upstream gave: why it was cut short, error where it "
    "failed, tool-calls with calls for the host, stop without (the last two should)",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4FinishReason; "
    "ai § streamText",
    check=_finish_reason,
    not_applicable=framing_is_not_judged(_finish_reason),
)
