"""Judges a stream by the legality rules of its dialect, and finds profiles that accept it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.contracts import Contract, contracts_of
from conformance.dialects.recognition import recognise_dialect
from conformance.findings.finding import Finding, Rule
from conformance.rules.engine import count_musts, judge, weight

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
    if not count_musts(findings) or (in_order := legality.in_order(evidence)) is None:
        return findings
    return min(findings, judge(in_order, legality.rules), key=weight)


@dataclass(frozen=True, slots=True)
class AcceptingProfile:
    """A profile under which a stream has fewer findings of level ``must``, and their number."""

    profile: str
    musts: int


def accepting_profiles(
    events: Sequence[SentEvent], framing: Framing | None, dialect: str, findings: Sequence[Finding]
) -> tuple[AcceptingProfile, ...]:
    """The profiles under which a stream has the fewest findings of level ``must``.

    Empty if no profile has fewer than ``findings``. A profile that changes nothing in this stream
    is skipped, because its findings are those of the specification.
    """
    if not (musts := count_musts(findings)):
        return ()
    candidates = []
    for contract in contracts_of(dialect):
        reading = contract.read(events, framing)
        if reading.observed:
            left = count_musts(judge_stream(reading.events, reading.framing, dialect))
            candidates.append(AcceptingProfile(contract.profile.name, left))
    least = min((candidate.musts for candidate in candidates), default=musts)
    return tuple(candidate for candidate in candidates if candidate.musts == least < musts)
