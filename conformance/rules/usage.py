"""The rule about the usage that a run reports."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from conformance.dialects import KIT
from conformance.findings.finding import Defect, Kind, Rule, topics
from mockserver.foundation.json_fields import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import SentEvent
    from conformance.dialects.dialect import KitDialect, Usage
    from conformance.rules.evidence import Evidence

_SIDES = ("input", "output")


class OtherUsage(Kind):
    """A run reports another number of tokens than the upstream, or one where there is none."""

    side: str
    reported: Any
    due: Any
    is_sent: bool

    message = (
        "the run reports {reported} {side} tokens; the upstream sent [[{is_sent:if}{due}|none]]"
    )
    right = (
        "[[{is_sent:if}{due} {side} tokens, the upstream's last count|no count, as the upstream "
        "sent none]]"
    )
    same_by = ("is_sent",)


def _usage_last(evidence: Evidence) -> Iterator[Defect]:
    """A usage that is reported is the upstream's last real one; missing usage is not zero."""
    reported = evidence.reading.usage
    # The usage of a plain answer is not in any event.
    if not reported or evidence.transcript.plain_answer:
        return
    dialect = KIT[evidence.transcript.dialect]
    sent = _latest_first(evidence.answer, dialect)
    if any(_wrong(reported, each) is None for each in _right(evidence, sent)):
        return
    side = _wrong(reported, _real(sent)) or ""
    counted = _counted(_real(sent), side)
    kind = OtherUsage(side, reported[side], counted, is_sent=counted is not None)
    yield Defect(kind, topics("usage"))


def _right(evidence: Evidence, sent: Sequence[Usage]) -> Iterator[Sequence[Usage]]:
    """The usages of which any may be reported; ``sent`` are all, the last one first."""
    yield sent[:1]
    yield _real(sent)
    # What an upstream sends after its own end may be ignored.
    dialect = KIT[evidence.transcript.dialect]
    in_time = _latest_first(tuple(takewhile(_is_not_done, evidence.answer)), dialect)
    yield in_time[:1]
    yield _real(in_time)
    yield tuple(dialect.usages.of_steps(evidence.answer))


def _latest_first(events: Sequence[SentEvent], dialect: KitDialect) -> list[Usage]:
    """The usages in these events, the last one first."""
    of_event = dialect.usages.of_event
    return [usage for event in reversed(events) for usage in of_event(mapping(event.data))]


def _is_not_done(event: SentEvent) -> bool:
    """Whether the event is not a `[DONE]` in raw bytes, which ends a stream that goes on."""
    return not (event.kind == "raw" and "[DONE]" in str(event.data))


def _wrong(reported: Usage, sent: Sequence[Usage]) -> str | None:
    """The first side (``input``, ``output``) whose count differs from the upstream's."""
    return next((s for s in _SIDES if s in reported and reported[s] != _counted(sent, s)), None)


def _counted(sent: Sequence[Usage], side: str) -> object:
    """The tokens of a side in the first of these usages."""
    return sent[0].get(side) if sent else None


def _real(sent: Sequence[Usage]) -> Sequence[Usage]:
    """The usages from the last one that is not zero, since some upstreams send zeros as filler."""
    counts = [any(usage.get(side) for side in _SIDES) for usage in sent]
    return sent[counts.index(True) :] if True in counts else sent


USAGE_LAST = Rule(
    id="usage-last",
    holds="the last real usage, once; missing is missing, not zero",
    source="stream-mapping § Token Usage",
    check=_usage_last,
    level="should",
    kinds=(OtherUsage,),
)
