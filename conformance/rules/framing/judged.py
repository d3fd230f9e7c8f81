"""Which runs are judged by the rules on framing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect
from conformance.contract.transcript import Emitted
from conformance.dialects import KIT
from conformance.vocabularies import STREAM
from conformance.vocabularies.stream_parts import StreamPart, stream_parts

if TYPE_CHECKING:
    from conformance.rules.evidence import Evidence

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


def framing_is_not_judged(check: Check) -> Callable[[Evidence], str]:
    """The ``not_applicable`` of the rule on framing that has this check."""
    return partial(_not_applicable, check)


def _not_applicable(check: Check, evidence: Evidence) -> str:
    """Why the framing of a run is not judged by a check; empty if it is."""
    return unframed(evidence) or excused_by_upstream(check, evidence)


def unframed(evidence: Evidence) -> str:
    """Why the parts of a run have no framing; empty if they have one.

    The adapter of a library without blocks emits bare deltas and calls, which have none.
    """
    if evidence.transcript.vocabulary != STREAM.name:
        return "the vocabulary has no parts for the start and end of a block"
    if not any(part.type in _FRAMES for part in parts_of(evidence)):
        return "the run has no part that frames others"
    return ""


def excused_by_upstream(check: Check, evidence: Evidence) -> str:
    """Why the upstream excuses what a check finds in a run; empty if it does not.

    An adapter passes on the blocks and the ending of its upstream, so it is not judged where the
    upstream breaks its specification. A gateway sends the parts of a provider: if they break the
    rule themselves, the adapter that passes them on is not accused.
    """
    if evidence.content.conduct == "violation" or evidence.upstream_breaks - _HARMLESS:
        return "the upstream breaks its specification"
    is_stream = evidence.transcript.vocabulary == STREAM.name
    upstream = _parts_of_upstream(evidence) if is_stream else ()
    if upstream and any(check(_with_parts(evidence, upstream))):
        return "the upstream's own parts break the rule"
    return ""


def _parts_of_upstream(evidence: Evidence) -> tuple[Emitted, ...]:
    """The parts of a provider in the upstream's answer, as if the adapter had emitted them."""
    transcript = evidence.transcript
    headers = transcript.answered[-1].headers if transcript.answered else {}
    sent = KIT[transcript.dialect].provider_parts(evidence.answer, headers)
    return tuple(Emitted(event.n, event.at, data) for event, data in sent)


def _with_parts(evidence: Evidence, parts: tuple[Emitted, ...]) -> Evidence:
    return replace(evidence, transcript=replace(evidence.transcript, parts=parts))


def parts_of(evidence: Evidence) -> list[StreamPart]:
    """The emitted parts, under the names of the AI SDK."""
    return list(stream_parts(evidence.transcript.parts))


def is_finished(evidence: Evidence) -> bool:
    """Whether the run and the response of the upstream have completed, and nobody cancelled."""
    end = evidence.end
    was_cancelled = evidence.transcript.cancelled is not None
    return bool(end and end.outcome == "completed" and not was_cancelled) and (
        evidence.expected.upstream == "completed"
    )
