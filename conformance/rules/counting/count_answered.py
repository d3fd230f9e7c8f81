"""count-answered: a count is answered, before and behind any run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence


def _check(evidence: Evidence) -> Iterator[Defect]:
    if evidence.broken:
        yield Defect(
            evidence.broken,
            right="a counted message with a count for each message, a total, or both; runs that "
            "complete; or an adapter.yaml without count: true",
            about=topics("end"),
        )


RULE = Rule(
    id="count-answered",
    holds="a count is answered, with a count for each message or a total, and runs go on as ever",
    source="drive/1",
    check=_check,
)
