"""call-not-early: no call before its arguments are complete; a start signal is not a call.

No clock is asked. The text that was sent before a call's last argument delta has to be out before
the call, and at a checkpoint a call that is still open must not have come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence

_RIGHT = "the call after its last argument delta"


def _check(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if evidence.announced_at(expected.id) <= call.after < expected.earliest:
            yield Defect(
                f"the call {expected.id!r} came after {call.after} characters of text; its "
                f"arguments were complete only after {expected.earliest}",
                right=_RIGHT,
                about=topics(f"call:{expected.id}"),
                needs=topics("text"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )
    yield from _at_checkpoints(evidence)


def _at_checkpoints(evidence: Evidence) -> Iterator[Defect]:
    for reached in evidence.transcript.checkpoints:
        at = evidence.expected.at.get(reached.name)
        for call in evidence.reading.calls:
            if at and evidence.bare(call.id) in at.without and call.part < reached.parts:
                yield Defect(
                    f"the call {call.id!r} was out at the checkpoint {reached.name!r}, "
                    "while its arguments were still being sent",
                    right=_RIGHT,
                    about=topics(f"call:{call.id}"),
                    event=reached.event,
                    part=call.part,
                )


RULE = Rule(
    id="call-not-early",
    holds="not before the arguments are complete; a start signal is not a call",
    source="lm-stream-semantics § 3.4",
    check=_check,
)
