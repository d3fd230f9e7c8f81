"""Rules about cancelled runs: they stop, do not fail, and release the upstream connection."""

from collections.abc import Iterator

from conformance.contract.transcript import RELEASE_SECONDS, Cancelled, Emitted, Request
from conformance.expectation.early_endings import RESOLVED
from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.findings.values import ErrorValue, PieceValue
from conformance.rules.error_cause import error_value
from conformance.rules.evidence import Evidence
from conformance.vocabularies.fullstream import is_about_run


class EmittedAfterCancellation(Kind, weighs="falsehood"):
    """A run emits pieces after its cancellation, of which at most one of text is excused."""

    pieces: int
    first: PieceValue
    last: PieceValue | None
    is_excused: bool

    message = (
        "[[{last:if}{pieces} pieces ({first:piece} … {last:piece})|a piece ({first:piece})]] came "
        "after the run was cancelled, and [[{is_excused:if}one|only a piece of text]] may"
    )
    right = "nothing more; one piece of text that was on its way is excused"
    headline = "[[{last:if}{pieces} pieces|a piece]] came after the run was cancelled"


@rule(
    holds="after cancellation at most one last partial text, also when a burst is already buffered",
    source="lm-stream-semantics § 1.1, § 5.2",
    kinds=(EmittedAfterCancellation,),
)
def cancel_stops(evidence: Evidence) -> Iterator[Defect]:
    """A cancelled run emits at most one more piece of text.

    Only parts after the moment at which the adapter knew of the cancellation count.
    """
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    late = _late(evidence, cancelled)
    excused = 1 if late and late[0].n in _texts(evidence) else 0
    pieces = [_piece(evidence, each) for each in late]
    for emitted in late[excused:]:
        last = pieces[-1] if len(pieces) > 1 else None
        yield Defect(
            EmittedAfterCancellation(len(pieces), pieces[0], last, bool(excused)),
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


def _piece(evidence: Evidence, emitted: Emitted) -> PieceValue:
    text = _texts(evidence).get(emitted.n)
    return PieceValue(str(emitted.part.get("type", "a part")), text)


def _call_of(evidence: Evidence, part: int) -> frozenset[str]:
    """The topic of the expected call that a part holds; empty if it holds none."""
    pairing = evidence.pairing
    shared = ((each.first, each.call) for each in pairing.sharing)
    pairs = (*pairing.pairs, *pairing.repeated, *shared)
    return topics(*(f"call:{expected.id}" for expected, call in pairs if call.part == part))


# The exceptions by which languages say that something was cancelled.
_CANCELLED = ("CancelledError", "AbortError")


class CancelledRunFailed(Kind, weighs="manners"):
    """A run that was cancelled ends as failed, or with an exception that says so."""

    outcome: str
    error: ErrorValue

    message = "the run was cancelled and ended as '{outcome}[[: {error.cause}]]'"
    right = "an ending that says cancelled or completed; what came out so far is valid"
    same_by = ("outcome", "error.error_class")


class CrashedWhenCancelled(CancelledRunFailed, weighs="loss"):
    """An internal error escapes from a run that was cancelled."""


@rule(
    holds="a cancelled run ends as cancelled or completed, not as failed",
    source="lm-stream-semantics § 5.2",
    kinds=(CancelledRunFailed, CrashedWhenCancelled),
)
def cancel_resolves(evidence: Evidence) -> Iterator[Defect]:
    end = evidence.end
    if evidence.transcript.cancelled is None or end is None or end.outcome in RESOLVED:
        return
    error = error_value(end.error)
    crashed = end.outcome == "error" and error.error_class not in _CANCELLED
    kind = CrashedWhenCancelled if crashed else CancelledRunFailed
    yield Defect(kind(end.outcome, error), topics("end"))


class ConnectionHeld(Kind, weighs="falsehood"):
    """The upstream connection of a cancelled run is not released in time."""

    message = f"the upstream connection was still open {RELEASE_SECONDS:g} s after the cancellation"
    right = "the request aborted or its connection closed, so that the model stops"


@rule(
    holds="the upstream connection of a cancelled run is released within a second",
    source="lm-stream-semantics § 5.2",
    kinds=(ConnectionHeld,),
)
def cancel_upstream(evidence: Evidence) -> Iterator[Defect]:
    cancelled = evidence.transcript.cancelled
    if cancelled is None:
        return
    for request in evidence.transcript.requests:
        released = released_at(request)
        if released is None or released - cancelled.at > cancelled.release:
            # A run that does not end does not release its connection either.
            yield Defect(ConnectionHeld(), topics("upstream"), needs=topics("end"))
            return


def released_at(request: Request) -> float | None:
    """The second at which the client disconnected, or else the answer ended; None if neither."""
    return request.left.at if request.left else request.ended
