"""``judge_stream(events, framing) -> findings``: pure, and the whole of what a verdict is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings import Defect, Finding, found
from conformance.stream import STREAM_RULES
from conformance.stream.evidence import Stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.stream.framing import Framing
    from conformance.stream.rule import StreamRule
    from conformance.transcript import SentEvent


def judge_stream(events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    """What an OpenResponses stream breaks, in the order of the rules.

    Without ``framing`` (the events came as JSON Lines) nothing is said of it. Events that came out
    of order break much by that alone: where their sequence numbers put them in an order in which
    less is broken, that order is judged and the disorder is the finding.
    """
    wire = Stream(events, framing)
    findings = _against(wire, STREAM_RULES)
    if not _weight(findings)[0] or not (in_order := _by_number(wire)):
        return findings
    resorted = _against(Stream(in_order, framing, resorted=True), STREAM_RULES)
    return min(findings, resorted, key=_weight)


def _by_number(stream: Stream) -> list[SentEvent] | None:
    """The events in the order of their numbers; None where those do not give another order."""
    numbers = {event.n: event.number for event in stream.all if event.number is not None}
    numbered = [one for one in stream.sent if one.n in numbers]
    ordered = sorted(numbered, key=lambda one: numbers[one.n])
    if len(set(numbers.values())) < len(numbers) or ordered == numbered:
        return None
    turn = iter(ordered)
    return [next(turn) if one.n in numbers else one for one in stream.sent]


def _weight(findings: Sequence[Finding]) -> tuple[int, int]:
    musts = sum(finding.level == "must" for finding in findings)
    return musts, len(findings)


def _against(stream: Stream, rules: Sequence[StreamRule]) -> list[Finding]:
    # What is only a should explains no must away.
    by_must: set[str] = set()
    by_any: set[str] = set()
    findings = []
    for rule, defect in _defects(stream, rules):
        must = (defect.level or rule.level) == "must"
        if not (by_must if must else by_any).isdisjoint(defect.about | defect.needs):
            continue
        by_any |= defect.about
        by_must |= defect.about if must else frozenset()
        findings.append(found(rule, defect))
    return findings


def _defects(stream: Stream, rules: Sequence[StreamRule]) -> Iterator[tuple[StreamRule, Defect]]:
    for rule in rules:
        for defect in rule.check(stream):
            yield rule, defect
