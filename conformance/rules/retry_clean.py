"""retry-clean: a retry repeats no part; nothing is retried after the first part.

Whether to try again before anything has come out is a matter on which good adapters differ. Behind
the first part it is none: the host has shown it, and another answer begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    first: dict[int | None, float] = {}
    for request in evidence.transcript.played:
        began = first.setdefault(request.turn, request.at)
        out = [p for p in evidence.transcript.parts if began <= p.at < request.at]
        if out:
            yield Defect(
                f"the request was made again (attempt {request.attempt}) after {len(out)} part(s) "
                "of the answer had come out",
                right="the failure is told behind what has come out, and nothing is tried again",
                about=topics("text", "thinking", "calls", *(f"part:{p.n}" for p in out)),
                part=out[-1].n,
            )
            return


RULE = Rule(
    id="retry-clean",
    holds="a retry repeats no part; nothing is retried after the first part",
    source="lm-stream-semantics § 1.1, § 5.3",
    check=_check,
)
