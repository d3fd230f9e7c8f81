"""error-told: that something failed reaches the host once, by the channel that is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    if evidence.expected.upstream != "failed" or evidence.end is None:
        return
    by_channel = _in_text if evidence.traits.errors == "text" else _rejected
    yield from by_channel(evidence)


def _extra(evidence: Evidence) -> str:
    """What the text says behind the answer."""
    text, got = evidence.expected.text.text, evidence.reading.text
    return got[len(text) :] if got.startswith(text) else ""


def _rejected(evidence: Evidence) -> Iterator[Defect]:
    error = evidence.expected.error
    said = _extra(evidence)
    if error and any(word and word in said for word in (error.message, error.code)):
        also = " as well" if evidence.reading.outcome == "failed" else ""
        yield Defect(
            f"the failure was told in the answer text{also}",
            right="a rejection alone, as the adapter declares (errors: reject)",
            about=topics("text", "end"),
            part=evidence.reading.part_at(len(evidence.expected.text.text)),
        )
    told = evidence.end.error if evidence.end else None
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


RULE = Rule(
    id="error-told",
    holds="that something failed reaches the host once, by the declared channel",
    source="lm-stream-semantics § 5.3",
    check=_check,
)
