"""end-once: a run has one ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_RIGHT = "one ending, when the upstream's stream has ended or the run is cancelled"

_UNENDED = ("timed-out", "hung", "broke-protocol")
LOST = {
    "crashed": "the adapter crashed before the run had ended",
    "broke-protocol": "the adapter broke the protocol between it and the kit",
    "not-run": "the adapter could not be driven any further",
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    transcript = evidence.transcript
    if len(transcript.ends) > 1:
        said = ", ".join(end.outcome for end in transcript.ends)
        yield Defect(f"the run ended {len(transcript.ends)} times: {said}", _RIGHT, topics("end"))
    elif not transcript.ends or transcript.verdict in _UNENDED:
        why = "it was cancelled" if transcript.cancelled else "the upstream's stream was over"
        yield Defect(
            LOST.get(transcript.verdict, f"the run did not end by itself, although {why}"),
            _RIGHT,
            topics("end") | evidence.stopped_early(),
        )


RULE = Rule(
    id="end-once",
    holds="one ending",
    source="lm-stream-semantics § 5.1",
    check=_check,
)
