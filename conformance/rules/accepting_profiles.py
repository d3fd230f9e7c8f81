"""Finds the profiles that accept a stream which breaks the specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects.contracts import contracts_of
from conformance.findings.finding import Finding
from conformance.rules.streams import judge_stream


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
    if not (musts := _must_count(findings)):
        return ()
    candidates = []
    for contract in contracts_of(dialect):
        reading = contract.read(events, framing)
        if reading.observed:
            left = _must_count(judge_stream(reading.events, reading.framing, dialect))
            candidates.append(AcceptingProfile(contract.profile.name, left))
    least = min((candidate.musts for candidate in candidates), default=musts)
    return tuple(candidate for candidate in candidates if candidate.musts == least < musts)


def _must_count(findings: Sequence[Finding]) -> int:
    return sum(finding.level == "must" for finding in findings)
