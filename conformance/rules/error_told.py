"""error-told: that something failed reaches the host once, by the channel that is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    if evidence.expected.upstream != "failed" or evidence.end is None:
        return
    yield from _CHANNELS[evidence.traits.errors](evidence)


def _extra(evidence: Evidence) -> str:
    """What the text says behind the answer."""
    text, got = evidence.expected.text.text, evidence.reading.text
    return got[len(text) :] if got.startswith(text) else ""


def _rejected(evidence: Evidence) -> Iterator[Defect]:
    yield from _not_in_text(evidence)
    for error in evidence.reading.errors[:1]:
        yield Defect(
            "the failure was told in an error part",
            right="a rejection alone, as the adapter declares (errors: reject)",
            about=topics("end"),
            part=error.part,
        )
    yield from _message(evidence)


def _in_part(evidence: Evidence) -> Iterator[Defect]:
    """A rejection will do: whoever streams error parts has none before the stream stands."""
    yield from _not_in_text(evidence)
    errors = evidence.reading.errors
    if len(errors) > 1:
        yield Defect(
            f"the failure was told in {len(errors)} error parts",
            right="one error part (errors: part)",
            about=topics("told"),
            part=errors[1].part,
            level="should",
        )
    yield from _message(evidence)


def _not_in_text(evidence: Evidence) -> Iterator[Defect]:
    error, said = evidence.expected.error, _extra(evidence)
    if error and any(word and word in said for word in (error.message, error.code)):
        also = " as well" if evidence.reading.outcome == "failed" else ""
        declared = evidence.traits.errors
        yield Defect(
            f"the failure was told in the answer text{also}",
            right=f"not in the answer text, as the adapter declares (errors: {declared})",
            about=topics("text", "end"),
            part=evidence.reading.part_at(len(evidence.expected.text.text)),
        )


def _message(evidence: Evidence) -> Iterator[Defect]:
    """Did what the upstream said of it come along?"""
    error, told = evidence.expected.error, evidence.end.error if evidence.end else None
    if evidence.reading.outcome != "failed" or error is None:
        return
    for what, sent, repeated in (
        ("message", error.message, told.message if told else ""),
        ("code", error.code, f"{told.code} {told.message}" if told else ""),
    ):
        if sent and sent not in repeated:
            yield Defect(
                f"the failure's {what} was lost: the upstream said {sent!r}, the host got "
                f"{repeated.strip()!r}",
                right=f"the upstream's {what} reaches the host",
                about=topics("told"),
                level="should",
            )
            return


def _in_text(evidence: Evidence) -> Iterator[Defect]:
    error = evidence.expected.error
    message = error.message if error else ""
    said = _extra(evidence)
    if not message or (evidence.reading.outcome == "completed" and not said):
        return
    times = said.count(message)
    if times != 1:
        yield Defect(
            f"the answer text tells the failure {times} times"
            if times
            else "the answer text does not tell the failure",
            right=f"one text part that contains {message!r} (errors: text)",
            about=topics("text", "end"),
        )


_CHANNELS = {"reject": _rejected, "part": _in_part, "text": _in_text}

RULE = Rule(
    id="error-told",
    holds="that something failed reaches the host once, by the declared channel",
    source="lm-stream-semantics § 5.3",
    check=_check,
)
