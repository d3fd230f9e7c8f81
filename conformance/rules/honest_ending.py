"""The rule that a run ends as the upstream's response did: completed, failed, or cut short."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from conformance.contract.transcript import End
from conformance.expectation.early_endings import DENIALS, WAITED, says_incomplete
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import Declared, ErrorValue, RightEndings, UpstreamValue
from conformance.rules.alternatives import acceptable_endings, trait_of
from conformance.rules.error_cause import error_value
from conformance.rules.error_told import text_after_answer
from conformance.rules.evidence import Evidence
from conformance.rules.invented_calls import CallNotRun, defect_of_call_not_run
from conformance.rules.upstream_response import upstream_did


class _WrongOutcome(Kind):
    """A run ends with another outcome than its response."""

    upstream: UpstreamValue
    due: RightEndings

    right = "{due:endings}"
    same_by: ClassVar[tuple[str, ...]] = ("upstream.way",)


class FailureHidden(_WrongOutcome, weighs="harm"):
    """A run ends as completed, although its response did not complete."""

    message = "the run ended as 'completed', but the upstream {upstream:upstream}"
    headline = "ended as 'completed'{upstream:despite}"


class AnswerFailed(_WrongOutcome, weighs="falsehood"):
    """A run fails, although its response did not."""

    error: ErrorValue

    message = "the run failed with {error:error}, but the upstream {upstream:upstream}"
    headline = "failed with {error:error}"
    same_by = ("error.error_class", "upstream.way")


class ContradictionFound(AnswerFailed, weighs="loss"):
    """The same, where the binding found the failure and the library told nothing."""


class NobodyCancelled(_WrongOutcome, weighs="falsehood"):
    """A run ends as cancelled, although nobody cancelled it."""

    message = (
        "the run ended as 'cancelled', but nobody cancelled it, and the upstream "
        "{upstream:upstream}"
    )
    headline = "ended as 'cancelled', but nobody cancelled it"


class RefusedAsUnsupported(Kind, weighs="falsehood"):
    """A run is refused that adapter.yaml claims."""

    error: ErrorValue

    message = "the run was refused as unsupported, although adapter.yaml claims it: {error:error}"
    right = "every run played that adapter.yaml claims"
    headline = "refused as unsupported: {error:error}"


class Crashed(_WrongOutcome, weighs="loss"):
    """The adapter reports an error of its own."""

    error: ErrorValue

    message = "the adapter crashed with {error:crash}; the upstream {upstream:upstream}"
    headline = "crashed with {error:crash}"
    same_by = ("error.error_class",)


class BlanksForFailure(Kind, weighs="harm"):
    """Blanks follow the answer, where the failure is due as text."""

    text: str
    upstream: UpstreamValue
    declared: Declared

    message = (
        "the run ended as 'completed', with {text:quoted-80} after the answer, but the upstream "
        "{upstream:upstream}"
    )
    right = "text that tells the failure; {declared:declared}"
    headline = "ended as 'completed', with {text:quoted-40} for the failure"
    same_by = ("upstream.way",)


class FinishContradicts(Kind, weighs="falsehood"):
    """A run completes with a reason to finish that the upstream's ending excludes."""

    finish: str
    upstream: UpstreamValue
    due: str

    message = "the run finished as {finish!r}, but the upstream {upstream:upstream}"
    right = "[[finish {due!r}|the upstream's own finish]]"
    headline = "finished as {finish!r}{upstream:despite}"
    same_by = ("finish", "due")


_SAYS_INCOMPLETE = "finish {due!r}, or a failure that says so"


class CutNotSaid(Kind, weighs="manners"):
    """Nothing in a run says that its response is incomplete."""

    upstream: UpstreamValue
    due: str

    message = "nothing says that the answer is incomplete, but the upstream {upstream:upstream}"
    right = _SAYS_INCOMPLETE
    headline = "nothing says that the answer is incomplete"


class CutReadAsFailure(Kind, weighs="falsehood"):
    """A run fails as if its stream had broken, although its response ended as incomplete."""

    error: ErrorValue
    reason: str
    upstream: UpstreamValue
    due: str

    message = (
        "the run failed with {error:error} instead of ending as incomplete[[ ({reason})]], "
        "although the upstream {upstream:upstream}"
    )
    right = _SAYS_INCOMPLETE
    headline = "failed with {error:error}, not incomplete[[ ({reason})]]"
    same_by = ("error.error_class",)


class CutNotInFailure(Kind, weighs="manners"):
    """A failure does not say that the response is incomplete."""

    reason: str
    error: ErrorValue

    message = (
        "the failure does not say that the response is incomplete ({reason}), but "
        "{error.message:said}"
    )
    right = "finish {reason!r}, or a failure that says so"
    headline = "the failure does not say that the response is incomplete"


@rule(
    holds="never completed after failed, error or a cut; never failed after completed; "
    "incomplete is said, and not denied by a failure",
    source="lm-stream-semantics § 5.3",
    kinds=(
        FailureHidden,
        AnswerFailed,
        ContradictionFound,
        NobodyCancelled,
        RefusedAsUnsupported,
        Crashed,
        BlanksForFailure,
        FinishContradicts,
        CutNotSaid,
        CutReadAsFailure,
        CutNotInFailure,
        CallNotRun,
    ),
)
def end_honest(evidence: Evidence) -> Iterator[Defect]:
    """The run ends with the outcome of the upstream's response."""
    end, expected = evidence.end, evidence.expected
    # The kit cancels a run at its time limit, which `end-once` reports.
    if end is None or (end.outcome == "cancelled" and evidence.transcript.verdict in WAITED):
        return
    if end.outcome not in expected.outcomes or expected.refused:
        wrong = (
            defect_of_call_not_run(evidence)
            if evidence.calls_not_run
            else _wrong_outcome(evidence, end)
        )
        yield wrong
    elif end.outcome == "completed":
        yield from _only_blanks(evidence)
        yield from _finish(evidence, end.finish)
    elif end.outcome == "failed" and expected.upstream == "incomplete":
        yield from _failed_for_incomplete(evidence, end)


def _wrong_outcome(evidence: Evidence, end: End) -> Defect:
    error, upstream, due = (
        error_value(end.error),
        upstream_did(evidence),
        acceptable_endings(evidence),
    )
    failed = ContradictionFound if evidence.is_reported_by_binding else AnswerFailed
    kinds: dict[str, Kind] = {
        "completed": FailureHidden(upstream, due),
        "failed": failed(upstream, due, error),
        "cancelled": NobodyCancelled(upstream, due),
        "unsupported": RefusedAsUnsupported(error),
        "error": Crashed(upstream, due, error),
    }
    about = topics("end", "told") | evidence.lost_by_stopping_early()
    return Defect(kinds[end.outcome], about)


def _only_blanks(evidence: Evidence) -> Iterator[Defect]:
    """Blanks after the answer, where words about a failure are due, of which any will do."""
    said, expected = text_after_answer(evidence), evidence.expected
    if expected.text.tail == "" and expected.upstream != "incomplete" and said.isspace():
        yield Defect(
            BlanksForFailure(said, upstream_did(evidence), trait_of(evidence, "errors")),
            about=topics("text", "end", "told"),
            # A call that came out although no host can run it was not told as a failure, either.
            needs=topics("calls"),
        )


def _finish(evidence: Evidence, finish: str | None) -> Iterator[Defect]:
    """The finish of a completed run does not contradict the upstream's outcome."""
    expected = evidence.expected
    if finish in expected.wrong_finish:
        kind = FinishContradicts(finish or "", _cut_short(evidence), expected.reason)
        yield Defect(kind, topics("end"))
    elif expected.upstream == "incomplete" and finish is None and expected.text.tail is None:
        yield _silent_about_cut(evidence)


def _silent_about_cut(evidence: Evidence) -> Defect:
    """The defect of a run that does not say that the answer is incomplete, nor denies it."""
    kind = CutNotSaid(_cut_short(evidence), evidence.expected.reason or "other")
    return Defect(kind, topics("end"))


def _cut_short(evidence: Evidence) -> UpstreamValue:
    """What the upstream did; if it cut its response short, with the reason."""
    is_cut = evidence.expected.upstream == "incomplete"
    return replace(upstream_did(evidence), reason=evidence.expected.reason if is_cut else "")


def _failed_for_incomplete(evidence: Evidence, end: End) -> Iterator[Defect]:
    """A failure that reports an incomplete response says so, by its words or by the finish.

    A failure which says that the stream broke is that of an adapter which does not read the event
    that ends an incomplete response. Where the upstream gave no reason there is none to repeat.
    """
    error, reason = end.error, evidence.expected.reason
    if says_incomplete(error) or end.finish not in (None, "error", *evidence.expected.wrong_finish):
        return
    if evidence.calls_not_run:
        if reason:
            yield _silent_about_cut(evidence)
    elif error and error.kind in DENIALS:
        said = error_value(error)
        kind = CutReadAsFailure(said, reason, _cut_short(evidence), reason or "other")
        yield Defect(kind, topics("end"))
    elif reason:
        yield Defect(CutNotInFailure(reason, error_value(error)), topics("end"))
