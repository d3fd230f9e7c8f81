"""Rules on calls: their input, the calls themselves, and their results."""

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.dialects.state_machine import Machine, walk
from conformance.dialects.text_versions import joined
from conformance.dialects.vercel.stream import CALLS, FOLLOWS_CALL, Part, Parts
from conformance.dialects.wire import event_topics
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from mockserver.dialects.vercel.parts import GATEWAY, UI
from mockserver.foundation.call_arguments import is_blank, read_arguments, same_json
from mockserver.foundation.json_fields import text

_CALL: Machine = {
    "": {"starts": "open", "called": "called"},
    "open": {"grows": "open", "ends": "ended", "called": "called"},
    "ended": {"called": "called"},
    "called": {},
}

_CALLING = frozenset({"stop", "tool-calls"})
_RIGHT = "the start of the input, its deltas, its end, then the call, once; or the call alone"


class OutOfOrder(Kind):
    """A part of a call comes in a state of the call in which it may not come."""

    type: str
    call: str
    state: str

    message = "{type} of the call {call!r} comes when {state:phrase}"
    right = _RIGHT
    same_by = ("type", "state")
    phrases = {
        "state": {
            "": "its input has not started",
            "open": "its input has started already",
            "ended": "its input has ended",
            "called": "it was called already",
        }
    }


class NameChanged(Kind):
    """A call is of another tool than its streamed input."""

    call: str
    tool: str
    first_tool: str

    message = "the call {call!r} is of {tool!r} here, and its input was streamed for {first_tool!r}"
    right = "the same name wherever the call is told"


class NeverCalled(Kind):
    """The input of a call streams, and the call never comes."""

    call: str

    message = "the input of the call {call!r} streams, and it is never called"
    right = _RIGHT


class NeverEnds(Kind):
    """The streamed input of a call never ends."""

    call: str

    message = "the input of the call {call!r} never ends"
    right = _RIGHT


@rule(
    holds="an input grows and ends only where it has started, under one name; a call comes behind "
    "its input, once a step; a streamed input ends, and is called where the step finishes with "
    "stop or tool-calls (should)",
    source="AI SDK UI § Stream Protocols; ai",
    kinds=(OutOfOrder, NameChanged, NeverCalled, NeverEnds),
)
def call_lifecycle(stream: Parts) -> Iterator[Defect]:
    """The input of a call may be streamed before the call, which comes once in its step.

    In the next step, the same id means another call.
    """
    for (step, id_), several in stream.calls().items():
        walked = walk(_CALL, ((CALLS[part.type], part) for part in several))
        names = list(dict.fromkeys(part.tool for part in several if part.tool))
        if walked.breach:
            part = walked.breach.event
            yield _defect(OutOfOrder(part.type, id_, walked.breach.state), part, [part])
        elif len(names) > 1:
            other = next(part for part in several if part.tool == names[1])
            yield _defect(NameChanged(id_, names[1], names[0]), other, several)
        elif walked.state != "called":
            if not stream.has_failed and stream.reason(step) in _CALLING:
                yield _defect(NeverCalled(id_), several[-1], several, "should")
        elif _is_unended(several):
            yield _defect(NeverEnds(id_), several[-1], several, "should")


def _is_unended(several: Sequence[Part]) -> bool:
    """Whether an input started and was called, and never ended.

    UI messages and ai 4 have no part for the end of an input.
    """
    types = {part.type for part in several}
    return {"tool-input-start", "tool-call"} <= types and "tool-input-end" not in types


def _defect(kind: Kind, part: Part, needed: Sequence[Part], level: Level | None = None) -> Defect:
    about = topics(f"call:{part.call}", f"call:{part.n}")
    needs = event_topics(needed) | topics("generation", "lost", "order")
    return Defect(kind, about, part.n, level=level, needs=needs)


class NotJson(Kind):
    """The input of a call is not JSON."""

    call: str
    input: str

    message = "the input of the call {call!r} is not JSON: {input:quoted-arguments}"
    right = "a JSON object as text, or an empty text"


@rule(
    holds="the input of a call parses as JSON",
    source="ai; streamproof",
    level="should",
    kinds=(NotJson,),
)
def arguments_parse(stream: Parts) -> Iterator[Defect]:
    for part in stream.parts:
        input_ = text(part.input) if part.type == "tool-call" else ""
        # A blank input means an empty object.
        if read_arguments(input_).kind == "not JSON":
            kind, needs = NotJson(part.call, input_), event_topics([part])
            yield Defect(kind, topics(f"input:{part.n}"), part.n, needs=needs)


class InputDiffers(Kind):
    """The input of a call is not the one that was streamed before it."""

    call: str
    input: Any
    streamed: str

    message = (
        "the input of the call {call!r} is {input:arguments}, and streamed before was "
        "{streamed:arguments}"
    )
    right = "the deltas joined as the input of the call"


@rule(
    holds="the deltas of an input joined are the input of the call, as JSON",
    source="ai; observed",
    level="should",
    kinds=(InputDiffers,),
)
def arguments_sum(stream: Parts) -> Iterator[Defect]:
    """The streamed input of a call, joined, is the input of the call.

    They are compared as JSON, because the SDK's own providers may write the same object in another
    order. The core may add defaults of a schema to an input, and repair one.
    """
    for (_, id_), several in stream.calls().items():
        call = next((part for part in several if CALLS[part.type] == "called"), None)
        before = several[: several.index(call)] if call else []
        sum_ = joined([part.delta for part in before if part.delta is not None])
        if call and not is_blank(sum_) and not _same(sum_, call.input):
            kind, about = InputDiffers(id_, call.input, sum_), topics(f"input:{call.n}")
            needs = event_topics(several) | topics("generation", "lost", f"call:{id_}")
            yield Defect(kind, about, call.n, needs=needs)


def _same(streamed: str, input_: Any) -> bool:
    """Whether both are the same input: equal JSON, or the same text of a custom tool."""
    meant = read_arguments(input_).value
    return streamed in (input_, meant) or same_json(read_arguments(streamed).value, meant)


_BEGINS = frozenset({"start-step", "step-start"})


class NotCalled(Kind):
    """A result, an error or a request for approval is about a call that did not come."""

    type: str
    call: str

    message = "{type} is about {call!r}, which nobody has called"
    right = "the call before what became of it, under the same id"
    same_by = ("type",)


@rule(
    holds="a result, an error, a denial or a request for approval is about a call that came before "
    "it; what a provider has run itself may be of an earlier answer (should)",
    source="ai; observed",
    kinds=(NotCalled,),
)
def result_follows_call(stream: Parts) -> Iterator[Defect]:
    """A result, an error or an approval request comes after its call.

    Parts about calls of an earlier answer come before the first step. A provider may give the
    result of its own tool in the next answer.
    """
    known: set[str] = set()
    is_begun = not stream.has_steps
    for part in stream.parts:
        is_begun = is_begun or part.type in _BEGINS
        if part.type in CALLS and _announces_call(stream, part):
            known.add(part.call)
        elif part.type in FOLLOWS_CALL and is_begun and part.call and part.call not in known:
            deferred = stream.dialect == GATEWAY or part.data.get("providerExecuted") is True
            level: Level | None = "should" if deferred and stream.dialect != UI else None
            kind, about = NotCalled(part.type, part.call), topics(f"result:{part.n}")
            needs = event_topics([part]) | topics("generation", "lost", f"call:{part.call}")
            yield Defect(kind, about, part.n, level=level, needs=needs)


def _announces_call(stream: Parts, part: Part) -> bool:
    """Whether a part makes its call known: the call, or in a UI message the start of its input."""
    return stream.dialect == UI or CALLS[part.type] == "called"
