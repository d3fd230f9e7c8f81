"""The rule that a failure is told to the host once, by the channel that the adapter declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.traits import or_declared, stated
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.error_cause import quoted_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _error_told(evidence: Evidence) -> Iterator[Defect]:
    """A failure is reported to the host once, by the channel that the adapter declares."""
    if evidence.expected.upstream != "failed" or evidence.end is None:
        return
    yield from _CHANNELS[evidence.traits.errors](evidence)


def text_after_answer(evidence: Evidence) -> str:
    """The text after the answer; empty if the answer itself is wrong."""
    text, got = evidence.expected.text.text, evidence.reading.text
    return got[len(text) :] if got.startswith(text) else ""


def _rejected(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: reject`` a failure is reported by the outcome alone."""
    yield from _not_in_text(evidence)
    for error in evidence.reading.errors[:1]:
        yield prose_defect(
            "the failure was told in an error part",
            right=f"a rejection alone; {stated(evidence.traits, 'errors')}"
            + or_declared("errors", "part"),
            about=topics("end"),
            part=error.part,
        )
    yield from _lost_message(evidence)
    yield from _unknown_error(evidence)


def _unknown_error(evidence: Evidence) -> Iterator[Defect]:
    """A failure in VS Code is an error that the host knows: other classes lose their meaning."""
    error = evidence.end.error if evidence.end else None
    if evidence.reading.outcome == "failed" and error and error.thrown:
        yield prose_defect(
            f"the failure was rejected as {error.thrown}, of which a host knows the message alone: "
            f"{quoted_message(error.message)}",
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
        yield prose_defect(
            f"the failure was told in {len(errors)} error parts",
            right=f"one error part; {stated(evidence.traits, 'errors')}",
            about=topics("told"),
            part=errors[1].part,
            level="should",
        )
    yield from _lost_message(evidence)


def _not_in_text(evidence: Evidence) -> Iterator[Defect]:
    """The failure is not reported in the answer text."""
    error, said = evidence.expected.error, text_after_answer(evidence)
    if error and any(word and word in said for word in (error.message, error.code)):
        also = " as well" if evidence.reading.outcome == "failed" else ""
        yield prose_defect(
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
            yield prose_defect(
                f"the failure's {what} was lost: the upstream said {sent!r}, the host got "
                f"{quoted_message(repeated)}",
                right=f"the upstream's {what} reaches the host",
                about=topics("told"),
                level="should",
            )
            return


def _in_text(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: text`` a failure is reported once in the answer text."""
    error, said = evidence.expected.error, text_after_answer(evidence)
    message = error.message if error else ""
    if not message:
        # Any words will do then, and end-honest reports a run that completes without any.
        return
    # If the answer itself is wrong, the failure may be told anywhere in the text.
    if (times := (said or evidence.reading.text).count(message)) != 1:
        yield prose_defect(
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
