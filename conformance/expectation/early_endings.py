"""The expectations of a run that does not read its response to the end, or cuts it short.

A cancelled run need not emit anything more. What it has emitted must be right so far: text and
thinking are prefixes of the model's, and calls are complete calls of the model, though not all of
them. Its outcome is a ``should``. It must release its upstream connection. A run counts as
cancelled from the moment at which the adapter knows: after it has emitted the part at which it was
to stop, or when it receives the message. A run that has ended before is not cancelled.

An adapter that declares ``strict: true`` may end in a failure, at any place, where a stream breaks
its specification. What it has emitted by then must be right so far, as above. It may also wait
until the connection closes. So may one whose stream a fault breaks off or stalls after the response
has ended.

An incomplete response may be reported as a failure whose words or code say what happened. A failure
that denies the ending of the upstream, such as that of an adapter that never reads the event and
waits for another one, is none of these.

Source: lm-stream-semantics § 1.1, § 5.2, § 5.3; OpenResponses § Streaming Events;
semantics § strict-adapters.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from conformance.contract.traits import Traits
from conformance.contract.transcript import ReportedError
from conformance.expectation.content import ExpectedContent
from conformance.expectation.projection import Expected
from mockserver.cases.case import Case
from mockserver.cases.render import find_break

RESOLVED = ("cancelled", "completed")
"""The outcomes that a cancelled run should have."""


def as_cancelled(expected: Expected) -> Expected:
    """The expectation for the same run if it is cancelled."""
    return replace(
        expected,
        text=replace(expected.text, cut=True),
        thinking=replace(expected.thinking, cut=True),
        calls=tuple(replace(call, declared=0) for call in expected.calls),
        upstream="cancelled",
        outcomes=(*RESOLVED, "failed", "error"),
        wrong_finish=(),
        finishes=frozenset(),
        cancelled=True,
    )


REFUSED = ("failed", "error")
"""How a run that refuses a stream ends, unless it waits until the kit stops it."""

WAITED = ("timed-out", "hung")
"""The verdicts of a run that waits until the kit stops it, whether or not it hears of that."""

BY_BINDING = "binding"
"""The kind of a failure that the binding of a library reports in its place.

An answer contradicts itself, and the library has told its users nothing, so it refuses nothing.
"""

Alternative = tuple["ExpectedContent", "Expected"]


def refusals(case: Case, right: Sequence[Alternative], traits: Traits) -> list[Alternative]:
    """The further expectations of a case, given those for an adapter that reads its stream.

    There are none if the stream is legal, or the adapter is not strict.
    """
    if not traits.strict:
        return []
    departs = case.scenario.conduct != "legal" or bool(case.deviations)
    return [
        (content, as_refused(expected))
        for content, expected in right
        if departs or _breaks_after_its_end(case, content, expected)
    ]


def _breaks_after_its_end(case: Case, content: ExpectedContent, expected: Expected) -> bool:
    """Whether a fault breaks a stream whose response has ended, and no event reports it."""
    fault = find_break(case, content.turn, content.attempt)
    return fault is not None and not fault.at.reports and expected.upstream != "failed"


def as_refused(expected: Expected) -> Expected:
    """The expectation for the same run if the adapter refuses the stream.

    Where the upstream itself has failed, only the way of failing is free: all that came before it
    is due.
    """
    if expected.upstream == "failed":
        return replace(expected, refused=True)
    partial = as_cancelled(expected)
    return replace(partial, upstream=expected.upstream, outcomes=("failed",), refused=True)


DENIALS = ("truncated", "transport", "timeout")
"""The kinds of error which say that the stream broke off, or did not end in time."""

_WORDS = (
    "incomplete(?! chunked)",
    "length",
    "limit",
    "filter",
    "too long",
    "cut short",
    "steered",
    "max[ _-](?:output|completion|new|tool|messages|tokens)",
)

SAYS_INCOMPLETE = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in _WORDS)
"""A pattern for words that say that an answer is incomplete, or why (ECMA-262 and Python)."""


def says_incomplete(error: ReportedError | None) -> bool:
    """Whether the message or the code of a failure says that the answer is incomplete."""
    said = f"{error.message}\n{error.code}" if error else ""
    return bool(re.search(SAYS_INCOMPLETE, said))
