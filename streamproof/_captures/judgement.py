"""What the protocol's rules say about a captured stream, and the conduct that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conformance.rules.accepting_profiles import accepting_profiles
from conformance.rules.streams import judge_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.contract.finding import Finding
    from conformance.dialects.recording import Dump

Conduct = Literal["legal", "deviation", "violation"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings about one response, and the profiles under which none is of level must."""

    findings: tuple[Finding, ...]
    profiles: frozenset[str]

    @property
    def breaks(self) -> bool:
        """Whether a finding is of level must."""
        return any(finding.level == "must" for finding in self.findings)


def judgement(dump: Dump, dialect: str) -> Judgement:
    """Judge a response by the specification, and by the profiles of the dialect."""
    findings = judge_stream(dump.events, dump.framing, dialect)
    accepting = accepting_profiles(dump.events, dump.framing, dialect, findings)
    return Judgement(
        tuple(findings), frozenset(each.profile for each in accepting if not each.musts)
    )


def conduct_of(judged: Sequence[Judgement]) -> tuple[Conduct, frozenset[str]]:
    """The conduct of an upstream with these responses, and the profiles by which it is legal."""
    broken = [each for each in judged if each.breaks]
    if not broken:
        return "legal", frozenset()
    profiles = frozenset.intersection(*(each.profiles for each in broken))
    return ("deviation" if profiles else "violation"), profiles


def same_findings(one: Iterable[Finding], other: Iterable[Finding]) -> bool:
    """Whether two streams break the same rules in the same events."""
    return _places(one) == _places(other)


def _places(findings: Iterable[Finding]) -> set[tuple[str, str, int | None]]:
    return {(finding.rule, finding.level, finding.event) for finding in findings}
