"""part-order: parts come in the order in which the model made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.reading import ReadCall
    from conformance.expectation.projection import ExpectedCall
    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if call.after > expected.latest:
            yield _out_of_order(evidence, expected, call, "behind", expected.latest)
        elif call.after < min(evidence.announced_at(expected.id), expected.earliest):
            yield _out_of_order(evidence, expected, call, "before", expected.earliest)


def _out_of_order(
    evidence: Evidence, expected: ExpectedCall, call: ReadCall, side: str, due: int
) -> Defect:
    which = "follows" if side == "behind" else "precedes"
    return Defect(
        f"the call {expected.id!r} came {side} text that {which} it: after {call.after} "
        f"characters, due after {due}",
        right="parts in generation order, as far as the declared emission point allows",
        about=topics(f"call:{expected.id}"),
        needs=topics("text"),
        event=evidence.event_of_call(expected.id),
        part=call.part,
    )


RULE = Rule(
    id="part-order",
    holds="parts come in generation order; calls before the text that follows them",
    source="lm-stream-semantics § 1.1, § 3.5, § 6.1",
    check=_check,
)
