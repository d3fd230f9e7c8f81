"""Which runs are judged by the rules on framing."""

from collections.abc import Callable, Iterator
from functools import partial

from conformance.findings.finding import Defect, Level
from conformance.rules.evidence import Evidence
from conformance.vocabularies import FULLSTREAM, STREAM

Check = Callable[["Evidence"], Iterator[Defect]]

# An item of a vendor has no effect on the order of the stream around it.
_HARMLESS = frozenset({"extensions"})

ANYWHERE = frozenset({"raw", "ping"})
"""The types of parts that may come at any time."""

_FRAMES = frozenset(
    {
        "stream-start",
        "response-metadata",
        "text-start",
        "text-end",
        "reasoning-start",
        "reasoning-end",
        "tool-input-end",
    }
)


def framing_is_not_judged(check: Check, level: Level = "must") -> Callable[[Evidence], str]:
    """The ``not_applicable`` of the rule on framing that has this check and this level."""
    return partial(_not_applicable, check, level)


def _not_applicable(check: Check, level: Level, evidence: Evidence) -> str:
    """Why the framing of a run is not judged by a check; empty if it is, or if it has no defect.

    Good adapters accept a deviation, so one whose framing loses content for it is not excused.
    """
    if why := unframed(evidence):
        return why
    is_grave = any((defect.level or level) == "must" for defect in check(evidence))
    if is_grave and evidence.content.conduct == "deviation":
        return _excused_by_own_parts(check, evidence)
    return excused_by_upstream(check, evidence)


def unframed(evidence: Evidence) -> str:
    """Why the framing of a run is not judged, in words; empty if it is.

    The adapter of a library without blocks emits bare deltas and calls in ``stream``, and declares
    that they have no framing.
    """
    vocabulary = evidence.transcript.vocabulary
    if vocabulary not in (STREAM.name, FULLSTREAM.name):
        return "the vocabulary has no parts for the start and end of a block"
    may_be_bare = vocabulary == STREAM.name and evidence.traits.framing == "none"
    if may_be_bare and not any(part.type in _FRAMES for part in evidence.stream_parts):
        return "the adapter declares no framing, and the run has no part that frames others"
    return ""


def excused_by_upstream(check: Check, evidence: Evidence) -> str:
    """Why the upstream excuses what a check finds in a run; empty if it does not.

    An adapter passes on the blocks and the ending of its upstream, so it is not judged where the
    upstream breaks its specification. A gateway sends the parts of a provider: if they break the
    rule themselves, the adapter that passes them on is not accused.

    The check comes before the questions about the upstream, because it takes less time.
    """
    if not any(check(evidence)):
        return ""
    if evidence.content.conduct == "violation" or evidence.upstream_breaks - _HARMLESS:
        return "the upstream breaks its specification"
    return _excused_by_own_parts(check, evidence)


def _excused_by_own_parts(check: Check, evidence: Evidence) -> str:
    if evidence.passed_on and any(check(evidence.passed_on)):
        return "the upstream's own parts break the rule"
    return ""


def is_finished(evidence: Evidence) -> bool:
    """Whether the run and the response of the upstream have completed, and nobody cancelled."""
    end = evidence.end
    was_cancelled = evidence.transcript.cancelled is not None
    return bool(end and end.outcome == "completed" and not was_cancelled) and (
        evidence.expected.upstream == "completed"
    )
