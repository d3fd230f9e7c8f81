"""count-limits: the host is told the model's own figures, and makes its own decisions.

stream-mapping says two things: its review takes 15 % off the context window, and its later decision
does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.rules.counting.evidence import Evidence

FIGURES = {"input": "context_window", "output": "max_tokens"}


def _check(evidence: Evidence) -> Iterator[Defect]:
    limits = evidence.told["asked"].limits
    for side, name in FIGURES.items():
        if side in limits and name in evidence.model and limits[side] != evidence.model[name]:
            yield Defect(
                f"the limit of the {side} is told as {limits[side]}, and the upstream gives the "
                f"model a {name} of {evidence.model[name]}",
                right=f"{evidence.model[name]}, as it is",
                about=topics(side),
            )


def _unfit(evidence: Evidence) -> str:
    if not evidence.told["asked"].limits:
        return "the adapter tells no limits"
    return "" if evidence.model else "the upstream tells no figures of its model"


RULE = Rule(
    id="count-limits",
    holds="limits are the model's own: its context_window for the input, its max_tokens for the "
    "output",
    source="stream-mapping § Token Limit Communication",
    check=_check,
    unfit=_unfit,
)
