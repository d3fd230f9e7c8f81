"""The rule that a run ends once, in time, in a process that outlives it."""

from collections.abc import Iterator
from typing import ClassVar, Literal, get_args

from conformance.contract.notes import error_class, exception_in, first_seen
from conformance.contract.transcript import Transcript, Try
from conformance.dialects.short_text import clip
from conformance.expectation.early_endings import WAITED
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import DueEnding, OutsideOfRuns, UpstreamValue
from conformance.rules.evidence import Evidence
from conformance.rules.upstream_response import ending_sent, upstream_did

Lost = Literal["crashed", "broke-protocol", "not-run"]
LOST: dict[str, Lost] = {name: name for name in get_args(Lost)}
"""The verdicts of runs that were lost."""
_UNENDED = ("timed-out", "hung", "broke-protocol")
_ENDED = ("completed", "failed", "cancelled")


class EndedAgain(Kind, weighs="falsehood"):
    """A run ends more than once."""

    times: int
    outcomes: tuple[str, ...]

    message = "the run ended {times} times: {outcomes:list}"
    right = "one ending"


class RunLost(Kind, weighs="harm"):
    """The adapter's process crashes, breaks the protocol, or cannot be driven any further.

    ``seen`` are the error that the process wrote, and what the driver saw.
    """

    verdict: Lost
    seen: tuple[str, ...]
    error_class: str
    due: DueEnding

    message = "{verdict:phrase}[[: {seen:details}| before the run had ended]]"
    right = "{due:due-ending}"
    same_by = ("verdict", "error_class")
    phrases = {
        "verdict": {
            "crashed": "the adapter crashed",
            "broke-protocol": "the adapter broke the protocol between it and the kit",
            "not-run": "the adapter could not be driven any further",
        }
    }


Stopped = Literal["late", "only when cancelled", "never", "not even when cancelled"]
"""Whether a run ended at its time limit or never; and if the kit's cancellation there matters."""


class _NotEnded(Kind, weighs="harm"):
    """A run does not end in time."""

    stopped: Stopped
    seen: str
    due: DueEnding

    right = "{due:due-ending}"
    same_by: ClassVar[tuple[str, ...]] = ("stopped",)
    phrases = {
        "stopped": {
            "late": "ended only at the time limit",
            "only when cancelled": "ended only when it was cancelled at the time limit",
            "never": "did not end",
            "not even when cancelled": "did not end, even when cancelled at the time limit",
        }
    }


class NotEnded(_NotEnded):
    """A run does not end in time, although its upstream's answer is over, or silent."""

    is_late: bool
    upstream: UpstreamValue
    is_silent: bool

    message = (
        "the run {stopped:phrase}, [[{is_silent:if}and|although]] the upstream "
        "{upstream:upstream}[[; {seen}]]"
    )
    headline = "[[{is_late:if}ended only at the time limit|did not end]]{upstream:despite}"
    same_by = ("stopped", "upstream.way")


class WaitsForClose(NotEnded, weighs="manners"):
    """An adapter waits for the end of a connection that the upstream leaves open.

    A strict one may wait anywhere, another one after the response has ended.
    """


class NotEndedByCancellation(_NotEnded):
    """A run does not end in time after its cancellation."""

    parts: int

    message = (
        "the run {stopped:phrase}, although it was cancelled "
        "[[after {parts:part|parts}|before the first part]][[; {seen}]]"
    )
    headline = "{stopped:phrase}, although it was cancelled"


class NotEndedWithoutRequest(_NotEnded):
    """A run makes no request and does not end in time."""

    message = "the run {stopped:phrase}, and no request reached the run's base URL[[; {seen}]]"


class HangsSometimes(Kind, weighs="harm"):
    """A run that is played several times does not end in time in some of its tries.

    ``tries`` are all of them, in order; ``is_idle`` is whether the adapter is known to have done
    nothing in the last seconds of this one.
    """

    hung: int
    tries: tuple[Try, ...]
    played: int
    is_idle: bool
    due: DueEnding

    message = (
        "the run did not end in {hung} of {played:try|tries}[[{is_idle:if}; in its last seconds "
        "here the adapter neither ran nor waited for a processor]]"
    )
    right = "{due:due-ending}, whenever it is played"
    headline = "hangs sometimes, in {hung} of {played:try|tries}"


class ProcessBroken(Kind, weighs="harm"):
    """The adapter's process ends or breaks the protocol outside of runs."""

    kind: Literal["ended", "invalid-line"]
    when: OutsideOfRuns
    what: str
    stderr: str

    message = (
        "{kind:phrase} {when:outside-of-runs}: {what}[[; the last line on stderr: {stderr!r}]]"
    )
    right = (
        "a process that plays run after run, and as many at once as it claims, until it is told bye"
    )
    same_by = ("kind",)
    phrases = {
        "kind": {
            "ended": "the adapter's process ended",
            "invalid-line": "the adapter broke the protocol between it and the kit",
        }
    }


@rule(
    holds="one ending",
    source="lm-stream-semantics § 5.1",
    kinds=(
        EndedAgain,
        RunLost,
        NotEnded,
        WaitsForClose,
        NotEndedByCancellation,
        NotEndedWithoutRequest,
        HangsSometimes,
        ProcessBroken,
    ),
)
def end_once(evidence: Evidence) -> Iterator[Defect]:
    transcript = evidence.transcript
    if len(transcript.ends) > 1:
        outcomes = tuple(end.outcome for end in transcript.ends)
        yield Defect(EndedAgain(len(outcomes), outcomes), topics("end"))
    elif not transcript.ends or transcript.verdict in _UNENDED:
        due = _due_ending(evidence)
        yield Defect(
            _lost(transcript, due) or _hangs_sometimes(evidence, due) or _unended(evidence, due),
            topics("end") | evidence.lost_by_stopping_early(),
        )
    yield from _ended_outside_of_runs(evidence)


def _waits(evidence: Evidence) -> bool:
    """Whether an adapter waits for the end of a connection that the upstream leaves open.

    A strict one may anywhere, another one after the response has ended.
    """
    if evidence.transcript.verdict not in WAITED or not _stalled(evidence):
        return False
    ended = evidence.expected.upstream != "failed" and ending_sent(evidence)
    return bool(evidence.expected.refused or ended)


def _lost(transcript: Transcript, due: DueEnding) -> Kind | None:
    """How a run was lost, with what the driver saw; None if it was not lost."""
    notes, verdict = transcript.notes, transcript.verdict
    if verdict not in LOST:
        return None
    raised = exception_in(notes) if verdict == "crashed" else ""
    details = (clip(raised, _MAX_EXCEPTION), clip(first_seen(notes), _MAX_SEEN))
    return RunLost(LOST[verdict], tuple(filter(None, details)), error_class(raised), due)


def _hangs_sometimes(evidence: Evidence, due: DueEnding) -> Kind | None:
    """A run that did not end here, and ended in another try."""
    tries, transcript = evidence.transcript.tries, evidence.transcript
    hung = sum(each.verdict in WAITED for each in tries)
    if transcript.verdict not in WAITED or all(each.verdict not in _ENDED for each in tries):
        return None
    return HangsSometimes(hung, tries, len(tries), transcript.was_idle, due)


_MAX_EXCEPTION = 120
_MAX_SEEN = 240


def _unended(evidence: Evidence, due: DueEnding) -> Kind:
    """A run that the kit had to stop, with what should have ended it."""
    transcript = evidence.transcript
    seen = first_seen(transcript.notes) if transcript.verdict == "hung" else ""
    stopped: Stopped = "never"
    if transcript.cancelled or seen:
        stopped = "late" if transcript.verdict == "timed-out" else "never"
    elif transcript.verdict in _STOPPED_BY:
        stopped = _STOPPED_BY[transcript.verdict]
    if transcript.cancelled:
        return NotEndedByCancellation(stopped, seen, due, transcript.cancelled.parts)
    if not transcript.posts:
        return NotEndedWithoutRequest(stopped, seen, due)
    is_silent = _stalled(evidence) and not ending_sent(evidence)
    is_late = transcript.verdict == "timed-out"
    kind = WaitsForClose if _waits(evidence) else NotEnded
    return kind(stopped, seen, due, is_late, upstream_did(evidence), is_silent)


_STOPPED_BY: dict[str, Stopped] = {
    "timed-out": "only when cancelled",
    "hung": "not even when cancelled",
}


def _due_ending(evidence: Evidence) -> DueEnding:
    """When a run that did not end should have ended."""
    outcomes = evidence.expected.outcomes
    if evidence.transcript.cancelled:
        return DueEnding(outcomes, "cancelled")
    if event := ending_sent(evidence):
        return DueEnding(outcomes, "event", event, is_open=_stalled(evidence))
    return DueEnding(outcomes, "silent" if _stalled(evidence) else "answered")


def _stalled(evidence: Evidence) -> bool:
    """Whether the upstream left its last answer open, and sent nothing more."""
    answered = evidence.transcript.answered
    return bool(answered) and answered[-1].close == "stall"


def _ended_outside_of_runs(evidence: Evidence) -> Iterator[Defect]:
    """The adapter's process lives until it is told to exit, and writes nothing but drive/1."""
    for incident in evidence.transcript.incidents:
        if incident.kind != "late-message":
            when = OutsideOfRuns(incident.after, incident.in_flight)
            kind = ProcessBroken(incident.kind, when, incident.what, incident.stderr)
            yield Defect(kind, topics(f"incident:{incident.n}"))
