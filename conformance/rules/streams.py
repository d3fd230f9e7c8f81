"""Judges a stream by the legality rules of its dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects import KIT
from conformance.dialects.recognition import dialect_of
from conformance.rules.engine import judge, weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.contract.finding import Finding, Rule
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent
    from conformance.dialects.contracts import Contract

STREAM_RULES: Mapping[str, Sequence[Rule[Any]]] = {
    name: dialect.legality for name, dialect in KIT.items()
}
"""The rules about an upstream's own stream, by dialect, in the order in which they are asked."""


def judge_stream(
    events: Sequence[SentEvent],
    framing: Framing | None,
    dialect: str = "",
    contract: Contract | None = None,
) -> list[Finding]:
    """What a stream breaks, in the order of the rules of its dialect.

    Where no dialect is named, the events say which it is; raises KeyError where they do not.
    Without ``framing`` (they came as JSON Lines) nothing is said of it. Where the events' own
    numbers put them in an order in which less is broken, that order is judged, and the disorder is
    the finding. What is a custom under ``contract`` is no finding.
    """
    kit = KIT[dialect or dialect_of(events)]
    if contract:
        reading = contract.read(events, framing)
        events, framing = reading.events, reading.framing
    evidence = kit.evidence(events, framing)
    findings = judge(evidence, kit.legality)
    if not weight(findings)[0] or (in_order := kit.in_order(evidence)) is None:
        return findings
    return min(findings, judge(in_order, kit.legality), key=weight)
