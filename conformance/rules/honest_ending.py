"""The rule that a run ends as the upstream's response did: completed, failed, or cut short."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.contract.traits import stated
from conformance.dialects.short_text import clip_middle
from conformance.expectation.incomplete import DENIALS, says_incomplete
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.alternatives import right_endings
from conformance.rules.calls_not_run import defect_of_call_not_run
from conformance.rules.error_cause import innermost_cause, quoted_message
from conformance.rules.error_told import text_after_answer
from conformance.rules.upstream_response import upstream_did

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import End, ReportedError
    from conformance.rules.evidence import Evidence


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
    return prose_defect(
        _OUTCOMES[end.outcome].format(upstream=upstream, said=said),
        right="every run played that adapter.yaml claims"
        if end.outcome == "unsupported"
        else right_endings(evidence),
        about=topics("end", "told") | evidence.lost_by_stopping_early(),
    )


def _only_blanks(evidence: Evidence) -> Iterator[Defect]:
    """Blanks after the answer, where words about a failure are due, of which any will do."""
    said, expected = text_after_answer(evidence), evidence.expected
    if expected.text.tail == "" and expected.upstream != "incomplete" and said.isspace():
        yield prose_defect(
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
_MAX_CAUSE = 100


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
        yield prose_defect(
            f"the run finished as {finish!r}, but the upstream {_cut_short(evidence)}",
            right=f"finish {expected.reason!r}" if expected.reason else "the upstream's own finish",
            about=topics("end"),
        )
    elif expected.upstream == "incomplete" and finish is None and expected.text.tail is None:
        right = f"finish {expected.reason or 'other'!r}, or a failure that says so"
        yield _silent_about_cut(evidence, right)


def _silent_about_cut(evidence: Evidence, right: str) -> Defect:
    """The defect of a run that does not say that the answer is incomplete, nor denies it."""
    return prose_defect(
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
        yield prose_defect(
            f"the run failed with {_cause(error)} instead of ending as incomplete"
            f"{f' ({reason})' if reason else ''}, although the upstream {_cut_short(evidence)}",
            right=right,
            about=topics("end"),
        )
    elif reason:
        yield prose_defect(
            f"the failure does not say that the response is incomplete ({reason}), but "
            f"{quoted_message(error.message if error else '')}",
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
