"""call-prompt: a call comes at the emission point that the adapter declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    if evidence.traits.emit_call_at != "complete":
        return
    # Where the text itself was late, the stream went on without waiting, and nothing is proven.
    for reached in (each for each in evidence.transcript.checkpoints if each.reached):
        at = evidence.expected.at.get(reached.name)
        out = {
            evidence.bare(call.id) for call in evidence.reading.calls if call.part < reached.parts
        }
        for call_id in at.calls if at else ():
            if call_id not in out:
                yield Defect(
                    f"the call {call_id!r} was complete before the checkpoint {reached.name!r} "
                    "and had not come out",
                    right="the call as soon as the wire says that it is complete",
                    about=topics(f"call:{evidence.traits.call_id_prefix}{call_id}"),
                    # Text that came twice is "out" before its time.
                    needs=topics("text"),
                    event=reached.event,
                )


RULE = Rule(
    id="call-prompt",
    holds="a call comes at the emission point that the adapter declares",
    source="lm-stream-semantics § 3.4; rfc-00022 § Function Call Flow",
    check=_check,
    level="should",
)
