"""count-new-only: a message that is added changes nothing about those that were sent before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.counting.evidence import as_before, as_estimated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

_RIGHT = "what was sent as it was counted, and an estimate of what is new beside it"


def _check(evidence: Evidence) -> Iterator[Defect]:
    first, answered, grown = (evidence.whole(name) for name in ("first", "answered", "grown"))
    added, alone = grown - answered, evidence.whole("new")
    # A reply is short; how it is estimated is the adapter's affair.
    if not -first / 10 <= answered - first <= first / 2:
        yield _defect(f"with its short reply behind it, {first} tokens become {answered}")
    elif not as_before(evidence.counts("answered"), evidence.counts("first")) or not as_before(
        evidence.counts("grown"), evidence.counts("answered")
    ):
        yield _defect(f"messages that were sent are counted anew: {_counts(evidence)}")
    elif not as_estimated(added, alone):
        yield _defect(f"a new message of {alone} tokens, if it is counted alone, adds {added}")


def _defect(message: str) -> Defect:
    return Defect(message, right=_RIGHT, about=topics("new"), needs=topics("actual"))


def _counts(evidence: Evidence) -> str:
    names = ("first", "answered", "grown")
    return ", then ".join(str(list(evidence.counts(name))) for name in names)


RULE = Rule(
    id="count-new-only",
    holds="only new messages are estimated; what was sent keeps its count",
    source="stream-mapping § Hybrid Token Estimation",
    check=_check,
)
