"""Judges a stream by the legality rules of its dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.dialects import KIT
from conformance.dialects.recognition import recognise_dialect
from conformance.rules.engine import judge, weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent
    from conformance.dialects.contracts import Contract
    from conformance.findings.finding import Finding, Rule

STREAM_RULES: Mapping[str, Sequence[Rule[Any]]] = {
    name: dialect.legality.rules for name, dialect in KIT.items()
}
"""The rules about the stream of an upstream, by dialect, in the order in which they are checked."""


def judge_stream(
    events: Sequence[SentEvent],
    framing: Framing | None,
    dialect: str = "",
    contract: Contract | None = None,
) -> list[Finding]:
    """The findings of a stream, in the order of its dialect's rules.

    Without a ``dialect`` it is recognised by the events; raises KeyError if it cannot be. Without
    ``framing``, as for JSON Lines, framing is not judged. If fewer rules are broken when the events
    are sorted by their sequence numbers, that order is judged, and the disorder is a finding.
    Deviations that the profile of ``contract`` allows are not findings.
    """
    legality = KIT[dialect or recognise_dialect(events)].legality
    if contract:
        reading = contract.read(events, framing)
        events, framing = reading.events, reading.framing
    evidence = legality.evidence(events, framing)
    findings = judge(evidence, legality.rules)
    if not weight(findings)[0] or (in_order := legality.in_order(evidence)) is None:
        return findings
    return min(findings, judge(in_order, legality.rules), key=weight)
