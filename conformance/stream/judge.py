"""``judge_stream(events, framing, dialect) -> findings``: pure, and the whole of a verdict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.findings import Defect, Finding, found
from conformance.stream import RESPONSES_RULES
from conformance.stream.chat import CHAT_RULES
from conformance.stream.chat.evidence import Chat
from conformance.stream.evidence import Stream
from conformance.stream.spoken import dialect_of
from conformance.stream.vercel import VERCEL_RULES
from conformance.stream.vercel.evidence import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.contracts import Contract
    from conformance.stream.framing import Framing
    from conformance.stream.rule import E, StreamRule
    from conformance.transcript import SentEvent


def judge_stream(
    events: Sequence[SentEvent],
    framing: Framing | None,
    dialect: str = "",
    contract: Contract | None = None,
) -> list[Finding]:
    """What a stream breaks, in the order of the rules of its dialect.

    Where no dialect is named, the events tell which it is. Without ``framing`` (they came as JSON
    Lines) nothing is said of it. What is a custom under ``contract`` is no finding.
    """
    dialect = dialect or dialect_of(events)
    if contract:
        reading = contract.read(events, framing)
        events, framing = reading.events, reading.framing
    return _JUDGES[dialect](events, framing)


def _chat(events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    return _against(Chat(events, framing), CHAT_RULES)


def _parts(dialect: str, events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    return _against(Parts(dialect, events, framing), VERCEL_RULES[dialect])


def _responses(events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    """Events that came out of order break much by that alone.

    Where their sequence numbers put them in an order in which less is broken, that order is judged
    and the disorder is the finding.
    """
    wire = Stream(events, framing)
    findings = _against(wire, RESPONSES_RULES)
    if not _weight(findings)[0] or not (in_order := _by_number(wire)):
        return findings
    resorted = _against(Stream(in_order, framing, resorted=True), RESPONSES_RULES)
    return min(findings, resorted, key=_weight)


_JUDGES: dict[str, Callable[[Sequence[SentEvent], Framing | None], list[Finding]]] = {
    "openresponses": _responses,
    "copilot": _chat,
    **{dialect: partial(_parts, dialect) for dialect in VERCEL_RULES},
}


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


def _against(stream: E, rules: Sequence[StreamRule[E]]) -> list[Finding]:
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


def _defects(stream: E, rules: Sequence[StreamRule[E]]) -> Iterator[tuple[StreamRule[E], Defect]]:
    for rule in rules:
        for defect in rule.check(stream):
            yield rule, defect
