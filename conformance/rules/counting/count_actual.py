"""count-actual: what was sent costs what the upstream said that it cost.

The runs of the sequence cost half as much again or twice of what was estimated, which is more than
any rounding. A tenth of the difference is left to fixed overheads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.counting.evidence import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

# The estimate, the run that was then played, and the count of the same messages behind it.
_RUNS = (("estimate", "reply", "first"), ("grown", "reply-2", "second"))
_MESSAGES = 3


def _check(evidence: Evidence) -> Iterator[Defect]:
    for estimated, run, counted in _RUNS:
        estimate, used = evidence.whole(estimated), evidence.used[run]
        if not near(told := evidence.whole(counted), used, _MESSAGES + abs(used - estimate) / 10):
            yield Defect(
                f"messages that were sent, for which the upstream told {used} input tokens, are "
                f"counted as {told}; before, they were estimated as {estimate}",
                right=f"{used}: the actual count in place of the estimate",
                about=topics("actual"),
            )


RULE = Rule(
    id="count-actual",
    holds="an actual count replaces the estimate of messages that were sent",
    source="stream-mapping § Accurate Token Tracking Design",
    check=_check,
)
