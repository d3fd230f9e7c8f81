"""call-namespaced: ids carry the prefix that the adapter declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    bare = [
        call
        for expected, call in evidence.pairing.pairs
        if call.id != expected.id and call.id == expected.bare_id
    ]
    if bare:
        prefix = evidence.traits.call_id_prefix
        yield Defect(
            f"the id {bare[0].id!r} does not carry the declared prefix {prefix!r}",
            right=f"{prefix}{bare[0].id}",
            about=topics("namespace"),
            part=bare[0].part,
        )


RULE = Rule(
    id="call-namespaced",
    holds="ids carry the declared prefix",
    source="lm-stream-semantics § 3.3, § 8.2",
    check=_check,
    level="should",
)
