"""The order of the parts of an answer, as state machines in tables, and checks of it.

A machine maps a state and a step to the next state; a step that is not listed is a breach. Parts in
``_ASIDE`` may come anywhere between the first part and the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects import wire
from conformance.dialects.state_machine import Machine, walk
from conformance.dialects.vercel.stream import event_topics
from conformance.findings.finding import Defect, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.state_machine import Breach
    from conformance.dialects.vercel.stream import Part, Parts
    from conformance.findings.finding import Level

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
"""A full stream since ai 5; in ai 4, it begins with the first step."""

ANSWER: Machine = {
    "": {"stream-start": "begun", "aside": "", "content": "begun", "finish": "over"},
    "begun": {"aside": "begun", "content": "begun", "finish": "over"},
    "over": {},
}
"""The parts of a provider, in the gateway dialect."""

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
"""A UI message; parts that an application adds itself are outside of steps."""

_STEPS = {"step-start": "start-step", "step-finish": "finish-step"}
_OWN_STEP = frozenset(
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
        # Results of calls of an earlier answer come before the first step.
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
    """The step of a part in the state machines; most are ``content`` or ``aside``."""
    if part.type in _OWN_STEP:
        return _STEPS.get(part.type, part.type)
    return "aside" if part.type in _ASIDE or part.type.startswith("data-") else "content"


_WHEN = {
    "": "as the first part",
    "begun": "when it has begun",
    "between": "in no step",
    "step": "in a step that has not finished",
}

_NEEDS = topics("generation", "lost")


def order_defects(
    stream: Parts, machine: Machine, right: str, *, state: str = "", level: Level | None = None
) -> Iterator[Defect]:
    """The first part that breaks the order of a machine, which starts in ``state``."""
    breach = walk(machine, ((step_of(part), part) for part in stream.parts), state).breach
    if breach:
        yield _breach(breach, right, level)


def _breach(breach: Breach[Part], right: str, level: Level | None) -> Defect:
    part = breach.event
    return prose_defect(
        f"{part.type} comes {_WHEN[breach.state]}",
        right=right,
        about=topics("order", "end"),
        event=part.n,
        level=level,
        needs=event_topics([part]) | _NEEDS,
    )


def late_parts(stream: Parts) -> Iterator[Defect]:
    """Parts after the ending, except ``data-*``, which an application may add to its message."""
    after = [part for part in stream.late if not part.type.startswith("data-")]
    if after and stream.ending:
        yield from wire.late(
            after,
            f"{after[0].type} comes behind {stream.ending.type}",
            "nothing behind finish or abort but [DONE]",
            topics(*(f"{what}:{part.n}" for part in after for what in ("event", "late"))),
        )


def missing_end(stream: Parts, *, level: Level | None = None) -> Iterator[Defect]:
    """A stream whose last part is neither an ending nor an error."""
    last = stream.parts[-1] if stream.parts else None
    if stream.ending or (last and last.type == "error"):
        return
    end = next((one.n for one in reversed(stream.sent) if one.kind in ("event", "raw")), None)
    after = f" behind {last.type}" if last else ""
    yield prose_defect(
        f"the stream ends{after}, and nothing says how it ended",
        right="finish as the last part; an error or an abort may stand in its place",
        about=topics("end"),
        event=end,
        level=level,
        needs=topics("end", "generation", "lost", f"data:{end}", f"event:{end}"),
    )
