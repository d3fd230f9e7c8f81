"""``judge_stream(events, framing, dialect) -> findings``: pure, and the whole of a verdict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.dialects.chat.legality import CHAT_RULES
from conformance.dialects.chat.stream import Chat
from conformance.dialects.openresponses.legality import RESPONSES_RULES
from conformance.dialects.openresponses.stream import Stream
from conformance.dialects.recognition import dialect_of
from conformance.dialects.vercel.legality import VERCEL_RULES
from conformance.dialects.vercel.stream import Parts
from conformance.rules.engine import judge, weight

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.contract.finding import Finding
    from conformance.contract.framing import Framing
    from conformance.contract.transcript import SentEvent


def judge_stream(
    events: Sequence[SentEvent], framing: Framing | None, dialect: str = ""
) -> list[Finding]:
    """What a stream breaks, in the order of the rules of its dialect.

    Where no dialect is named, the events tell which it is. Without ``framing`` (they came as JSON
    Lines) nothing is said of it.
    """
    return _JUDGES[dialect or dialect_of(events)](events, framing)


def _chat(events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    return judge(Chat(events, framing), CHAT_RULES)


def _parts(dialect: str, events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    return judge(Parts(dialect, events, framing), VERCEL_RULES[dialect])


def _responses(events: Sequence[SentEvent], framing: Framing | None) -> list[Finding]:
    """Events that came out of order break much by that alone.

    Where their sequence numbers put them in an order in which less is broken, that order is judged
    and the disorder is the finding.
    """
    wire = Stream(events, framing)
    findings = judge(wire, RESPONSES_RULES)
    if not weight(findings)[0] or not (in_order := _by_number(wire)):
        return findings
    resorted = judge(Stream(in_order, framing, resorted=True), RESPONSES_RULES)
    return min(findings, resorted, key=weight)


_JUDGES: dict[str, Callable[[Sequence[SentEvent], Framing | None], list[Finding]]] = {
    "openresponses": _responses,
    "chat": _chat,
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
