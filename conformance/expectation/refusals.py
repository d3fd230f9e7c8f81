"""The expectations of a strict adapter for a stream that breaks its specification.

An adapter that declares ``strict: true`` may end such a run in a failure, at any place. What it has
emitted by then must be right so far: text and thinking are prefixes of the model's, and calls are
complete calls of the model. It may also wait until the connection closes. The same holds where the
response has ended, and a fault then breaks off or stalls the stream.

Source: semantics § strict-adapters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.expectation.cancellation import as_cancelled
from mockserver.cases.render import find_break

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.traits import Traits
    from conformance.expectation.content import ExpectedContent
    from conformance.expectation.projection import Expected
    from mockserver.cases.case import Case

REFUSED = ("failed", "error")
"""How a run that refuses a stream ends, unless it waits until the kit stops it."""

WAITED = ("timed-out", "hung")
"""The verdicts of a run that waits until the kit stops it, whether or not it hears of that."""

IN_PLACE_OF_THE_LIBRARY = "the binding reports: "
"""How the message of a failure begins that the binding of a library reports in its place.

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
        return replace(expected, outcomes=(*expected.outcomes, "error"), refused=True)
    partial = as_cancelled(expected)
    return replace(partial, upstream=expected.upstream, outcomes=REFUSED, refused=True)
