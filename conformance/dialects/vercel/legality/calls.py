"""Rules on calls: their input, the calls themselves, and their results."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.dialects.arguments import shortened
from conformance.dialects.state_machine import Machine, walk
from conformance.dialects.text_versions import joined
from conformance.dialects.vercel.stream import CALLS, event_topics
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from mockserver.dialects.vercel.parts import GATEWAY, UI
from mockserver.foundation.call_arguments import is_blank, read_arguments, same_json
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.dialects.state_machine import Breach
    from conformance.dialects.vercel.stream import Part, Parts


_CALL: Machine = {
    "": {"starts": "open", "called": "called"},
    "open": {"grows": "open", "ends": "ended", "called": "called"},
    "ended": {"called": "called"},
    "called": {},
}

_WHEN = {
    "": "its input has not started",
    "open": "its input has started already",
    "ended": "its input has ended",
    "called": "it was called already",
}
_CALLING = frozenset({"stop", "tool-calls"})
_RIGHT = "the start of the input, its deltas, its end, then the call, once; or the call alone"


def _call_lifecycle(stream: Parts) -> Iterator[Defect]:
    """The input of a call may be streamed before the call, which comes once in its step.

    In the next step, the same id means another call.
    """
    for (step, id_), several in stream.calls().items():
        walked = walk(_CALL, ((CALLS[part.type], part) for part in several))
        names = list(dict.fromkeys(part.tool for part in several if part.tool))
        if walked.breach:
            yield _breach(id_, walked.breach)
        elif len(names) > 1:
            yield _changed_name(id_, several, names)
        elif walked.state != "called":
            if not stream.has_failed and stream.reason(step) in _CALLING:
                message = f"the input of the call {id_!r} streams, and it is never called"
                yield _unfinished(message, several)
        elif _is_unended(several):
            yield _unfinished(f"the input of the call {id_!r} never ends", several)


def _is_unended(several: Sequence[Part]) -> bool:
    """Whether an input started and was called, and never ended.

    UI messages and ai 4 have no part for the end of an input.
    """
    types = {part.type for part in several}
    return {"tool-input-start", "tool-call"} <= types and "tool-input-end" not in types


def _breach(id_: str, breach: Breach[Part]) -> Defect:
    part = breach.event
    return prose_defect(
        f"{part.type} of the call {id_!r} comes when {_WHEN[breach.state]}",
        right=_RIGHT,
        about=_about(part),
        event=part.n,
        needs=event_topics([part]) | _NEEDS,
    )


def _changed_name(id_: str, several: Sequence[Part], names: Sequence[str]) -> Defect:
    other = next(part for part in several if part.tool == names[1])
    return prose_defect(
        f"the call {id_!r} is of {names[1]!r} here, and its input was streamed for {names[0]!r}",
        right="the same name wherever the call is told",
        about=_about(other),
        event=other.n,
        needs=event_topics(several) | _NEEDS,
    )


def _unfinished(message: str, several: Sequence[Part]) -> Defect:
    return prose_defect(
        message,
        right=_RIGHT,
        about=_about(several[-1]),
        event=several[-1].n,
        level="should",
        needs=event_topics(several) | _NEEDS,
    )


_NEEDS = topics("generation", "lost", "order")


def _about(part: Part) -> frozenset[str]:
    return topics(f"call:{part.call}", f"call:{part.n}")


CALL_LIFECYCLE = Rule(
    id="call-lifecycle",
    holds="an input grows and ends only where it has started, under one name; a call comes behind "
    "its input, once a step; a streamed input ends, and is called where the step finishes with "
    "stop or tool-calls (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_call_lifecycle,
)


def _arguments_parse(stream: Parts) -> Iterator[Defect]:
    """The input of a provider's call is JSON."""
    for part in stream.parts:
        input_ = text(part.input) if part.type == "tool-call" else ""
        # A blank input means an empty object.
        if read_arguments(input_).kind == "not JSON":
            yield prose_defect(
                f"the input of the call {part.call!r} is not JSON: {shortened(input_)!r}",
                right="a JSON object as text, or an empty text",
                about=topics(f"input:{part.n}"),
                event=part.n,
                needs=event_topics([part]),
            )


ARGUMENTS_PARSE = Rule(
    id="arguments-parse",
    holds="the input of a call parses as JSON",
    source="ai; streamproof",
    check=_arguments_parse,
    level="should",
)


def _arguments_sum(stream: Parts) -> Iterator[Defect]:
    """The streamed input of a call, joined, is the input of the call.

    They are compared as JSON, because the SDK's own providers may write the same object in another
    order. The core may add defaults of a schema to an input, and repair one.
    """
    for (_, id_), several in stream.calls().items():
        call = next((part for part in several if CALLS[part.type] == "called"), None)
        before = several[: several.index(call)] if call else []
        sum_ = joined([part.delta for part in before if part.delta is not None])
        if call and not is_blank(sum_) and not _same(sum_, call.input):
            yield prose_defect(
                f"the input of the call {id_!r} is {shortened(_as_text(call.input))}, and streamed "
                f"before was {shortened(sum_)}",
                right="the deltas joined as the input of the call",
                about=topics(f"input:{call.n}"),
                event=call.n,
                needs=event_topics(several)
                | topics("generation", "lost", f"call:{id_}", f"input:{call.n}"),
            )


def _same(streamed: str, input_: Any) -> bool:
    """Whether both are the same input: equal JSON, or the same text of a custom tool."""
    meant = read_arguments(input_).value
    return streamed in (input_, meant) or same_json(read_arguments(streamed).value, meant)


def _as_text(input_: Any) -> str:
    return input_ if isinstance(input_, str) else json.dumps(input_, ensure_ascii=False)


ARGUMENTS_SUM = Rule(
    id="arguments-sum",
    holds="the deltas of an input joined are the input of the call, as JSON",
    source="ai; observed",
    check=_arguments_sum,
    level="should",
)


_FOLLOWS = frozenset(
    {
        "tool-result",
        "tool-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
    }
)
_BEGINS = frozenset({"start-step", "step-start"})


def _result_follows_call(stream: Parts) -> Iterator[Defect]:
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
        elif part.type in _FOLLOWS and is_begun and part.call and part.call not in known:
            yield _uncalled(stream, part)


def _announces_call(stream: Parts, part: Part) -> bool:
    """Whether a part makes its call known: the call, or in a UI message the start of its input."""
    return stream.dialect == UI or CALLS[part.type] == "called"


def _uncalled(stream: Parts, part: Part) -> Defect:
    deferred = stream.dialect == GATEWAY or part.data.get("providerExecuted") is True
    return prose_defect(
        f"{part.type} is about {part.call!r}, which nobody has called",
        right="the call before what became of it, under the same id",
        about=topics(f"result:{part.n}"),
        event=part.n,
        level="should" if deferred and stream.dialect != UI else None,
        needs=event_topics([part]) | topics("generation", "lost", f"call:{part.call}"),
    )


RESULT_FOLLOWS_CALL = Rule(
    id="result-follows-call",
    holds="a result, an error, a denial or a request for approval is about a call that came before "
    "it; what a provider has run itself may be of an earlier answer (should)",
    source="ai; observed",
    check=_result_follows_call,
)
