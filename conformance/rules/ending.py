"""Rules about the ending of a run, and about how a failure is reported to the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.contract.notes import first_seen
from conformance.contract.traits import stated
from conformance.dialects.short_text import clip_middle, quoted
from conformance.expectation.incomplete import DENIALS, says_incomplete
from conformance.expectation.refusals import WAITED
from conformance.rules.alternatives import right_endings
from conformance.rules.calls_not_run import defect_of_call_not_run
from conformance.rules.cancellation import when_cancelled
from conformance.rules.error_cause import innermost_cause
from conformance.rules.lost_runs import lost
from conformance.rules.upstream_response import ending_sent, upstream_did

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import End, Incident, ReportedError
    from conformance.rules.evidence import Evidence

_UNENDED = ("timed-out", "hung", "broke-protocol")


def _end_once(evidence: Evidence) -> Iterator[Defect]:
    """A run has one ending."""
    transcript = evidence.transcript
    if len(transcript.ends) > 1:
        said = ", ".join(end.outcome for end in transcript.ends)
        yield Defect(
            f"the run ended {len(transcript.ends)} times: {said}", "one ending", topics("end")
        )
    elif not transcript.ends or transcript.verdict in _UNENDED:
        yield Defect(
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
            yield Defect(
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


def _error_told(evidence: Evidence) -> Iterator[Defect]:
    """A failure is reported to the host once, by the channel that the adapter declares."""
    if evidence.expected.upstream != "failed" or evidence.end is None:
        return
    yield from _CHANNELS[evidence.traits.errors](evidence)


def _text_after_answer(evidence: Evidence) -> str:
    """The text after the answer; empty if the answer itself is wrong."""
    text, got = evidence.expected.text.text, evidence.reading.text
    return got[len(text) :] if got.startswith(text) else ""


def _rejected(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: reject`` a failure is reported by the outcome alone."""
    yield from _not_in_text(evidence)
    for error in evidence.reading.errors[:1]:
        yield Defect(
            "the failure was told in an error part",
            right=f"a rejection alone; {stated(evidence.traits, 'errors')}",
            about=topics("end"),
            part=error.part,
        )
    yield from _lost_message(evidence)
    yield from _unknown_error(evidence)


def _unknown_error(evidence: Evidence) -> Iterator[Defect]:
    """A failure in VS Code is an error that the host knows: other classes lose their meaning."""
    error = evidence.end.error if evidence.end else None
    if evidence.reading.outcome == "failed" and error and error.thrown:
        yield Defect(
            f"the failure was rejected as {error.thrown}, of which a host knows the message alone: "
            f"{_said(error)}",
            right="a LanguageModelError, whose code VS Code hands on",
            about=topics("error-kind"),
            level="should",
        )


def _in_part(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: part`` a failure is reported in at most one error part.

    None is right too, because there can be none before the stream begins.
    """
    yield from _not_in_text(evidence)
    errors = evidence.reading.errors
    if len(errors) > 1:
        yield Defect(
            f"the failure was told in {len(errors)} error parts",
            right=f"one error part; {stated(evidence.traits, 'errors')}",
            about=topics("told"),
            part=errors[1].part,
            level="should",
        )
    yield from _lost_message(evidence)


def _not_in_text(evidence: Evidence) -> Iterator[Defect]:
    """The failure is not reported in the answer text."""
    error, said = evidence.expected.error, _text_after_answer(evidence)
    if error and any(word and word in said for word in (error.message, error.code)):
        also = " as well" if evidence.reading.outcome == "failed" else ""
        yield Defect(
            f"the failure was told in the answer text{also}",
            right=f"not in the answer text; {stated(evidence.traits, 'errors')}",
            about=topics("text", "end"),
            part=evidence.reading.part_at(len(evidence.expected.text.text)),
        )


def _lost_message(evidence: Evidence) -> Iterator[Defect]:
    """The upstream's error message and code are reported."""
    error, end = evidence.expected.error, evidence.reported_end
    reported = end.error if end else None
    if evidence.reading.outcome != "failed" or error is None:
        return
    for what, sent, repeated in (
        ("message", error.message, reported.message if reported else ""),
        ("code", error.code, f"{reported.code} {reported.message}" if reported else ""),
    ):
        if sent and sent not in repeated:
            yield Defect(
                f"the failure's {what} was lost: the upstream said {sent!r}, the host got "
                f"{quoted(repeated.strip(), _MAX_SAID) if repeated.strip() else 'nothing'}",
                right=f"the upstream's {what} reaches the host",
                about=topics("told"),
                level="should",
            )
            return


def _in_text(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: text`` a failure is reported once in the answer text."""
    error, said = evidence.expected.error, _text_after_answer(evidence)
    message = error.message if error else ""
    if not message:
        # Any words will do then, and end-honest reports a run that completes without any.
        return
    # If the answer itself is wrong, the failure may be told anywhere in the text.
    if (times := (said or evidence.reading.text).count(message)) != 1:
        yield Defect(
            f"the answer text tells the failure {times} times"
            if times
            else _untold(evidence, said),
            right=f"one text part that contains {message!r}; {stated(evidence.traits, 'errors')}",
            about=topics("text", "end"),
        )


def _untold(evidence: Evidence, said: str) -> str:
    """What a run did instead of telling a failure in the text with the upstream's message."""
    if said:
        return f"the text after the answer is {said[:80]!r}, without the upstream's message"
    outcome = evidence.reported_end.outcome if evidence.reported_end else "nothing"
    return f"the run ended as {outcome!r}, and the answer text does not tell the failure"


_CHANNELS = {"reject": _rejected, "part": _in_part, "text": _in_text}

ERROR_TOLD = Rule(
    id="error-told",
    holds="that something failed reaches the host once, by the declared channel",
    source="lm-stream-semantics § 5.3",
    check=_error_told,
)


def _end_honest(evidence: Evidence) -> Iterator[Defect]:
    """The run ends with the outcome of the upstream's response."""
    end, expected = evidence.end, evidence.expected
    if end is None:
        return
    if end.outcome not in expected.outcomes or expected.refused:
        wrong = (
            defect_of_call_not_run(evidence)
            if evidence.calls_not_run
            else _wrong_outcome(evidence, end)
        )
        yield replace(wrong, level="should") if expected.refused else wrong
    elif end.outcome == "completed":
        yield from _only_blanks(evidence)
        yield from _finish(evidence, end.finish)
    elif end.outcome == "failed" and expected.upstream == "incomplete":
        yield from _failed_for_incomplete(evidence, end)


def _wrong_outcome(evidence: Evidence, end: End) -> Defect:
    upstream = f"the upstream {upstream_did(evidence)}"
    said = _crash(end.error) if end.outcome == "error" else _cause(end.error)
    return Defect(
        _OUTCOMES[end.outcome].format(upstream=upstream, said=said),
        right="every run played that adapter.yaml claims"
        if end.outcome == "unsupported"
        else right_endings(evidence),
        about=topics("end", "told") | evidence.lost_by_stopping_early(),
    )


def _only_blanks(evidence: Evidence) -> Iterator[Defect]:
    """Blanks after the answer, where words about a failure are due, of which any will do."""
    said, expected = _text_after_answer(evidence), evidence.expected
    if expected.text.tail == "" and expected.upstream != "incomplete" and said.isspace():
        yield Defect(
            f"the run ended as 'completed', with {said[:80]!r} after the answer, but the upstream "
            f"{upstream_did(evidence)}",
            right=f"text that tells the failure; {stated(evidence.traits, 'errors')}",
            about=topics("text", "end", "told"),
            # A call that came out although no host can run it was not told as a failure, either.
            needs=topics("calls"),
        )


_OUTCOMES = {
    "completed": "the run ended as 'completed', but {upstream}",
    "failed": "the run failed with {said}, but {upstream}",
    "cancelled": "the run ended as 'cancelled', but nobody cancelled it, and {upstream}",
    "unsupported": "the run was refused as unsupported, although adapter.yaml claims it: {said}",
    "error": "the adapter crashed{said}; {upstream}",
}
_MAX_SAID = 160
_MAX_CAUSE = 100


def _said(error: ReportedError | None) -> str:
    """The message of an error, quoted and clipped."""
    return quoted(error.message, _MAX_SAID) if error and error.message else "nothing"


def _cause(error: ReportedError | None) -> str:
    """The innermost cause of an error, quoted and clipped; the ending shows the whole text."""
    cause = innermost_cause(error.message) if error else ""
    return repr(clip_middle(cause, _MAX_CAUSE)) if cause else "no message"


def _crash(error: ReportedError | None) -> str:
    """The error with which an adapter crashed, as the end of a clause."""
    cause = innermost_cause(error.message) if error else ""
    raised = cause.removeprefix(_RAISED)
    if raised != cause:
        return f" with {clip_middle(raised, _MAX_CAUSE)}"
    return f" with {_cause(error)}"


_RAISED = "the library raised "
"""What a binding says before the error of its library."""


def _finish(evidence: Evidence, finish: str | None) -> Iterator[Defect]:
    """The finish of a completed run does not contradict the upstream's outcome."""
    expected = evidence.expected
    if finish in expected.wrong_finish:
        yield Defect(
            f"the run finished as {finish!r}, but the upstream {_cut_short(evidence)}",
            right=f"finish {expected.reason!r}" if expected.reason else "the upstream's own finish",
            about=topics("end"),
        )
    elif expected.upstream == "incomplete" and finish is None and expected.text.tail is None:
        right = f"finish {expected.reason or 'other'!r}, or a failure that says so"
        yield _silent_about_cut(evidence, right)


def _silent_about_cut(evidence: Evidence, right: str) -> Defect:
    """The defect of a run that does not say that the answer is incomplete, nor denies it."""
    return Defect(
        f"nothing says that the answer is incomplete, but the upstream {_cut_short(evidence)}",
        right=right,
        about=topics("end"),
        level="should",
    )


def _cut_short(evidence: Evidence) -> str:
    """What the upstream did; if it cut its response short, with the reason."""
    did, reason = upstream_did(evidence), evidence.expected.reason
    is_named = not reason or reason in did.replace("_", "-")
    return did if is_named or evidence.expected.upstream != "incomplete" else f"{did}: {reason}"


def _failed_for_incomplete(evidence: Evidence, end: End) -> Iterator[Defect]:
    """A failure that reports an incomplete response says so, by its words or by the finish.

    A failure which says that the stream broke is that of an adapter which does not read the event
    that ends an incomplete response. Where the upstream gave no reason there is none to repeat.
    """
    error, reason = end.error, evidence.expected.reason
    if says_incomplete(error) or end.finish not in (None, "error", *evidence.expected.wrong_finish):
        return
    right = f"finish {reason or 'other'!r}, or a failure that says so"
    if evidence.calls_not_run:
        if reason:
            yield _silent_about_cut(evidence, right)
    elif error and error.kind in DENIALS:
        yield Defect(
            f"the run failed with {_cause(error)} instead of ending as incomplete"
            f"{f' ({reason})' if reason else ''}, although the upstream {_cut_short(evidence)}",
            right=right,
            about=topics("end"),
        )
    elif reason:
        yield Defect(
            f"the failure does not say that the response is incomplete ({reason}), but "
            f"{_said(error)}",
            right=right,
            about=topics("end"),
            level="should",
        )


END_HONEST = Rule(
    id="end-honest",
    holds="never completed after failed, error or a cut; never failed after completed; "
    "incomplete is said, and not denied by a failure",
    source="lm-stream-semantics § 5.3",
    check=_end_honest,
)
