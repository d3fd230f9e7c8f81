"""What is right in a case besides what came, as values: calls, endings, and traits."""

from conformance.contract.traits import Traits
from conformance.expectation.projection import Expected, ExpectedCall
from conformance.findings.values import (
    CallValue,
    Declared,
    FailureInstead,
    OtherEnding,
    RightEndings,
)
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
