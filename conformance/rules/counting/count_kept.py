"""count-kept: what was learnt is there behind a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    before, after = evidence.whole("before"), evidence.whole("after")
    if before != after:
        yield Defect(
            f"before a restart a message that was sent had {before} tokens, and behind it {after}",
            right=f"{before}, from what was kept in the storage",
            about=topics("restart"),
        )


RULE = Rule(
    id="count-kept",
    holds="actual counts survive a restart of the adapter",
    source="stream-mapping § Per-Message Hash-Based Caching",
    check=_check,
)
