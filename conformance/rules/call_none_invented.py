"""call-none-invented: a cut-off call is not executed, broken arguments do not become ``{}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    announced = {**evidence.item_ids, **{id_: id_ for id_ in evidence.item_ids.values()}}
    for call in evidence.pairing.invented:
        bare = evidence.bare(call.id)
        never = "was never completed" if bare in announced else "was never made"
        yield Defect(
            f"a call {call.name!r} with id {call.id!r} and input {call.input!r} came out; "
            f"it {never} upstream",
            right="no part for a call that the upstream did not complete",
            about=topics(f"part:{call.part}"),
            part=call.part,
        )


RULE = Rule(
    id="call-none-invented",
    holds="a cut-off call is not executed; no {} in place of arguments that broke",
    source="lm-stream-semantics § 3.4",
    check=_check,
)
