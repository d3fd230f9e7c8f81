"""count-edited: an edited message invalidates its own count and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.rules.counting.evidence import as_before, as_estimated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

# The place of the message that was edited, by the word that names it.
_EDITED = {"first": 0, "last": 2}


def _check(evidence: Evidence) -> Iterator[Defect]:
    kept = evidence.counts("kept")
    for which, place in _EDITED.items():
        counts, alike = evidence.counts(f"{which} edited"), evidence.whole(f"{which} alike")
        others = counts[:place] + counts[place + 1 :], kept[:place] + kept[place + 1 :]
        if not as_before(*others):
            yield Defect(
                f"when the {which} message is edited, {list(kept)} becomes {list(counts)}",
                right=f"another count of the {which} message, and those of the others as they were",
                about=topics("others"),
            )
        elif not as_estimated(counts[place], alike):
            yield Defect(
                f"the {which} message was edited, and is counted as {counts[place]}; before it was "
                f"{kept[place]}, and a new text of as many words is {alike}",
                right=f"an estimate of the new text, about {alike}",
                about=topics("edited"),
            )


def _unfit(evidence: Evidence) -> str:
    return "" if evidence.counts("kept") else "the adapter tells totals only"


RULE = Rule(
    id="count-edited",
    holds="an edited message is estimated anew, and all others keep their counts",
    source="stream-mapping § Per-Message Hash-Based Caching",
    check=_check,
    unfit=_unfit,
)
