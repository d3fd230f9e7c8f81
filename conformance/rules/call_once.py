"""call-once: exactly one part for each call, wherever it completes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    doubled = evidence.pairing.doubled
    times = Counter(expected.id for expected, _ in doubled)
    first = {expected.id: again for expected, again in reversed(doubled)}
    for call_id, more in times.items():
        yield Defect(
            f"the call {call_id!r} was emitted {more + 1} times, again as part "
            f"{first[call_id].part} with id {first[call_id].id!r}",
            right="one part for each call, at the first point that completes it",
            about=topics(f"call:{call_id}"),
            event=evidence.event_of_call(call_id),
            part=first[call_id].part,
        )


RULE = Rule(
    id="call-once",
    holds="exactly one part per call: arguments done, item done, response completed",
    source="lm-stream-semantics § 3.2; rfc-00022 § Function Call Flow",
    check=_check,
)
