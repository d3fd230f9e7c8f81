"""The rule on the place of the part ``finish``: it comes once and last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import KIT
from conformance.findings.finding import Defect, Kind, Rule, topics
from conformance.rules.framing.judged import ANYWHERE, framing_is_not_judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.findings.finding import Level
    from conformance.rules.evidence import Evidence
    from conformance.vocabularies.stream_parts import StreamPart


class _NotLast(Kind):
    """A run does not end with one finish part."""

    right = "finish once, as the last part"


class NoFinish(_NotLast):
    """A run completed without a finish part."""

    message = "the run completed without a finish part"


class SeveralFinishes(_NotLast):
    """A run has more than one finish part."""

    times: int

    message = "{times} finish parts were emitted"


class CallAfterFinish(_NotLast):
    """A call comes after the finish part, when hosts have executed the calls."""

    call: str | None

    message = "the call {call!r} comes after finish, when hosts have executed the calls"


class PartAfterFinish(_NotLast):
    """A part that is not a call comes after the finish part."""

    type: str

    message = "{type} comes after finish"
    same_by = ("type",)


def _finish_last(evidence: Evidence) -> Iterator[Defect]:
    """A host executes the calls when it reads ``finish``, as often as it comes."""
    parts = evidence.stream_parts
    places = [n for n, part in enumerate(parts) if part.type == "finish"]
    if not places:
        if _is_finish_due(evidence):
            yield _out_of_place(NoFinish(), None)
        return
    late = [part for part in parts[places[0] + 1 :] if part.type not in ANYWHERE]
    if again := next((part for part in late if part.type == "finish"), None):
        yield _out_of_place(SeveralFinishes(len(places)), again)
    elif call := next((part for part in late if part.type == "tool-call"), None):
        yield _out_of_place(CallAfterFinish(call.id), call)
    elif late:
        yield _out_of_place(PartAfterFinish(late[0].written), late[0], "should")


def _is_finish_due(evidence: Evidence) -> bool:
    """Whether a completed run has no finish at all, although its upstream gave one."""
    transcript, end = evidence.transcript, evidence.end
    if transcript.cancelled or end is None or end.outcome != "completed":
        return False
    returned = transcript.end is not None and transcript.end.finish
    optional = KIT[transcript.dialect].endings.reason_optional
    given = not optional or evidence.reasons_sent
    return bool(given and not returned)


def _out_of_place(kind: Kind, part: StreamPart | None, level: Level = "must") -> Defect:
    return Defect(
        kind,
        about=topics("finish"),
        part=part.n if part else None,
        level=level,
        # A missing finish follows from a wrong ending; a second one, or a late part, does not.
        needs=topics(f"part:{part.n}" if part else "end"),
    )


FINISH_LAST = Rule(
    id="finish-last",
    holds="a completed run has one finish part, and no call follows it; nothing else does (should)",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4StreamPart; "
    "ai § streamText",
    check=_finish_last,
    kinds=(NoFinish, SeveralFinishes, CallAfterFinish, PartAfterFinish),
    not_applicable=framing_is_not_judged(_finish_last),
)
