"""What the protocol's rules say about a captured stream, and the conduct that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from conformance.dialects.contracts import contract
from conformance.rules.accepting_profiles import accepting_profiles
from conformance.rules.streams import judge_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.dialects.recording import Dump
    from conformance.findings.finding import Finding

Conduct = Literal["legal", "deviation", "violation"]

Findings = tuple["Finding", ...]


class ByProfile(NamedTuple):
    """The findings by a profile, and the number of its exceptions that the response has."""

    findings: Findings
    exceptions: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings about one response: by the specification, and by each profile that accepts it.

    A profile accepts a response that breaks the specification if none of its own findings is of
    level must.
    """

    findings: Findings
    by_profile: Mapping[str, ByProfile]

    @property
    def breaks(self) -> bool:
        """Whether a finding by the specification is of level must."""
        return any(finding.level == "must" for finding in self.findings)

    def by(self, profile: str) -> Findings:
        """The findings by a profile; by the specification if the profile changes nothing."""
        found = self.by_profile.get(profile)
        return found.findings if found else self.findings


def judgement(dump: Dump, dialect: str) -> Judgement:
    """Judge a response by the specification, and by the profiles of the dialect."""
    findings = judge_stream(dump.events, dump.framing, dialect)
    accepting = accepting_profiles(dump.events, dump.framing, dialect, findings)
    names = [each.profile for each in accepting if not each.musts]
    return Judgement(tuple(findings), {name: _by(name, dump, dialect) for name in names})


def _by(profile: str, dump: Dump, dialect: str) -> ByProfile:
    read = contract(profile, dialect).read(dump.events, dump.framing)
    findings = judge_stream(read.events, read.framing, dialect)
    return ByProfile(tuple(findings), len(read.observed))


def profiles_of(judged: Sequence[Judgement], dialect: str, hosts: Iterable[str]) -> list[str]:
    """The profiles by which an upstream with these responses is legal, the likeliest first.

    Empty if it is legal by the specification. If the name of one is in a host, it is the only one.
    Else the likeliest has the most of its exceptions in the responses, and the fewest others.
    """
    broken = [each.by_profile for each in judged if each.breaks]
    accepting = set.intersection(*map(set, broken)) if broken else set()
    named = [name for name in accepting if any(name in host for host in hosts)]

    def unlikely(name: str) -> tuple[int, int, str]:
        seen = max(each[name].exceptions for each in broken)
        return -seen, len(contract(name, dialect).exceptions), name

    return sorted(named if len(named) == 1 else accepting, key=unlikely)


def same_findings(one: Iterable[Finding], other: Iterable[Finding]) -> bool:
    """Whether two streams break the same rules in the same events."""
    return _places(one) == _places(other)


def _places(findings: Iterable[Finding]) -> set[tuple[str, str, int | None]]:
    return {(finding.rule, finding.level, finding.event) for finding in findings}
