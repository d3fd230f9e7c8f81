"""How an emitted text differs from the text that was sent: kinds of findings about texts.

A text may also have been sent after the response had ended; then nobody may emit it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from conformance.contract.transcript import SentEvent
from conformance.expectation.match import MAX_SPACE, common_prefix_length
from conformance.findings.finding import Defect, Kind, topics
from conformance.findings.values import EventValue, FailureInstead, TextPlace
from conformance.rules.alternatives import failure_instead
from conformance.rules.evidence import Evidence
from mockserver.dialects import DIALECTS

_RAW_DONE = "data: [DONE]"


def end_before_text(evidence: Evidence, added: str) -> int | None:
    """The event that ended the response before this text was sent; None if it was not."""
    end, later = _split(evidence)
    values = (value for event in later for value in texts_in(event.data) if value.strip())
    return end if any(added.startswith(value) for value in values) else None


def end_before_call(evidence: Evidence, call_id: str) -> int | None:
    """The event that ended the response before this call was sent; None if it was not."""
    end, later = _split(evidence)
    named = json.dumps(call_id)
    return end if call_id and any(named in json.dumps(event.data) for event in later) else None


def _split(evidence: Evidence) -> tuple[int | None, tuple[SentEvent, ...]]:
    """The number of the event that ends the response, and the events that were sent after it."""
    sent = evidence.transcript.sent
    is_last = DIALECTS[evidence.transcript.dialect].ending.is_last
    for n, event in enumerate(sent):
        is_raw_done = event.kind == "raw" and str(event.data).strip() == _RAW_DONE
        if is_raw_done or is_last(event.type):
            return event.n, sent[n + 1 :]
    return None, ()


def texts_in(value: Any) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


class _Different(Kind, weighs="loss"):
    """A text is not the one that was sent, from a place on.

    ``due`` is the text that was sent, with the number of characters that are right. With
    ``at_most`` the beginning of it is right as well.
    """

    what: Literal["text", "thinking"]
    due: TextPlace
    at_most: bool
    or_failure: FailureInstead

    right = "[[{at_most:if}no more than ]]the {what} {due:around}{or_failure:or-failure}"


class NeverCame(_Different):
    """Nothing was emitted of a text."""

    message = "the {what} never came out: {due.text:start} was sent"


class NeverSent(_Different):
    """A text was emitted, and none was sent."""

    came: str

    message = "the {what} came out, and none was sent: {came:start}"


class TextTwice(_Different):
    """A text was emitted as it was sent, and once more from an event that repeats it whole."""

    came: str
    sent: EventValue
    again: EventValue
    more: int = 0

    message = (
        "the {what} came twice: {came:start}, once from {sent:event} and once more from "
        "{again:event}[[, and so did {more:more text|more texts}]]"
    )
    headline = "the {what} came twice, again from {again:event}: {came:start}"
    same_by = ("again.type",)


class CameTwice(_Different):
    """The whole text was emitted twice."""

    came: str

    message = "the {what} came twice: {came:start}"


class StopsEarly(_Different):
    """The end of a text is missing."""

    length: int
    came: str

    message = "the {what} stops after {due.at} of {length} characters: {came:start}"


class AddedAtOneSide(_Different):
    """Characters were added before or after a text."""

    side: Literal["before", "after"]
    added: str
    count: int

    message = "{count:character was|characters were} added {side} the {what}: {added:start}"
    same_by = ("side",)


class AddedAround(_Different):
    """Characters were added before and after a text."""

    before: str
    after: str
    count: int

    message = (
        "{count} characters were added to the {what}: {before:start} before it and {after:start} "
        "after it"
    )


class LacksBeginning(_Different):
    """The beginning of a text is missing."""

    missing: str
    count: int

    message = "the {what} lacks its first {count:character|characters}: {missing:start}"


class Differs(_Different):
    """A text has other characters than were sent, from a place on."""

    came: str
    sent: str

    message = (
        "the {what} differs from character {due.at} on: {came:start} where {sent:start} was sent"
    )


DIFFERENCES: tuple[type[Kind], ...] = (
    NeverCame,
    NeverSent,
    TextTwice,
    CameTwice,
    StopsEarly,
    AddedAtOneSide,
    AddedAround,
    LacksBeginning,
    Differs,
)


def find_text_twice(evidence: Evidence, what: Literal["text", "thinking"]) -> Defect | None:
    """The defect of texts that came as they were sent, and again from an event that has them whole.

    None if the text differs in another way, or if the upstream answered more than once: then it may
    come from the other answer.
    """
    expected, came = getattr(evidence.expected, what), getattr(evidence.reading, what)
    if expected.cut or len(evidence.transcript.answered) > 1:
        return None
    first, *more = _repetitions_in(evidence, what, came) or (None,)
    if first is None:
        return None
    events = _events_with(evidence, came[first.again : first.end])
    if events is None:
        return None
    sent, again = events
    kind = TextTwice(
        what,
        TextPlace(expected.text, common_prefix_length(expected.text, came)),
        at_most=False,
        or_failure=failure_instead(evidence) if what == "text" else "",
        came=came[first.start : first.end],
        sent=sent,
        again=again,
        more=len(more),
    )
    part = evidence.reading.part_at(first.again) if what == "text" else None
    return Defect(kind, topics(what), event=again.n, part=part, is_exact=True)


def _events_with(evidence: Evidence, text: str) -> tuple[EventValue, EventValue] | None:
    """The last event that sent something of a text, and the first that only repeats it whole."""
    last: EventValue | None = None
    for event, entry in zip(evidence.answer, evidence.turn.entries, strict=False):
        here = EventValue(event.n, event.kind, event.type)
        if any(map(entry.has, ("text", "refusal", "reasoning"))):
            last = here
        elif last and text in texts_in(event.data):
            return last, here
    return None


@dataclass(frozen=True, slots=True)
class _Repetition:
    """A block of a text that was emitted again: its number, and where both copies begin and end."""

    block: int
    start: int
    again: int
    end: int


def _repetitions_in(
    evidence: Evidence, what: Literal["text", "thinking"], came: str
) -> tuple[_Repetition, ...]:
    """The blocks that were emitted again, also if links or refusals are not where they are due."""
    hidden = evidence.expected_with(annotations="hidden")
    bare = {len(blocks): blocks for blocks in (getattr(each, what).blocks for each in hidden)}
    without_refusal = evidence.expected_with(annotations="hidden", refusal="hidden")
    for expected in (evidence.expected, *hidden, *without_refusal):
        blocks = getattr(expected, what).blocks
        if found := _repetitions(blocks, bare.get(len(blocks), blocks), came):
            return found
    return ()


def _repetitions(blocks: Sequence[str], bare: Sequence[str], came: str) -> tuple[_Repetition, ...]:
    """The blocks that were emitted again, each after itself; empty if the text differs otherwise.

    A second copy may be that of ``bare``, in which a block lacks the links that adapters add.
    """
    ways: dict[int, tuple[_Repetition, ...]] = {0: ()}
    for n, (block, plain) in enumerate(zip(blocks, bare, strict=True)):
        after: dict[int, tuple[_Repetition, ...]] = {}
        for at, found in ways.items():
            for start in _starts(came, at, block):
                end = start + len(block)
                after.setdefault(end, found)
                for copy in (block, plain) if block.strip() and plain.strip() else ():
                    for again in _starts(came, end, copy):
                        here = _Repetition(n, start, again, again + len(copy))
                        after.setdefault(here.end, (*found, here))
        ways = after
    return ways.get(len(came), ())


def _starts(came: str, at: int, block: str) -> Iterator[int]:
    """Where a block begins at a place or after white space, by which blocks may be separated."""
    for start in range(at, at + MAX_SPACE + 1):
        if came.startswith(block, start):
            yield start
        if not came[start : start + 1].isspace():
            return


def difference(
    what: Literal["text", "thinking"],
    sent: str,
    came: str,
    *,
    at_most: bool = False,
    or_failure: FailureInstead = "",
) -> Kind:
    """How a text that was emitted differs from the one that was sent; they must differ."""
    at = common_prefix_length(sent, came)
    right = (what, TextPlace(sent, at), at_most, or_failure)
    if not came:
        return NeverCame(*right)
    if not sent:
        return NeverSent(*right, came)
    if came == sent * 2:
        return CameTwice(*right, came)
    if at == len(came):
        return StopsEarly(*right, len(sent), came)
    if sent in came:
        before, _, after = came.partition(sent)
        count = len(before) + len(after)
        if before and after:
            return AddedAround(*right, before, after, count)
        return AddedAtOneSide(*right, "before" if before else "after", before or after, count)
    if sent.endswith(came):
        count = len(sent) - len(came)
        return LacksBeginning(*right, sent[:count], count)
    return Differs(*right, came[at:], sent[at:])
