"""The rules on what a run reports at its end: the reason to finish, and the usage."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.dialect import KitDialect, Usage
from conformance.dialects.json_search import USAGE_DETAILS, usage_by_side
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import UpstreamValue
from conformance.rules.evidence import Evidence
from conformance.rules.framing.judged import is_excused_by_upstream, unframed
from conformance.rules.upstream_response import upstream_did
from conformance.vocabularies.fullstream import StreamPart
from conformance.vocabularies.stream import reason_of
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import mapping

_SIDES = ("input", "output")
_OF_PARTS = {"input": ("inputTokens",), "output": ("outputTokens",), **USAGE_DETAILS}


class OtherUsage(Kind, weighs="falsehood"):
    """A run reports another number of tokens than the upstream, or one where there is none."""

    side: str
    reported: Any
    due: Any
    is_sent: bool
    is_of_step: bool = False

    message = (
        "[[{is_of_step:if}the last step|the run]] reports {reported} {side} tokens; the upstream "
        "sent [[{is_sent:if}{due}|none]]"
    )
    right = (
        "[[{is_sent:if}{due} {side} tokens, the upstream's last count|no count, as the upstream "
        "sent none]]"
    )
    same_by = ("is_sent",)


class UsageNotReported(Kind, weighs="falsehood"):
    """A completed run does not report tokens that the upstream counted, as adapter.yaml claims."""

    side: str
    due: Any

    message = (
        "the run reports no {side} tokens; the upstream sent {due}, and adapter.yaml claims usage"
    )
    right = "{due} {side} tokens; or an adapter.yaml without usage: true"
    same_by = ("side",)


class UsageNotAskedFor(Kind, weighs="falsehood"):
    """A run whose adapter claims usage did not ask the upstream for any, and got none."""

    message = (
        "the run reports no tokens, as its request asks for none, and adapter.yaml claims usage"
    )
    right = "stream_options with include_usage; or an adapter.yaml without usage: true"


@rule(
    holds="the last real usage, once; missing is missing, not zero; what adapter.yaml claims to "
    "report is reported",
    source="stream-mapping § Token Usage",
    kinds=(OtherUsage, UsageNotReported, UsageNotAskedFor),
)
def usage_last(evidence: Evidence) -> Iterator[Defect]:
    # The usage of a plain answer is not in any event.
    if evidence.transcript.plain_answer:
        return
    dialect = KIT[evidence.transcript.dialect]
    sent = _latest_first(evidence.answer, dialect)
    if evidence.turn.claims.usage and _has_answered(evidence):
        yield from _missing_usage(list(_reported(evidence)), _real(_in_time(evidence)))
        if not (sent or evidence.reading.usage or _asks_for_usage(evidence)):
            yield Defect(UsageNotAskedFor(), topics("usage"), needs=topics("end"))
    if not sent and evidence.traits.missing_usage == "estimated":
        return
    right = list(_right(evidence, sent))
    for reported, is_of_step in _reported(evidence):
        if any(_wrong(reported, each) is None for each in right):
            continue
        side = _wrong(reported, right[0]) or ""
        counted = _counted(right[0], side)
        is_sent = counted is not None
        yield Defect(
            OtherUsage(side, reported[side], counted, is_sent, is_of_step), topics("usage")
        )
        return


def _reported(evidence: Evidence) -> Iterator[tuple[Usage, bool]]:
    """The usage of the run, of its finish and of its only step, and whether it is that of a step.

    A finish may have the total, and say that none of it was cached.
    """
    yield evidence.reading.usage or {}, False
    parts = [p for p in evidence.stream_parts if p.type in ("finish", "finish-step")]
    steps = [part for part in parts if part.type == "finish-step"]
    for part in parts:
        if part.type == "finish" or len(steps) == 1:
            for counts in usage_by_side([part.fields.get("usage")], _OF_PARTS):
                known = {"cached": _cached(mapping(part.fields.get("usage"))), **counts}
                yield {side: n for side, n in known.items() if n is not None}, part in steps


def _cached(usage: Mapping[str, Any]) -> int | None:
    """The cached tokens that a usage implies: those of the total that are in no other count."""
    counts = mapping(usage.get("inputTokens"))
    total, *others = (counts.get(name) for name in ("total", "noCache", "cacheWrite"))
    if not isinstance(total, int) or not isinstance(others[0], int):
        return None
    return total - sum(count for count in others if isinstance(count, int))


def _missing_usage(
    reported: Sequence[tuple[Usage, bool]], sent: Sequence[Usage]
) -> Iterator[Defect]:
    """The first side whose tokens the upstream has counted and the run does not report.

    The end of a run has no place for details, which the finish of a framed stream has.
    """
    for side in (*_SIDES, *USAGE_DETAILS) if len(reported) > 1 else _SIDES:
        is_told = any(side in usage for usage, _ in reported)
        if not is_told and (due := _counted(sent, side)):
            yield Defect(UsageNotReported(side, due), topics("usage"), needs=topics("end"))
            return


def _asks_for_usage(evidence: Evidence) -> bool:
    """Whether the request asks for usage, where the upstream reports it only then."""
    transcript = evidence.transcript
    asked = transcript.posts[-1] if transcript.posts else None
    read = DIALECTS[transcript.dialect].requests.read
    return asked is None or read(asked.body, asked.headers).asks_for_usage


def _has_answered(evidence: Evidence) -> bool:
    """Whether the run has completed, with its last part if its parts are framed.

    One that shows its failure as text has failed.
    """
    end = evidence.end
    is_whole = bool(unframed(evidence)) or _finish_part(evidence) is not None
    is_complete = end and end.outcome == "completed" and end.finish != "error"
    return bool(is_whole and is_complete and evidence.transcript.cancelled is None)


def _right(evidence: Evidence, sent: Sequence[Usage]) -> Iterator[Sequence[Usage]]:
    """The usages of which any may be reported, the best one first.

    ``sent`` are all, the last one first.
    """
    dialect = KIT[evidence.transcript.dialect]
    if of_steps := tuple(dialect.usages.of_steps(evidence.answer)):
        yield of_steps
        return
    yield _real(sent)
    yield sent[:1]
    in_time = _in_time(evidence)
    yield in_time[:1]
    yield _real(in_time)


def _in_time(evidence: Evidence) -> list[Usage]:
    """The usages before the upstream's own end, after which an adapter may ignore them."""
    before_end = tuple(takewhile(_is_not_done, evidence.answer))
    return _latest_first(before_end, KIT[evidence.transcript.dialect])


def _latest_first(events: Sequence[SentEvent], dialect: KitDialect) -> list[Usage]:
    """The usages in these events, the last one first."""
    of_event = dialect.usages.of_event
    return [usage for event in reversed(events) for usage in of_event(mapping(event.data))]


def _is_not_done(event: SentEvent) -> bool:
    """Whether the event is not a `[DONE]` in raw bytes, which ends a stream that goes on."""
    return not (event.kind == "raw" and "[DONE]" in str(event.data))


def _wrong(reported: Usage, sent: Sequence[Usage]) -> str | None:
    """The first side whose count differs from the upstream's."""
    sides = (side for side in (*_SIDES, *USAGE_DETAILS) if side in reported)
    return next((side for side in sides if reported[side] != _counted(sent, side)), None)


def _counted(sent: Sequence[Usage], side: str) -> object:
    """The tokens of a side in the first of these usages; a detail that it does not say is none."""
    counted = sent[0].get(side) if sent else None
    return counted or 0 if side in USAGE_DETAILS else counted


def _real(sent: Sequence[Usage]) -> Sequence[Usage]:
    """The usages from the last one that is not zero, since some upstreams send zeros as filler."""
    counts = [any(usage.get(side) for side in _SIDES) for usage in sent]
    return sent[counts.index(True) :] if True in counts else sent


class OtherReason(Kind, weighs="falsehood"):
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


class FinishNotReported(Kind, weighs="falsehood"):
    """A completed run reports no reason to finish, although adapter.yaml claims that it does."""

    upstream: UpstreamValue
    due: tuple[str, ...]

    message = (
        "the run reports no reason to finish; the upstream {upstream:upstream}, and adapter.yaml "
        "claims finish"
    )
    right = "the reason {due:either}; or an adapter.yaml without finish: true"


class VagueReason(OtherReason, weighs="manners"):
    """The reason is "other" where the upstream gave one, or one where the upstream's is "other"."""


@rule(
    holds="finish has the reason that the upstream gave: why it was cut short, error where it "
    "failed, tool-calls with calls for the host, stop without; a word that says nothing in place "
    "of a reason is a should; what adapter.yaml claims is given",
    source="semantics § stream-finish; @ai-sdk/provider § LanguageModelV4FinishReason; "
    "ai § streamText",
    is_excused=is_excused_by_upstream,
    kinds=(OtherReason, VagueReason, FinishNotReported),
)
def finish_reason(evidence: Evidence) -> Iterator[Defect]:
    """The reason is that of the wire, or follows from what the wire has sent."""
    if evidence.transcript.cancelled:
        return
    part = _finish_part(evidence)
    reason = reason_of(part.fields) if part else _reason_of_end(evidence)
    right = _reasons_due(evidence)
    if reason is None and right and _is_reason_claimed(evidence):
        lacks = FinishNotReported(_ending(evidence), tuple(sorted(right)))
        yield Defect(lacks, topics("finish-reason"), needs=topics("end"))
    if reason is not None and right and reason not in right:
        # A word that says nothing is no falsehood, unless the host leaves calls unexecuted for it.
        is_vague = reason == "other" and "tool-calls" not in right
        kind = VagueReason if is_vague or right == {"other"} else OtherReason
        yield Defect(
            kind(reason, part is not None, _ending(evidence), tuple(sorted(right))),
            about=topics("finish-reason"),
            part=part.n if part else None,
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


def _is_reason_claimed(evidence: Evidence) -> bool:
    """Whether the run has completed, its upstream gave a reason, and adapter.yaml claims it."""
    optional = KIT[evidence.transcript.dialect].endings.reason_optional
    is_given = not optional or evidence.reasons_sent
    return bool(evidence.turn.claims.finish and is_given and _has_answered(evidence))


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


def _reasons_due(evidence: Evidence) -> frozenset[str]:
    """The right reasons; empty if nothing says which one is right."""
    if evidence.expected.upstream == "failed" and _has_reported_failure(evidence):
        return frozenset({"error"}) | evidence.reasons_sent
    return evidence.expected.finishes


def _has_reported_failure(evidence: Evidence) -> bool:
    """Whether the adapter itself reports that the run failed.

    A call with an invalid input is a failure to the host alone: its finish is still of a call.
    """
    own = evidence.transcript.end
    return bool(evidence.reading.errors) or (own is not None and own.outcome == "failed")
