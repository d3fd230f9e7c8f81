"""Judges a stream by the legality rules of its dialect, and finds profiles that accept it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.contracts import Contract, contracts_of
from conformance.dialects.recognition import recognise_dialect
from conformance.findings.finding import Finding, Rule
from conformance.rules.engine import count_musts, how_wrong, judge
from mockserver.dialects.profile import Profile

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
    return min(findings, judge(in_order, legality.rules), key=how_wrong)


@dataclass(frozen=True, slots=True)
class AcceptingProfile:
    """A profile under which a stream has fewer findings of level ``must``, and their number.

    ``places`` counts the events that these are about. ``marks`` counts what of the stream is known
    of this upstream alone; ``seen`` and ``unseen`` are the numbers of its exceptions that the
    stream has and lacks.
    """

    profile: str
    musts: int
    places: int
    marks: int
    seen: int
    unseen: int

    @property
    def unlikely(self) -> tuple[int, ...]:
        """A sort key: of the profiles that accept a stream, the likeliest is the first."""
        return self.musts, self.places, -self.marks, -self.seen, self.unseen


def accepting_profiles(
    events: Sequence[SentEvent], framing: Framing | None, dialect: str, findings: Sequence[Finding]
) -> tuple[AcceptingProfile, ...]:
    """The profiles under which a stream has the fewest findings of level ``must``, likeliest first.

    Empty if no profile has fewer than ``findings``, or as many in fewer places. A profile that
    changes nothing in this stream is skipped, because its findings are those of the specification.
    """
    if not count_musts(findings):
        return ()
    without = count_musts(findings), _count_places(findings)
    candidates = []
    for contract in contracts_of(dialect):
        reading = contract.read(events, framing)
        if seen := len(reading.observed):
            left = judge_stream(reading.events, reading.framing, dialect)
            profile, unseen = contract.profile, len(contract.exceptions) - seen
            counts = count_musts(left), _count_places(left), count_marks(profile, events)
            candidates.append(AcceptingProfile(profile.name, *counts, seen, unseen))
    better = [each for each in candidates if (each.musts, each.places) < without]
    least = min((each.musts for each in better), default=0)
    best = (each for each in better if each.musts == least)
    return tuple(sorted(best, key=lambda each: each.unlikely))


def _count_places(findings: Sequence[Finding]) -> int:
    """The number of events that findings of level ``must`` are about, as far as they say it."""
    kinds = (finding.kind for finding in findings if finding.level == "must")
    return sum(1 + getattr(kind, "more", 0) for kind in kinds)


def best_for_all(responses: Sequence[Sequence[AcceptingProfile]]) -> list[AcceptingProfile]:
    """The best of the profiles that accept each of several responses, likeliest first.

    Their numbers are added up. ``responses`` has what ``accepting_profiles`` has found for each.
    """
    by_name = [{each.profile: each for each in found} for found in responses]
    common = set.intersection(*map(set, by_name)) if by_name else set()
    names = [each.profile for each in responses[0] if each.profile in common] if by_name else []
    added = [_add([found[name] for found in by_name]) for name in names]
    least = min((each.musts for each in added), default=0)
    return sorted((e for e in added if e.musts == least), key=lambda each: each.unlikely)


def _add(several: Sequence[AcceptingProfile]) -> AcceptingProfile:
    numbers = (astuple(each)[1:] for each in several)
    return AcceptingProfile(several[0].profile, *map(sum, zip(*numbers, strict=True)))


def count_marks(profile: Profile, events: Sequence[SentEvent]) -> int:
    """How many fields, and names of models, the events have that only this upstream sends."""
    fields = [dict(_outer_fields(event.data)) for event in events]
    marks = profile.marks.intersection(*([set().union(*fields)] if fields else []))
    models = {str(each["model"]).lower() for each in fields if "model" in each}
    return len(marks) + any(name.startswith(profile.models) for name in models)


_DEPTH = 5


def _outer_fields(value: Any, depth: int = _DEPTH) -> Iterator[tuple[str, Any]]:
    """The names and values of the fields of an event that are not deep in it."""
    if isinstance(value, dict):
        yield from value.items()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if depth:
        for each in inner:
            yield from _outer_fields(each, depth - 1)
