"""Rules about cancelled runs: they stop, do not fail, and release the upstream connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.transcript import RELEASE_SECONDS
from conformance.expectation.cancellation import RESOLVED
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from conformance.rules.differences import clipped
from conformance.rules.error_cause import innermost_cause
from conformance.vocabularies.fullstream import is_about_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import Cancelled, Emitted, Request
    from conformance.rules.evidence import Evidence


def _cancel_stops(evidence: Evidence) -> Iterator[Defect]:
    """A cancelled run emits at most one more piece of text.

    Only parts after the moment at which the adapter knew of the cancellation count.
    """
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    late = _late(evidence, cancelled)
    excused = 1 if late and late[0].n in _texts(evidence) else 0
    for emitted in late[excused:]:
        yield prose_defect(
            f"{_counted(evidence, late)} after the run was cancelled, and "
            f"{'one' if excused else 'only a piece of text'} may",
            right="nothing more; one piece of text that was on its way is excused",
            # Later parts are consequences of the first one.
            about=topics(f"part:{emitted.n}", "cancelled"),
            # A wrong call is another finding.
            needs=_call_of(evidence, emitted.n),
            part=emitted.n,
        )


def _late(evidence: Evidence, cancelled: Cancelled) -> list[Emitted]:
    """The parts between the cancellation and the ending.

    Parts that have nothing of an answer are left out: the start of a run, and its abort.
    """
    end = evidence.end
    parts = (e for e in evidence.transcript.parts[cancelled.parts :] if not is_about_run(e.part))
    return [emitted for emitted in parts if end is None or emitted.at <= end.at]


def _texts(evidence: Evidence) -> dict[int, str]:
    """The text of each part that has any, by the number of the part."""
    reading = evidence.reading
    return {span.part: reading.text[span.start : span.end] for span in reading.spans}


def _counted(evidence: Evidence, late: Sequence[Emitted]) -> str:
    """How many parts came, with the first and the last of them."""
    texts = _texts(evidence)
    first, last = (
        clipped(texts[each.n]) if each.n in texts else str(each.part.get("type", "a part"))
        for each in (late[0], late[-1])
    )
    if len(late) == 1:
        return f"a piece ({first}) came"
    return f"{len(late)} pieces ({first} … {last}) came"


def _call_of(evidence: Evidence, part: int) -> frozenset[str]:
    """The topic of the expected call that a part holds; empty if it holds none."""
    pairing = evidence.pairing
    shared = ((each.first, each.call) for each in pairing.sharing)
    pairs = (*pairing.pairs, *pairing.repeated, *shared)
    return topics(*(f"call:{expected.id}" for expected, call in pairs if call.part == part))


def when_cancelled(cancelled: Cancelled) -> str:
    """When a run was cancelled, in words, by the parts that it had emitted."""
    if cancelled.parts == 0:
        return "before the first part"
    return f"after {cancelled.parts} part{'' if cancelled.parts == 1 else 's'}"


CANCEL_STOPS = Rule(
    id="cancel-stops",
    holds="after cancellation at most one last partial text, also when a burst is already buffered",
    source="lm-stream-semantics § 1.1, § 5.2",
    check=_cancel_stops,
)


def _cancel_resolves(evidence: Evidence) -> Iterator[Defect]:
    """A cancelled run ends as cancelled or completed, not as failed."""
    end = evidence.end
    if evidence.transcript.cancelled is None or end is None or end.outcome in RESOLVED:
        return
    message = f": {innermost_cause(end.error.message)}" if end.error and end.error.message else ""
    yield prose_defect(
        f"the run was cancelled and ended as '{end.outcome}{message}'",
        right="an ending that says cancelled or completed; what came out so far is valid",
        about=topics("end"),
    )


CANCEL_RESOLVES = Rule(
    id="cancel-resolves",
    holds="a cancelled run ends as cancelled or completed, not as failed",
    source="lm-stream-semantics § 5.2",
    check=_cancel_resolves,
    level="should",
)


def _cancel_upstream(evidence: Evidence) -> Iterator[Defect]:
    """A cancelled run releases its upstream connection in time."""
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    for request in evidence.transcript.requests:
        released = released_at(request)
        if released is None or released - cancelled.at > cancelled.release:
            yield prose_defect(
                f"the upstream connection was still open {RELEASE_SECONDS:g} s after the "
                "cancellation",
                right="the request aborted or its connection closed, so that the model stops",
                about=topics("upstream"),
                # A run that does not end does not release its connection either.
                needs=topics("end"),
            )
            return


def released_at(request: Request) -> float | None:
    """The second at which the client disconnected, or else the answer ended; None if neither."""
    return request.left.at if request.left else request.ended


CANCEL_UPSTREAM = Rule(
    id="cancel-upstream",
    holds="the upstream connection of a cancelled run is released within a second",
    source="lm-stream-semantics § 5.2",
    check=_cancel_upstream,
    level="should",
)
