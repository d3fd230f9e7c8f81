"""Rules on the order of a stream: its sequence numbers, its beginning and its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from conformance.dialects import wire
from conformance.dialects.openresponses.lifecycles import RESPONSE
from conformance.dialects.openresponses.stream import DONE, Event, Stream
from conformance.dialects.state_machine import walk
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from mockserver.dialects.openresponses.events import TERMINAL

_COUNTED = "sequence numbers that begin with 0 and grow by 1"


class FirstNumber(Kind):
    """The first sequence number is not 0."""

    number: int

    message = "the first event has the number {number}"
    right = _COUNTED


class NotGrowing(Kind):
    """A sequence number is not greater than the one before it."""

    type: str
    number: int
    before: int
    more: int

    message = "{type} has the number {number}, behind {before}[[ (and {more} times more)]]"
    right = _COUNTED


class Gap(Kind):
    """Sequence numbers are left out."""

    before: int
    number: int
    more: int

    message = "the numbers jump from {before} to {number}[[ (and {more} times more)]]"
    right = _COUNTED


class OutOfOrder(Kind):
    """Events came in another order than that of their sequence numbers."""

    type: str
    number: int
    before: str
    number_before: int

    message = (
        "the events came out of order: {type} has the number {number} and came behind {before}, "
        "which has {number_before}"
    )
    right = "the events in the order of their sequence numbers"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two consecutive numbers; ``between`` is how many events without a number are between them."""

    event: Event
    before: int
    number: int
    between: int


@rule(
    holds="sequence numbers give the order of the stream: they begin with 0 and grow by 1",
    source="OpenResponses § Extending Streaming Events; observed",
    level="should",
    kinds=(FirstNumber, NotGrowing, Gap, OutOfOrder),
)
def stream_sequence(stream: Stream) -> Iterator[Defect]:
    if stream.resorted:
        yield from _out_of_order(stream)
        return
    pairs = list(_pairs(stream))
    for pair in pairs[:1]:
        if pair.number != pair.between:
            yield Defect(FirstNumber(pair.number), topics("numbers:first"), pair.event.n)
    yield from _not_growing([pair for pair in pairs[1:] if pair.number <= pair.before])
    gaps = [pair for pair in pairs[1:] if pair.number > pair.before + 1 + pair.between]
    for gap in gaps[:1]:
        kind = Gap(gap.before, gap.number, len(gaps) - 1)
        yield Defect(kind, topics("numbers"), gap.event.n)


def _pairs(stream: Stream) -> Iterator[_Pair]:
    """Each event that has a number, with the number before it; -1 before the first."""
    events = {event.n: event for event in stream.all}
    before, between = -1, 0
    for one in stream.sent:
        event = events.get(one.n)
        if event and event.number is not None:
            yield _Pair(event, before, event.number, between)
            before, between = event.number, 0
        elif one.kind in ("event", "raw"):
            between += 1


def _not_growing(pairs: list[_Pair]) -> Iterator[Defect]:
    # The specification says that the numbers grow where it speaks of extension events.
    pairs.sort(key=lambda pair: not pair.event.is_extension)
    for pair in pairs[:1]:
        kind = NotGrowing(pair.event.type, pair.number, pair.before, len(pairs) - 1)
        level: Level = "must" if pair.event.is_extension else "should"
        yield Defect(kind, topics("numbers"), pair.event.n, level=level)


def _out_of_order(stream: Stream) -> Iterator[Defect]:
    """Events that came after one with a higher number, in a stream that was sorted by number."""
    wire = sorted(stream.all, key=lambda event: event.n)
    numbered = [(event, event.number) for event in wire if event.number is not None]
    for (before, first), (event, number) in pairwise(numbered):
        if number < first:
            kind = OutOfOrder(event.type, number, before.type, first)
            yield Defect(kind, topics("numbers"), event.n, level="must")


_FAILED = "response.failed"


class NotFailed(Kind):
    """The response does not fail after an error."""

    end: str

    message = "after the error comes [[{end}|the end of the stream]], not response.failed"
    right = f"{_FAILED} after an error"
    same_by = ("end",)


class FailedLater(Kind):
    """Other events come between an error and the failure of the response."""

    type: str

    message = "after the error comes {type}, and only later response.failed"
    right = f"{_FAILED} right after an error"
    same_by = ("type",)


@rule(
    holds="an error event is followed by response.failed",
    source="OpenResponses § Streaming Errors; observed",
    kinds=(NotFailed, FailedLater),
)
def error_followed(stream: Stream) -> Iterator[Defect]:
    errors = [k for k, event in enumerate(stream.events) if event.type == "error"]
    if not errors:
        return
    error = stream.events[errors[0]]
    after = [e for e in stream.events[errors[0] + 1 :] if not e.is_extension and e.type != "error"]
    if stream.terminal is None or stream.terminal.type != _FAILED:
        end = stream.terminal.type if stream.terminal else ""
        yield Defect(NotFailed(end), topics("end"), error.n)
    elif after[0].type != _FAILED:
        yield Defect(FailedLater(after[0].type), topics("end"), error.n, level="should")


class NotEnded(Kind):
    """The stream ends, and the response does not."""

    message = "the stream ends, but the response does not"
    right = f"{' or '.join(sorted(TERMINAL))} as the last event"


class AfterTerminal(Kind):
    """Events come after the terminal event."""

    type: str
    terminal: str
    more: int

    message = "{type} comes after {terminal}[[ (and {more} more)]]"
    right = "nothing after the terminal event but [DONE]"
    same_by = ("type", "terminal")


@rule(
    holds="exactly one of response.completed, response.failed and response.incomplete, and "
    "nothing after it",
    # A failure while streaming must be reported, so a stream cannot merely stop.
    source="OpenResponses § Streaming Errors; OpenResponses § streaming diagram; observed",
    kinds=(NotEnded, AfterTerminal),
)
def terminal_once(stream: Stream) -> Iterator[Defect]:
    if stream.terminal is None:
        last = wire.last_number(stream.sent)
        # A last event that cannot be read may have been the terminal one.
        needs = topics(f"data:{last}", f"unread:{last}")
        yield Defect(NotEnded(), topics("end"), last, needs=needs)
        return
    late = [event for event in stream.late if not event.is_extension]
    if late:
        again = next((event for event in late if event.type in TERMINAL), late[0])
        kind = AfterTerminal(again.type, stream.terminal.type, len(late) - 1)
        done = (f"done:{e.index('output_index')}" for e in late if e.type == DONE)
        yield Defect(kind, topics(*(f"late:{event.n}" for event in late), *done), again.n)


_STEPS = {
    "response.created": "created",
    "response.queued": "queued",
    "response.in_progress": "in_progress",
    **dict.fromkeys(TERMINAL, "end"),
}
_State = Literal["", "created", "queued", "working", "over"]
# The state of a response after a step, whatever it was before
_NEXT_STATE: dict[str, _State] = {
    "created": "created",
    "queued": "queued",
    "in_progress": "working",
    "work": "working",
}


class OutOfTurn(Kind):
    """An event comes in a state of the response in which it may not come."""

    type: str
    state: _State

    message = "{type} comes {state:phrase}"
    right = (
        "response.created, then response.queued or not, then response.in_progress, then the items"
    )
    same_by = ("type", "state")
    phrases = {
        "state": {
            "": "as the first event of the stream",
            "created": "before response.in_progress",
            "queued": "when the response is queued",
            "working": "when the response is in progress",
        }
    }


@rule(
    holds="the first event is response.created; response.in_progress comes before any item, "
    "response.queued only before it",
    source="OpenResponses § streaming diagram; openai; observed",
    level="should",
    kinds=(OutOfTurn,),
)
def stream_lifecycle(stream: Stream) -> Iterator[Defect]:
    steps = [(step, event) for event in stream.events if (step := _step(event))]
    state: _State = ""
    for step, event in steps:
        if walk(RESPONSE, [(step, event)], state).breach:
            # The prose says that queued comes before in_progress; the rest is in the diagram, or
            # observed.
            level: Level = "must" if (state, step) == ("working", "queued") else "should"
            kind = OutOfTurn(event.type, state)
            yield Defect(kind, topics("start"), event.n, level=level, needs=topics("lost"))
        state = _NEXT_STATE.get(step, "over")


def _step(event: Event) -> str:
    if event.type in _STEPS:
        return _STEPS[event.type]
    return "work" if event.category == "item" or event.is_child else ""
