"""Which runs are judged by the rules on framing."""

from conformance.findings.finding import Check, Defect, Kind, topics
from conformance.rules.evidence import Evidence
from conformance.vocabularies import FULLSTREAM, STREAM
from conformance.vocabularies.fullstream import StreamPart

# An item of a vendor has no effect on the order of the stream around it.
_HARMLESS = frozenset({"extensions"})

ANYWHERE = frozenset({"raw", "ping"})
"""The types of parts that may come at any time."""

FRAMES = frozenset(
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


def unframed(evidence: Evidence) -> str:
    """Why the framing of a run is not judged, in words; empty if it is.

    The adapter of a library without blocks emits bare deltas and calls in ``stream``, and declares
    that they have no framing.
    """
    vocabulary = evidence.transcript.vocabulary
    if vocabulary not in (STREAM.name, FULLSTREAM.name):
        return "the vocabulary has no parts for the start and end of a block"
    may_be_bare = vocabulary == STREAM.name and evidence.traits.framing == "none"
    if may_be_bare and not any(part.type in FRAMES for part in evidence.stream_parts):
        return "the adapter declares no framing, and the run has no part that frames others"
    return ""


def is_framing_excused(check: Check[Evidence], evidence: Evidence) -> bool:
    """Whether the upstream excuses the framing of a run. Good adapters accept a deviation."""
    if evidence.content.conduct == "deviation":
        return _break_own_parts(check, evidence)
    return is_excused_by_upstream(check, evidence)


def is_excused_by_upstream(check: Check[Evidence], evidence: Evidence) -> bool:
    """Whether the upstream excuses what a check finds in a run.

    An adapter passes on the blocks and the ending of its upstream, so it is not judged where the
    upstream breaks its specification. A gateway sends the parts of a provider: if they break the
    rule themselves, the adapter that passes them on is not accused.
    """
    is_broken = evidence.content.conduct == "violation" or evidence.upstream_breaks - _HARMLESS
    return bool(is_broken) or _break_own_parts(check, evidence)


def _break_own_parts(check: Check[Evidence], evidence: Evidence) -> bool:
    """Whether the upstream's own parts break the rule."""
    return evidence.passed_on is not None and any(check(evidence.passed_on))


def is_finished(evidence: Evidence) -> bool:
    """Whether the run and the response of the upstream have completed, and nobody cancelled."""
    end = evidence.end
    was_cancelled = evidence.transcript.cancelled is not None
    return bool(end and end.outcome == "completed" and not was_cancelled) and (
        evidence.expected.upstream == "completed"
    )


def defect_at(part: StreamPart, kind: Kind, about: str, *needs: str) -> Defect:
    """A defect of a part, which is a consequence of another one if the part itself is wrong."""
    needed = topics(f"part:{part.n}", *needs)
    return Defect(kind, topics(about), part=part.n, needs=needed)
