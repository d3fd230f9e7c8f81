"""What is right in a case besides what came, as values: calls, endings, and traits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.traits import Traits
from conformance.dialects.short_text import as_json
from conformance.findings.values import (
    CallValue,
    Declared,
    FailureInstead,
    OtherEnding,
    RightEndings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.expectation.projection import Expected, ExpectedCall
    from conformance.rules.evidence import Evidence

_DEFAULTS = Traits()


def failure_instead(evidence: Evidence) -> FailureInstead:
    """How a run that fails, and is right as well, reports the failure; empty if it is wrong."""
    if not evidence.may_fail_instead:
        return ""
    return "text" if evidence.traits.errors == "text" else "ending"


def acceptable_endings(evidence: Evidence) -> RightEndings:
    """The endings that are right for these parts, and those that are right with others."""
    # A run that refuses the stream would better have read it.
    read = evidence.alternatives[0] if evidence.expected.refused else evidence.expected
    others: dict[str, OtherEnding] = {}
    for other in evidence.alternatives:
        for outcome in other.outcomes:
            if outcome not in read.outcomes:
                others.setdefault(outcome, _ending_with_parts(evidence, other, outcome))
    return RightEndings(read.outcomes, tuple(others.values()))


def _ending_with_parts(evidence: Evidence, other: Expected, outcome: str) -> OtherEnding:
    """An outcome, and how the parts of a run would have to differ to meet its expectation."""
    reading = evidence.reading
    lacks_text = bool(other.text.text) and not other.text.fits(reading.text)
    out = {call.id for call in reading.calls}
    missing = [call for call in other.calls if not (call.optional or {call.id, call.bare_id} & out)]
    fits = other.text.fits(reading.text) and len(reading.calls) <= len(other.calls)
    return OtherEnding(outcome, lacks_text, tuple(map(right_call, missing)), not fits)


def right_call(call: ExpectedCall) -> CallValue:
    """A right call: the name of its tool, an example of its input, and its id unless any is."""
    return CallValue(call.name, call.right_input, call.id)


def trait_of(evidence: Evidence, trait: str) -> Declared:
    """The value of a trait, and whether it is the default."""
    value = getattr(evidence.traits, trait)
    return Declared(trait, str(value), value == getattr(_DEFAULTS, trait))


def or_a_failure(evidence: Evidence) -> str:
    """The end of a sentence about right parts, if a run that fails is right without them."""
    if not evidence.may_fail_instead:
        return ""
    in_text = evidence.traits.errors == "text"
    return f", or {'a text that reports a failure' if in_text else 'an ending that says failed'}"


def right_endings(evidence: Evidence) -> str:
    """The endings that are right for these parts, and those that are right with others."""
    # A run that refuses the stream would better have read it.
    read = evidence.alternatives[0] if evidence.expected.refused else evidence.expected
    right = read.outcomes
    others: dict[str, str] = {}
    for other in evidence.alternatives:
        for outcome in other.outcomes:
            if outcome not in right:
                others.setdefault(outcome, _with_parts(evidence, other))
    also = "".join(f", or {outcome}{parts}" for outcome, parts in others.items())
    return f"an ending that says {' or '.join(right)}{also}"


def _with_parts(evidence: Evidence, other: Expected) -> str:
    """How the parts of a run would have to differ to meet another expectation; empty if not."""
    if lacks := " and ".join(_lacking(evidence, other)):
        return f" with {lacks}"
    reading = evidence.reading
    fits = other.text.fits(reading.text) and len(reading.calls) <= len(other.calls)
    return "" if fits else " with other parts"


def _lacking(evidence: Evidence, other: Expected) -> Iterator[str]:
    if other.text.text and not other.text.fits(evidence.reading.text):
        yield "the text"
    out = {call.id for call in evidence.reading.calls}
    missing = [call for call in other.calls if not (call.optional or {call.id, call.bare_id} & out)]
    if missing:
        named = ", ".join(repr(call.id) if call.id else call.name for call in missing)
        yield f"the call{'s' if len(missing) > 1 else ''} {named}"


def call_in_words(call: ExpectedCall) -> str:
    """A right call: the name of its tool, its input in JSON, and its id unless any is right."""
    id_ = f" with id {call.id!r}" if call.id else ""
    return f"{without_id(call)}{id_}"


def without_id(call: ExpectedCall) -> str:
    """A right call: the name of its tool, and its input in JSON."""
    return f"{call.name}({as_json(call.right_input)})"
