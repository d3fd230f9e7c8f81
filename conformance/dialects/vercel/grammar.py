"""The order of the parts of an answer, as tables, and what breaks it.

A machine maps a state and what comes next to the state that follows; what is not in it is a breach.
Parts that are listed as ``ASIDE`` may stand anywhere between the first part and the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, topics
from conformance.dialects.openresponses.lifecycles import Machine, walk
from conformance.dialects.vercel.stream import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Level
    from conformance.dialects.openresponses.lifecycles import Breach
    from conformance.dialects.vercel.stream import Part, Parts

RUN: Machine = {
    "": {"start": "begun"},
    # An empty answer was seen to finish a step that never started (ai 5 and 6.0).
    "begun": {
        "start-step": "step",
        "finish-step": "between",
        "aside": "begun",
        "finish": "over",
        "abort": "over",
    },
    "between": {"start-step": "step", "aside": "between", "finish": "over", "abort": "over"},
    "step": {"finish-step": "between", "content": "step", "aside": "step", "abort": "over"},
    "over": {},
}
"""A full stream since ai 5; that of ai 4 begins with its first step."""

ANSWER: Machine = {
    "": {"stream-start": "begun", "aside": "", "content": "begun", "finish": "over"},
    "begun": {"aside": "begun", "content": "begun", "finish": "over"},
    "over": {},
}
"""What a provider answers."""

MESSAGE: Machine = {
    "": {"start": "between", "aside": ""},
    "between": {
        "start-step": "step",
        "content": "between",
        "aside": "between",
        "finish": "over",
        "abort": "over",
    },
    "step": {"finish-step": "between", "content": "step", "aside": "step", "abort": "over"},
    "over": {},
}
"""A UI message; what an application writes itself stands in no step."""

_STEPS = {"step-start": "start-step", "step-finish": "finish-step"}
_NAMED = frozenset(
    {"start", "start-step", "finish-step", "finish", "abort", "stream-start", *_STEPS}
)
_ASIDE = frozenset(
    {
        "error",
        "raw",
        "ping",
        "steering-message",
        "message-metadata",
        "response-metadata",
        # What became of the calls of an earlier answer is told before the first step.
        "tool-result",
        "tool-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
        "tool-approval-response",
    }
)


def step_of(part: Part) -> str:
    """What a part is to a machine."""
    if part.type in _NAMED:
        return _STEPS.get(part.type, part.type)
    return "aside" if part.type in _ASIDE or part.type.startswith("data-") else "content"


_WHEN = {
    "": "as the first part",
    "begun": "when it has begun",
    "between": "in no step",
    "step": "in a step that has not finished",
}

_NEEDS = topics("generation", "lost")


def breaches(
    stream: Parts, machine: Machine, right: str, *, state: str = "", level: Level | None = None
) -> Iterator[Defect]:
    """The first part that comes where it may not."""
    breach = walk(machine, ((step_of(part), part) for part in stream.parts), state).breach
    if breach:
        yield _breach(breach, right, level)


def _breach(breach: Breach[Part], right: str, level: Level | None) -> Defect:
    part = breach.event
    return Defect(
        f"{part.type} comes {_WHEN[breach.state]}",
        right=right,
        about=topics("order", "end"),
        event=part.n,
        level=level,
        needs=numbers([part]) | _NEEDS,
    )


def late(stream: Parts) -> Iterator[Defect]:
    """What follows the ending, but for what an application adds to its message."""
    behind = [part for part in stream.late if not part.type.startswith("data-")]
    if behind and stream.ending:
        more = f" (and {len(behind) - 1} more)" if len(behind) > 1 else ""
        yield Defect(
            f"{behind[0].type} comes behind {stream.ending.type}{more}",
            right="nothing behind finish or abort but [DONE]",
            about=topics(*(f"late:{part.n}" for part in behind)),
            event=behind[0].n,
            needs=frozenset(f"{what}:{p.n}" for p in behind for what in ("event", "late")),
        )


def unended(stream: Parts, *, level: Level | None = None) -> Iterator[Defect]:
    """A stream that nothing ends: an error may be the last part, in place of a finish."""
    last = stream.parts[-1] if stream.parts else None
    if stream.ending or (last and last.type == "error"):
        return
    end = next((one.n for one in reversed(stream.sent) if one.kind in ("event", "raw")), None)
    behind = f" behind {last.type}" if last else ""
    yield Defect(
        f"the stream ends{behind}, and nothing says how it ended",
        right="finish as the last part; an error or an abort may stand in its place",
        about=topics("end"),
        event=end,
        level=level,
        needs=topics("end", "generation", "lost", f"data:{end}", f"event:{end}"),
    )
