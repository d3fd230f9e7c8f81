"""The rule that a failure is told to the host once, by the channel that the adapter declares."""

from collections.abc import Iterator
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import Declared
from conformance.rules.alternatives import trait_of
from conformance.rules.evidence import Evidence
from conformance.rules.upstream_response import ending_sent
from conformance.vocabularies import COPILOT, FULLSTREAM, STREAM
from mockserver.foundation.json_fields import mapping
from mockserver.scenario.expected import ExpectError


class ToldInErrorPart(Kind, weighs="falsehood"):
    """A failure is reported in an error part, where a rejection alone is declared."""

    declared: Declared

    message = "the failure was told in an error part"
    right = (
        "a rejection alone; {declared:declared}; if it is meant so, declare the trait errors: part"
    )


class UnknownErrorClass(Kind, weighs="manners"):
    """A failure is an error of a class that the host does not know."""

    error_class: str
    error: str

    message = (
        "the failure was rejected as {error_class}, of which a host knows the message alone: "
        "{error:said}"
    )
    right = "a LanguageModelError, whose code VS Code hands on"
    headline = "the failure was rejected as {error_class}"
    same_by = ("error_class",)


class SeveralErrorParts(Kind, weighs="manners"):
    """A failure is reported in more than one error part."""

    times: int
    declared: Declared

    message = "the failure was told in {times} error parts"
    right = "one error part; {declared:declared}"


class NoErrorPart(Kind, weighs="falsehood"):
    """A failure that an event reports is told by the finish or by the run itself alone."""

    error: str
    declared: Declared

    message = "no error part tells the failure, which the upstream told with {error!r}"
    right = "an error part; {declared:declared}"
    headline = "no error part tells the failure"


class ToldInAnswer(Kind, weighs="falsehood"):
    """A failure is reported in the answer text, where another channel is declared."""

    also_failed: bool
    declared: Declared

    message = "the failure was told in the answer text[[{also_failed:if} as well]]"
    right = "not in the answer text; {declared:declared}"
    same_by = ("also_failed",)


class ErrorLost(Kind, weighs="manners"):
    """The upstream's error message or code does not reach the host."""

    what: Literal["message", "code"]
    sent: str
    reported: str

    message = (
        "the failure's {what} was lost: the upstream said {sent!r}, the host got {reported:said}"
    )
    right = "the upstream's {what} reaches the host"
    headline = "the failure's {what} was lost: {sent!r}"
    same_by = ("what",)


class _NotOneText(Kind, weighs="falsehood"):
    """The failure is not told once in the answer text, where it is due."""

    error: str
    declared: Declared

    right = "one text part that contains {error!r}; {declared:declared}"


class ToldAgain(_NotOneText):
    """The answer text has the failure more than once."""

    times: int

    message = "the answer text tells the failure {times} times"


class ToldWithoutMessage(_NotOneText):
    """The text after the answer does not have the upstream's message."""

    text: str

    message = "the text after the answer is {text:quoted-80}, without the upstream's message"
    headline = "the text after the answer does not have the upstream's message"


class NotTold(_NotOneText, weighs="harm"):
    """The answer text does not have the failure."""

    outcome: str

    message = "the run ended as {outcome!r}, and the answer text does not tell the failure"
    headline = "ended as {outcome!r}, and the text does not tell the failure"
    same_by = ("outcome",)


@rule(
    holds="that something failed reaches the host once, by the declared channel",
    source="lm-stream-semantics § 5.3",
    kinds=(
        ToldInErrorPart,
        UnknownErrorClass,
        SeveralErrorParts,
        NoErrorPart,
        ToldInAnswer,
        ErrorLost,
        ToldAgain,
        ToldWithoutMessage,
        NotTold,
    ),
)
def error_told(evidence: Evidence) -> Iterator[Defect]:
    if evidence.end is None:
        return
    if evidence.expected.upstream == "failed":
        yield from _CHANNELS[evidence.traits.errors](evidence)
    elif evidence.expected.upstream == "incomplete" and evidence.traits.errors != "text":
        # The reason for which an upstream aborted its response.
        yield from _lost_message(evidence)


def without_rejection(evidence: Evidence) -> ExpectError | None:
    """The upstream's failure, if a stream of parts has failed and its run says it completed.

    Then the parts alone tell it.
    """
    own, expected = evidence.transcript.end, evidence.expected
    in_parts = evidence.transcript.vocabulary in (STREAM.name, FULLSTREAM.name)
    completed = own is not None and own.outcome == "completed"
    has_failed = expected.upstream == "failed" and evidence.reading.outcome == "failed"
    return expected.error if in_parts and completed and has_failed else None


def text_after_answer(evidence: Evidence) -> str:
    """The text after the answer; empty if the answer itself is wrong."""
    text, got = evidence.expected.text.text, evidence.reading.text
    return got[len(text) :] if got.startswith(text) else ""


def _rejected(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: reject`` a failure is reported by the outcome alone."""
    yield from _not_in_text(evidence)
    for error in evidence.reading.errors[:1]:
        kind = ToldInErrorPart(trait_of(evidence, "errors"))
        yield Defect(kind, topics("end"), part=error.part)
    yield from _lost_message(evidence)
    yield from _unknown_error(evidence)


def _unknown_error(evidence: Evidence) -> Iterator[Defect]:
    """A failure in VS Code is an error that the host knows: other classes lose their meaning."""
    error = evidence.end.error if evidence.end else None
    if evidence.reading.outcome == "failed" and error and error.thrown:
        kind = UnknownErrorClass(error.thrown, error.message)
        yield Defect(kind, topics("error-kind"))


def _in_part(evidence: Evidence) -> Iterator[Defect]:
    """With ``errors: part`` a failure is reported in one error part."""
    yield from _not_in_text(evidence)
    errors = evidence.reading.errors
    if not errors and (error := _told_without_part(evidence)):
        kind = NoErrorPart(error.message or error.code, trait_of(evidence, "errors"))
        yield Defect(kind, topics("told"))
        return
    if len(errors) > 1:
        several = SeveralErrorParts(len(errors), trait_of(evidence, "errors"))
        yield Defect(several, topics("told"), part=errors[1].part)
    yield from _lost_message(evidence)


def _told_without_part(evidence: Evidence) -> ExpectError | None:
    """The upstream's failure, if the finish of the parts alone tells it, or else the run itself.

    A rejection is enough for a failure before the first part, and for a stream that breaks off.
    """
    if error := without_rejection(evidence):
        return None if _is_interrupted(evidence) else error
    error, end = evidence.expected.error, evidence.transcript.end
    with_errors = evidence.transcript.vocabulary in (STREAM.name, FULLSTREAM.name, COPILOT.name)
    sent = error.message if error and ending_sent(evidence) and evidence.transcript.parts else ""
    is_said = with_errors and end and end.error and sent in end.error.message
    return error if sent and is_said and not evidence.transcript.cancelled else None


def _is_interrupted(evidence: Evidence) -> bool:
    """Whether the finish says that the stream broke off, as by an adapter that read no failure."""
    reasons = [p.fields.get("finishReason") for p in evidence.stream_parts if p.type == "finish"]
    return any("interrupted" in (each, mapping(each).get("unified")) for each in reasons)


def _not_in_text(evidence: Evidence) -> Iterator[Defect]:
    """The failure is not reported in the answer text."""
    error, said = evidence.expected.error, text_after_answer(evidence)
    if error and any(word and word in said for word in (error.message, error.code)):
        also_failed = evidence.reading.outcome == "failed"
        yield Defect(
            ToldInAnswer(also_failed, trait_of(evidence, "errors")),
            about=topics("text", "end"),
            part=evidence.reading.part_at(len(evidence.expected.text.text)),
        )


def _lost_message(evidence: Evidence) -> Iterator[Defect]:
    """The upstream's error message and code are reported."""
    error, end = evidence.expected.error, evidence.turn.reported_end
    reported = end.error if end else None
    if evidence.reading.outcome != "failed" or error is None:
        return
    fields = (
        ErrorLost("message", error.message, reported.message if reported else ""),
        ErrorLost("code", error.code, f"{reported.code} {reported.message}" if reported else ""),
    )
    for kind in fields:
        if kind.sent and kind.sent not in kind.reported:
            yield Defect(kind, topics("told"))
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
        due = message, trait_of(evidence, "errors")
        kind: Kind
        if times:
            kind = ToldAgain(*due, times)
        elif said:
            kind = ToldWithoutMessage(*due, said)
        else:
            end = evidence.turn.reported_end
            kind = NotTold(*due, end.outcome if end else "nothing")
        yield Defect(kind, topics("text", "end"))


_CHANNELS = {"reject": _rejected, "part": _in_part, "text": _in_text}
