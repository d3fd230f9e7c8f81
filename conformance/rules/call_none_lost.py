"""call-none-lost: a call that completed is emitted, wherever the wire completes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    for expected in evidence.pairing.missing:
        yield Defect(
            f"the call {expected.id!r} ({expected.name}) was lost",
            right=f"one part: {expected.name}({expected.right_input!r})",
            about=topics(f"call:{expected.id}"),
            event=evidence.event_of_call(expected.id),
            level="should" if evidence.expected.calls_may_be_lost else "must",
        )


RULE = Rule(
    id="call-none-lost",
    holds="a call that completed is emitted, also when deltas never came, "
    "or it appears only in the final response",
    source="rfc-00022 § Function Call Flow",
    check=_check,
)
