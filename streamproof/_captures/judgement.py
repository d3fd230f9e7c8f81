"""What the rules say about a captured stream, and whether a scenario plays what was captured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.contract.transcript import SentEvent
from conformance.dialects.contracts import contract
from conformance.dialects.recording import Dump
from conformance.findings.finding import Finding
from conformance.rules.streams import (
    AcceptingProfile,
    accepting_profiles,
    best_for_all,
    judge_stream,
)
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.wire.frames import Sent
from mockserver.wire.slots import fill
from streamproof._captures.exchange import read_body
from streamproof._captures.script import write_file_urls
from streamproof._captures.shortest import SlotValues

Conduct = Literal["legal", "deviation", "violation"]

Findings = tuple["Finding", ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings about one response: by the specification, and by each profile that accepts it.

    A profile accepts a response that breaks the specification if none of its own findings is of
    level must. ``best`` are the profiles with the fewest such findings, accepting or not.
    """

    findings: Findings
    by_profile: Mapping[str, Findings]
    best: Sequence[AcceptingProfile]

    @property
    def breaks(self) -> bool:
        """Whether a finding by the specification is of level must."""
        return any(finding.level == "must" for finding in self.findings)

    def by(self, profile: str) -> Findings:
        """The findings by a profile; by the specification if the profile changes nothing."""
        return self.by_profile.get(profile, self.findings)


def judge_response(dump: Dump, dialect: str) -> Judgement:
    """Judge a response by the specification, and by the profiles of the dialect."""
    findings = judge_stream(dump.events, dump.framing, dialect)
    best = accepting_profiles(dump.events, dump.framing, dialect, findings)
    by_profile = {}
    for name in (each.profile for each in best if not each.musts):
        allowed = contract(name, dialect)
        by_profile[name] = tuple(judge_stream(dump.events, dump.framing, dialect, allowed))
    return Judgement(tuple(findings), by_profile, best)


def find_profiles(judged: Sequence[Judgement], hosts: Iterable[str]) -> list[AcceptingProfile]:
    """The profiles that fit an upstream with these responses best, the likeliest first.

    Empty if it is legal by the specification, or no profile changes that. If the name of one is in
    a host, it is the only one.
    """
    found = best_for_all([each.best for each in judged if each.breaks])
    named = [each for each in found if any(each.profile in host for host in hosts)]
    return named if len(named) == 1 else found


def have_same_findings(one: Iterable[Finding], other: Iterable[Finding]) -> bool:
    """Whether two streams break the same rules in the same events."""
    one_places, other_places = (
        {(finding.rule, finding.level, finding.event) for finding in findings}
        for findings in (one, other)
    )
    return one_places == other_places


def find_difference(
    case: Case, turn: int, attempt: int, events: Sequence[SentEvent], form: str
) -> str:
    """How what a case plays differs from the recorded events; empty if it plays the same.

    A last ``[DONE]`` may be missing in the recording.
    """
    plan = render(case, turn, attempt, form).plan
    has_end = bool(events) and events[-1].kind == "done"
    adds_end = bool(plan.sent) and plan.sent[-1].kind == "done" and not has_end
    sent = plan.sent[:-1] if adds_end else plan.sent
    if len(sent) != len(events):
        return f"it plays {len(sent)} events, and {len(events)} were captured"
    slots = SlotValues(DIALECTS[case.dialect])
    for played, recorded in zip(sent, events, strict=True):
        if played.kind == recorded.kind == "event":
            slots.learn(played.data, write_file_urls(recorded.data))
    for played, recorded in zip(sent, events, strict=True):
        if not _same(played, recorded, slots):
            return f"event {recorded.n} ({recorded.type or recorded.kind}) is played otherwise"
    return ""


def play_again(
    case: Case, turn: int, attempt: int, events: Sequence[SentEvent], form: str
) -> tuple[SentEvent, ...]:
    """What a client receives of a case that has no ``difference`` from the recorded events.

    A ``[DONE]`` that was not recorded is left out.
    """
    plan = render(case, turn, attempt, form).plan
    values = DIALECTS[case.dialect].sample()
    data = b"".join(fill(write.pieces, values) for write in plan.filled(values).byte_writes)
    return read_body(data, str(case))[: len(events)]


def _same(played: Sent, recorded: SentEvent, slots: SlotValues) -> bool:
    if played.kind == "raw":
        found = read_body(str(played.data).encode("utf-8", "replace"), "raw")
        return [(e.kind, e.data) for e in found] == [(recorded.kind, recorded.data)]
    if played.kind != recorded.kind:
        return False
    if played.kind != "event":
        return played.kind == "done" or bool(played.data == recorded.data)
    return slots.same(played.data, write_file_urls(recorded.data))
