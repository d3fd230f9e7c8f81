"""part-after-end: nothing comes out after the run has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    end = evidence.end
    late = [p for p in evidence.transcript.parts if end is not None and p.at > end.at]
    if late:
        yield Defect(
            f"{len(late)} part(s) came after the run had ended, first part {late[0].n}",
            right="all parts before the ending; a host has stopped listening by then",
            about=topics("text", "thinking", "calls", "citations", "data"),
            part=late[0].n,
        )


RULE = Rule(
    id="part-after-end",
    holds="nothing is emitted after the run ended",
    source="lm-stream-semantics § 1.1",
    check=_check,
)
