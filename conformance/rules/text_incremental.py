"""text-incremental: text is emitted as it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    for reached in evidence.transcript.checkpoints:
        if not reached.reached:
            yield Defect(
                f"at the checkpoint {reached.name!r} the text so far had not come out",
                right="each piece of text as it arrives, not at the end",
                about=topics("text"),
                event=reached.event,
            )
            return


RULE = Rule(
    id="text-incremental",
    holds="text is emitted as it arrives, not at the end",
    source="lm-stream-semantics § 8.2",
    check=_check,
    level="should",
)
