"""part-known: every part is one of the vocabulary's; no tool result comes from a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    bad = [
        (emitted.n, why)
        for emitted in evidence.transcript.parts
        if (why := evidence.vocabulary.bad(emitted.part))
    ]
    if not bad:
        return
    n, first = bad[0]
    more = f" (and {len(bad) - 1} more such parts)" if len(bad) > 1 else ""
    yield Defect(
        f"part {n} is no {evidence.vocabulary.name} part: {first.why}{more}",
        right=f"parts that validate against schemas/parts/{evidence.vocabulary.name}.json",
        about=frozenset(f"part:{m}" for m, _ in bad).union(*(why.spoils for _, why in bad)),
        part=n,
    )


RULE = Rule(
    id="part-known",
    holds="every part validates against its vocabulary's schema; no provider emits a tool result",
    source="lm-stream-semantics § 1.2, § 6.1",
    check=_check,
)
