"""call-lifecycle: the input of a call streams, if it does, before the call, and it is called once.

An id may come again in the next step, where it is another call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import Machine, walk
from conformance.dialects.vercel.stream import CALLS, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.dialects.openresponses.lifecycles import Breach
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


def _check(stream: Parts) -> Iterator[Defect]:
    for (step, id_), several in stream.calls().items():
        walked = walk(_CALL, ((CALLS[part.type], part) for part in several))
        names = list(dict.fromkeys(part.tool for part in several if part.tool))
        if walked.breach:
            yield _breach(id_, walked.breach)
        elif len(names) > 1:
            yield _renamed(id_, several, names)
        elif walked.state != "called":
            if not stream.has_failed and stream.reason(step) in _CALLING:
                message = f"the input of the call {id_!r} streams, and it is never called"
                yield _unfinished(message, several)
        elif _is_unended(several):
            yield _unfinished(f"the input of the call {id_!r} never ends", several)


def _is_unended(several: Sequence[Part]) -> bool:
    """Messages and ai 4 have no part for the end of an input."""
    types = {part.type for part in several}
    return {"tool-input-start", "tool-call"} <= types and "tool-input-end" not in types


def _breach(id_: str, breach: Breach[Part]) -> Defect:
    part = breach.event
    return Defect(
        f"{part.type} of the call {id_!r} comes when {_WHEN[breach.state]}",
        right=_RIGHT,
        about=_about(part),
        event=part.n,
        needs=numbers([part]) | _NEEDS,
    )


def _renamed(id_: str, several: Sequence[Part], names: Sequence[str]) -> Defect:
    other = next(part for part in several if part.tool == names[1])
    return Defect(
        f"the call {id_!r} is of {names[1]!r} here, and its input was streamed for {names[0]!r}",
        right="the same name wherever the call is told",
        about=_about(other),
        event=other.n,
        needs=numbers(several) | _NEEDS,
    )


def _unfinished(message: str, several: Sequence[Part]) -> Defect:
    return Defect(
        message,
        right=_RIGHT,
        about=_about(several[-1]),
        event=several[-1].n,
        level="should",
        needs=numbers(several) | _NEEDS,
    )


_NEEDS = topics("generation", "lost", "order")


def _about(part: Part) -> frozenset[str]:
    return topics(f"call:{part.call}", f"call:{part.n}")


RULE = Rule(
    id="call-lifecycle",
    holds="an input grows and ends only where it has started, under one name; a call comes behind "
    "its input, once a step; a streamed input ends, and is called where the step finishes with "
    "stop or tool-calls (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_check,
)
