"""Which profiles would have taken a stream that the specification convicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.contract.finding import Finding
from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects.contracts import contracts_of
from conformance.rules.streams import judge_stream


@dataclass(frozen=True, slots=True)
class Taker:
    """A profile under which fewer findings are of level must, and how many of them are left."""

    profile: str
    musts: int


def takers(
    events: Sequence[SentEvent], framing: Framing | None, dialect: str, findings: Sequence[Finding]
) -> tuple[Taker, ...]:
    """The profiles under which the fewest findings are of level must, if fewer than ``findings``.

    A profile without customs in this stream judges as the specification does, and is not asked.
    """
    if not (musts := _musts(findings)):
        return ()
    asked = []
    for contract in contracts_of(dialect):
        reading = contract.read(events, framing)
        if reading.observed:
            left = _musts(judge_stream(reading.events, reading.framing, dialect))
            asked.append(Taker(contract.profile.name, left))
    least = min((taker.musts for taker in asked), default=musts)
    return tuple(taker for taker in asked if taker.musts == least < musts)


def _musts(findings: Sequence[Finding]) -> int:
    return sum(finding.level == "must" for finding in findings)
