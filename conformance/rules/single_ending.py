"""The rule that a run ends once, in time, in a process that outlives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.notes import first_seen
from conformance.expectation.refusals import WAITED
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.cancellation import when_cancelled
from conformance.rules.lost_runs import lost
from conformance.rules.upstream_response import ending_sent, upstream_did

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import Incident
    from conformance.rules.evidence import Evidence

_UNENDED = ("timed-out", "hung", "broke-protocol")


def _end_once(evidence: Evidence) -> Iterator[Defect]:
    """A run has one ending."""
    transcript = evidence.transcript
    if len(transcript.ends) > 1:
        said = ", ".join(end.outcome for end in transcript.ends)
        yield prose_defect(
            f"the run ended {len(transcript.ends)} times: {said}", "one ending", topics("end")
        )
    elif not transcript.ends or transcript.verdict in _UNENDED:
        yield prose_defect(
            lost(transcript) or _unended(evidence),
            _due_ending(evidence),
            topics("end") | evidence.lost_by_stopping_early(),
            level="should" if _waits(evidence) else None,
        )
    yield from _ended_outside_of_runs(evidence)


def _waits(evidence: Evidence) -> bool:
    """Whether a strict adapter waits for the end of a connection that the upstream leaves open."""
    waited = evidence.transcript.verdict in WAITED
    return evidence.expected.refused and waited and _stalled(evidence)


def _unended(evidence: Evidence) -> str:
    """A run that the kit had to stop, with what should have ended it."""
    transcript = evidence.transcript
    seen = first_seen(transcript.notes) if transcript.verdict == "hung" else ""
    stopped = _STOPPED_AFTER_CANCELLATION if transcript.cancelled or seen else _STOPPED
    how = stopped.get(transcript.verdict, "the run did not end")
    return f"{how}, {_although(evidence)}{f'; {seen}' if seen else ''}"


def _due_ending(evidence: Evidence) -> str:
    """When a run that did not end should have ended."""
    outcomes = " or ".join(evidence.expected.outcomes)
    if evidence.transcript.cancelled:
        return "one ending, once the run is cancelled"
    if event := ending_sent(evidence):
        open_ = ", although the connection stays open" if _stalled(evidence) else ""
        return f"one ending that says {outcomes}, soon after {event}{open_}"
    if _stalled(evidence):
        return "one ending, at the latest once the run is cancelled"
    return f"one ending that says {outcomes}, once the upstream's answer is over"


def _stalled(evidence: Evidence) -> bool:
    """Whether the upstream left its last answer open, and sent nothing more."""
    answered = evidence.transcript.answered
    return bool(answered) and answered[-1].close == "stall"


def _although(evidence: Evidence) -> str:
    """What should have ended a run, or why it could not end, as the end of a sentence."""
    if cancelled := evidence.transcript.cancelled:
        return f"although it was cancelled {when_cancelled(cancelled)}"
    if not evidence.transcript.posts:
        return "and no request reached the run's base URL"
    silent = _stalled(evidence) and not ending_sent(evidence)
    return f"{'and' if silent else 'although'} the upstream {upstream_did(evidence)}"


_STOPPED = {
    "timed-out": "the run ended only when it was cancelled at the time limit",
    "hung": "the run did not end, even when cancelled at the time limit",
}
_STOPPED_AFTER_CANCELLATION = {"timed-out": "the run ended only at the time limit"}


def _ended_outside_of_runs(evidence: Evidence) -> Iterator[Defect]:
    """The adapter's process lives until it is told to exit, and writes nothing but drive/1."""
    for incident in evidence.transcript.incidents:
        if incident.kind in _WHAT_HAPPENED:
            last = f"; the last line on stderr: {incident.stderr!r}" if incident.stderr else ""
            yield prose_defect(
                f"{_WHAT_HAPPENED[incident.kind]} {_when(incident)}: {incident.what}{last}",
                right="a process that plays run after run, and as many at once as it claims, until "
                "it is told bye",
                about=topics(f"incident:{incident.n}"),
            )


_WHAT_HAPPENED = {
    "ended": "the adapter's process ended",
    "invalid-line": "the adapter broke the protocol between it and the kit",
}


def _when(incident: Incident) -> str:
    """When an incident happened, and why no run is known to be its cause."""
    after = f"after {incident.after} had ended" if incident.after else "before any run had ended"
    if not incident.in_flight:
        return f"between two runs, {after}"
    if len(incident.in_flight) == 1:
        return f"before it answered this run, {after}, but not when this run was played alone"
    runs = ", ".join(incident.in_flight)
    return (
        f"while {len(incident.in_flight)} runs were in flight ({runs}), but with none of them when "
        "it was played alone"
    )


END_ONCE = Rule(
    id="end-once",
    holds="one ending",
    source="lm-stream-semantics § 5.1",
    check=_end_once,
)
