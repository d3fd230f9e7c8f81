"""cancel-stops: what a cancelled run still emits is at most one last piece of text.

It is counted from the moment at which the adapter itself knew of the cancellation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import Cancelled, Emitted
    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    for emitted in _too_many(evidence, cancelled):
        yield Defect(
            f"part {emitted.n} came out although the run was cancelled {_when(cancelled)}",
            right="nothing more, but for one last piece of text",
            # The first one speaks for those that follow it.
            about=topics(f"part:{emitted.n}", "cancelled"),
            # A call that is wrong in itself is a finding of its own.
            needs=_call(evidence, emitted.n),
            part=emitted.n,
        )


def _too_many(evidence: Evidence, cancelled: Cancelled) -> list[Emitted]:
    """What came after the cancellation and before the ending, without one last text."""
    end = evidence.end
    parts = evidence.transcript.parts[cancelled.parts :]
    late = [emitted for emitted in parts if end is None or emitted.at <= end.at]
    texts = {span.part for span in evidence.reading.spans}
    return late[1:] if late and late[0].n in texts else late


def _call(evidence: Evidence, part: int) -> frozenset[str]:
    pairing = evidence.pairing
    pairs = (*pairing.pairs, *pairing.doubled)
    return topics(*(f"call:{expected.id}" for expected, call in pairs if call.part == part))


def _when(cancelled: Cancelled) -> str:
    if cancelled.parts == 0:
        return "before the first part"
    return f"after {cancelled.parts} part{'' if cancelled.parts == 1 else 's'}"


RULE = Rule(
    id="cancel-stops",
    holds="after cancellation at most one last partial text, also when a burst is already buffered",
    source="lm-stream-semantics § 1.1, § 5.2",
    check=_check,
)
