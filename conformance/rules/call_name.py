"""call-name: the name is the upstream's, unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    for expected, call in evidence.pairing.pairs:
        if not expected.named(call.name):
            yield Defect(
                f"the call {expected.id!r} has the name {call.name!r}, not {expected.name!r}",
                right="the name as the upstream gave it, once",
                about=topics(f"call:{expected.id}"),
                event=evidence.event_of_call(expected.id),
                part=call.part,
            )


RULE = Rule(
    id="call-name",
    holds="the name is the upstream's, unchanged",
    source="lm-stream-semantics § 3.1",
    check=_check,
)
