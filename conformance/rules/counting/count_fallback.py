"""count-fallback: an upstream that tells no usage teaches nothing, and takes nothing away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.counting.evidence import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

_MISSING = "a run whose upstream told no usage"
_SLACK = 0.02
# What was counted before and behind such a run; the texts are of the same words.
_PAIRS = {
    ("before", "after"): ("the messages that it sent", 0.0),
    ("text before", "text after"): ("a text of as many words", _SLACK),
    ("known", "still known"): ("a conversation whose beginning had an actual count", 0.0),
}


def _check(evidence: Evidence) -> Iterator[Defect]:
    for (before, after), (what, slack) in _PAIRS.items():
        was, is_ = evidence.whole(before), evidence.whole(after)
        if not near(is_, was, slack * was):
            yield Defect(
                f"before {_MISSING}, {what} had {was} tokens, and behind it {is_}",
                right=f"{was}: usage that is missing is no usage of zero, and no reason to forget",
                about=topics("missing"),
            )
            return


RULE = Rule(
    id="count-fallback",
    holds="where no usage is told, estimates and actual counts stay as they were",
    source="stream-mapping § Accurate Token Tracking Design",
    check=_check,
)
