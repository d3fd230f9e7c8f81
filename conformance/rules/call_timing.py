"""Rules about when a call is emitted: after it is complete, at its place, and without delay."""

from collections.abc import Iterator
from typing import Literal

from conformance.findings.finding import Defect, Kind, rule, topics
from conformance.rules.evidence import Evidence

_COMPLETE = "the call after its last argument delta"


class BeforeComplete(Kind, weighs="harm"):
    """A call is emitted before its arguments are complete, as the text around it shows."""

    call: str
    after: int
    due: int

    message = (
        "the call {call!r} came after {after} characters of text; its arguments were complete only "
        "after {due}"
    )
    right = _COMPLETE


class OutTooEarly(Kind, weighs="harm"):
    """A call is out at a checkpoint at which its arguments are still being sent."""

    call: str
    checkpoint: str

    message = (
        "the call {call!r} was out at the checkpoint {checkpoint!r}, while its arguments were "
        "still being sent"
    )
    right = _COMPLETE


@rule(
    holds="not before the arguments are complete; a start signal is not a call",
    source="lm-stream-semantics § 3.4",
    kinds=(BeforeComplete, OutTooEarly),
)
def call_not_early(evidence: Evidence) -> Iterator[Defect]:
    """A call comes after its arguments are complete; a start signal is not a call.

    No clock is used. Text that was sent before the last argument delta must be out before the call,
    and at a checkpoint a call whose arguments are still being sent must not be out.
    """
    for expected, call in evidence.pairing.pairs:
        if evidence.announced_at(expected.id) <= call.after < expected.earliest:
            kind = BeforeComplete(expected.id, call.after, expected.earliest)
            yield evidence.defect_of_call(kind, expected.id, call.part, topics("text"))
    yield from _at_checkpoints(evidence)


def _at_checkpoints(evidence: Evidence) -> Iterator[Defect]:
    """Calls that were emitted at a checkpoint at which they were not complete."""
    for reached in evidence.transcript.checkpoints:
        at = evidence.expected.at.get(reached.name)
        for call in evidence.reading.calls:
            if at and evidence.upstream_id(call.id) in at.without and call.part < reached.parts:
                yield Defect(
                    OutTooEarly(call.id, reached.name),
                    about=topics(f"call:{call.id}"),
                    event=reached.event,
                    part=call.part,
                )


class _OutOfOrder(Kind, weighs="falsehood"):
    """A call is not at its place in the text."""

    call: str
    after: int
    due: int

    right = "parts in generation order, as far as the declared emission point allows"


class BehindText(_OutOfOrder):
    """A call is emitted after text that follows it."""

    message = (
        "the call {call!r} came behind text that follows it: after {after} characters, due after "
        "{due}"
    )


class BeforeText(_OutOfOrder):
    """A call is emitted before text that precedes it."""

    message = (
        "the call {call!r} came before text that precedes it: after {after} characters, due after "
        "{due}"
    )


@rule(
    holds="parts come in generation order; calls before the text that follows them",
    source="lm-stream-semantics § 1.1, § 3.5, § 6.1",
    kinds=(BehindText, BeforeText),
)
def part_order(evidence: Evidence) -> Iterator[Defect]:
    """A call comes at its place in the text; how late it may be depends on ``emit_call_at``."""
    for expected, call in evidence.pairing.pairs:
        if call.after > expected.latest:
            kind: Kind = BehindText(expected.id, call.after, expected.latest)
        elif call.after < min(evidence.announced_at(expected.id), expected.earliest):
            kind = BeforeText(expected.id, call.after, expected.earliest)
        else:
            continue
        yield evidence.defect_of_call(kind, expected.id, call.part, topics("text"))


def _before_declared(evidence: Evidence) -> Iterator[Defect]:
    """Calls that were complete when they were emitted, before the declared point."""
    point = evidence.traits.emit_call_at
    for expected, call in evidence.pairing.pairs:
        if point != "complete" and expected.earliest <= call.after < expected.declared:
            kind = BeforeDeclared(expected.id, point, call.after, expected.declared)
            yield evidence.defect_of_call(kind, expected.id, call.part, topics("text"))


class NotOutYet(Kind, weighs="manners"):
    """A call that is complete before a checkpoint is not out there."""

    call: str
    checkpoint: str

    message = (
        "the call {call!r} was complete before the checkpoint {checkpoint!r} and had not come out"
    )
    right = "the call as soon as the wire says that it is complete"


class BeforeDeclared(Kind, weighs="falsehood"):
    """A call is emitted before the point that the adapter declares."""

    call: str
    point: Literal["item", "end"]
    after: int
    due: int

    message = (
        "the call {call!r} came after {after} characters of text; by `emit_call_at: {point}` it is "
        "due after {due}"
    )
    right = "the call at the point that the adapter declares, or another declaration"
    headline = "the call {call!r} came before the declared `emit_call_at: {point}`"
    same_by = ("point",)


@rule(
    holds="a call comes at the emission point that the adapter declares",
    source="lm-stream-semantics § 3.4; rfc-00022 § Function Call Flow",
    kinds=(BeforeDeclared, NotOutYet),
)
def call_prompt(evidence: Evidence) -> Iterator[Defect]:
    """A call comes at the declared point: not before it, and without delay.

    A call that is complete at a checkpoint has been emitted there.
    """
    yield from _before_declared(evidence)
    if evidence.traits.emit_call_at != "complete":
        return
    # Where the text itself was late, the stream did not wait, so a late call proves nothing.
    for reached in (each for each in evidence.transcript.checkpoints if each.reached):
        at = evidence.expected.at.get(reached.name)
        out = {
            evidence.upstream_id(call.id)
            for call in evidence.reading.calls
            if call.part < reached.parts
        }
        for call_id in at.calls if at else ():
            if call_id not in out:
                yield Defect(
                    NotOutYet(call_id, reached.name),
                    about=topics(f"call:{evidence.traits.call_id_prefix}{call_id}"),
                    # Repeated text reaches the checkpoint too early.
                    needs=topics("text"),
                    event=reached.event,
                )
