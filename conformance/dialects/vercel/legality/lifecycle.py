"""Rules on the lifecycles of an answer, a full stream, a UI message and a block.

They are state machines in tables. Parts in ``_ASIDE`` may come anywhere between the first part and
the last.
"""

from collections.abc import Iterator

from conformance.dialects import wire
from conformance.dialects.state_machine import Machine, walk
from conformance.dialects.vercel.stream import BLOCKS, FOLLOWS_CALL, Part, Parts
from conformance.dialects.wire import event_topics
from conformance.findings.finding import Defect, Kind, Level, rule, topics

_RUN: Machine = {
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

_ANSWER: Machine = {
    "": {"stream-start": "begun", "aside": "", "content": "begun", "finish": "over"},
    "begun": {"aside": "begun", "content": "begun", "finish": "over"},
    "over": {},
}
"""The parts of a provider, in the gateway dialect."""

_MESSAGE: Machine = {
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
# Results of calls of an earlier answer come before the first step.
_ASIDE = FOLLOWS_CALL | {
    "error", "raw", "ping", "steering-message", "message-metadata", "response-metadata",
    "tool-approval-response",
}  # fmt: skip


def _step_of(part: Part) -> str:
    """The step of a part in the state machines; most are ``content`` or ``aside``."""
    if part.type in _OWN_STEP:
        return _STEPS.get(part.type, part.type)
    return "aside" if part.type in _ASIDE or part.type.startswith("data-") else "content"


class _OutOfOrder(Kind):
    type: str
    state: str

    message = "{type} comes {state:phrase}"
    same_by = ("type", "state")
    phrases = {
        "state": {
            "": "as the first part",
            "begun": "when it has begun",
            "between": "in no step",
            "step": "in a step that has not finished",
        }
    }


class OutOfAnswer(_OutOfOrder):
    """A part of a provider's answer comes where it may not come."""

    right = "stream-start before what the model says, and once; finish as the last part"


class OutOfStep(_OutOfOrder):
    """A part comes where the steps of a run or of a message do not allow it."""

    right = "start; start-step, its parts and finish-step, as often as there are steps; finish"


class OutOfStepInAi4(_OutOfOrder):
    """A part comes where the steps of a run of ai 4 do not allow it."""

    right = "step-start, its parts and step-finish, as often as there are steps; finish"


_NEEDS = topics("generation", "lost")


def _order_defects(
    stream: Parts,
    machine: Machine,
    kind: type[_OutOfOrder],
    *,
    state: str = "",
    level: Level | None = None,
) -> Iterator[Defect]:
    """The first part that breaks the order of a machine, which starts in ``state``."""
    breach = walk(machine, ((_step_of(part), part) for part in stream.parts), state).breach
    if breach:
        part = breach.event
        about, needs = topics("order", "end"), event_topics([part]) | _NEEDS
        yield Defect(kind(part.type, breach.state), about, part.n, level=level, needs=needs)


class AfterEnd(Kind):
    """Parts come after the one that ends the answer."""

    type: str
    end: str
    more: int

    message = "{type} comes behind {end}[[ (and {more} more)]]"
    right = "nothing behind finish or abort but [DONE]"
    same_by = ("type", "end")


def _late_parts(stream: Parts) -> Iterator[Defect]:
    """Parts after the ending, except ``data-*``, which an application may add to its message."""
    after = [part for part in stream.late if not part.type.startswith("data-")]
    if after and stream.ending:
        kind = AfterEnd(after[0].type, stream.ending.type, len(after) - 1)
        needs = topics(*(f"{what}:{part.n}" for part in after for what in ("event", "late")))
        yield from wire.late(after, kind, needs)


class NotEnded(Kind):
    """No part says how the answer ended."""

    last: str

    message = "the stream ends[[ behind {last}]], and nothing says how it ended"
    right = "finish as the last part; an error or an abort may stand in its place"
    same_by = ("last",)


def _missing_end(stream: Parts, *, level: Level | None = None) -> Iterator[Defect]:
    """A stream whose last part is neither an ending nor an error."""
    last = stream.parts[-1] if stream.parts else None
    if stream.ending or (last and last.type == "error"):
        return
    end = wire.last_number(stream.sent)
    needs = _NEEDS | topics("end", f"data:{end}", f"event:{end}")
    kind = NotEnded(last.type if last else "")
    yield Defect(kind, topics("end"), end, level=level, needs=needs)


@rule(
    holds="finish is once and last, and an error may stand before it or in its place; stream-start "
    "is once and before what the model says, where there is one (should)",
    source="@ai-sdk/provider; ai; observed",
    kinds=(AfterEnd, OutOfAnswer, NotEnded),
)
def answer_lifecycle(stream: Parts) -> Iterator[Defect]:
    yield from _late_parts(stream)
    yield from _order_defects(stream, _ANSWER, OutOfAnswer, level="should")
    yield from _missing_end(stream)


@rule(
    holds="start is first (ai 4 has none); what the model says stands in steps that start and "
    "finish; finish is once, outside of steps, and last; abort or an error may end it too",
    source="ai; AI SDK Core § streamText; observed",
    kinds=(AfterEnd, OutOfStep, OutOfStepInAi4, NotEnded),
)
def run_lifecycle(stream: Parts) -> Iterator[Defect]:
    yield from _late_parts(stream)
    if stream.is_ai_4:
        yield from _order_defects(stream, _RUN, OutOfStepInAi4, state="begun")
    else:
        yield from _order_defects(stream, _RUN, OutOfStep)
    yield from _missing_end(stream)


@rule(
    holds="nothing but data-* follows finish or abort; start is first, steps start and finish, and "
    "something says how the message ended (should)",
    source="AI SDK UI § Stream Protocols; ai",
    kinds=(AfterEnd, OutOfStep, NotEnded),
)
def message_lifecycle(stream: Parts) -> Iterator[Defect]:
    """A UI message starts, has its content in steps, and finishes.

    Start, steps and finish are optional for clients, and applications that write messages leave
    them out. Parts after a finish would be added to a message that is complete.
    """
    yield from _late_parts(stream)
    yield from _order_defects(stream, _MESSAGE, OutOfStep, level="should")
    yield from _missing_end(stream, level="should")


_BLOCK: Machine = {
    "": {"starts": "open"},
    "open": {"grows": "open", "ends": "ended"},
    "ended": {"starts": "open"},
}


class _OfBlock(Kind):
    type: str
    block: str
    id: str

    right = "{block}-start, deltas, {block}-end, all with the id of the block"
    same_by = ("type",)


class NotStarted(_OfBlock):
    """A delta or an end of a block comes before its start."""

    message = "{type} comes when the block of {block} {id!r} has not started"
    headline = "{type} before its block {id!r} starts"


class StartedAgain(_OfBlock):
    """A block starts when it has started already."""

    message = "{type} comes when the block of {block} {id!r} has started already"


class AfterItsEnd(_OfBlock):
    """A delta or an end of a block comes after its end."""

    message = "{type} comes when the block of {block} {id!r} has ended"


class NeverEnds(Kind):
    """A block never ends."""

    block: str
    id: str

    message = "the block of {block} {id!r} never ends"
    right = "{block}-end with the id of the block"
    same_by = ("block",)


_OUT_OF_ORDER: dict[str, type[_OfBlock]] = {
    "": NotStarted,
    "open": StartedAgain,
    "ended": AfterItsEnd,
}


@rule(
    holds="no delta and no end of a text or a reasoning without its start, under the same id; a "
    "block ends in its step, and does not start twice (should)",
    source="AI SDK UI § Stream Protocols; ai",
    kinds=(NotStarted, StartedAgain, AfterItsEnd, NeverEnds),
)
def block_lifecycle(stream: Parts) -> Iterator[Defect]:
    """A block of text or reasoning starts, grows and ends under one id.

    An id may be used again after its block has ended, and in the next step.
    """
    left: list[Defect] = []
    for (_, kind, id_), several in stream.blocks().items():
        walked = walk(_BLOCK, ((BLOCKS[part.type][1], part) for part in several))
        if breach := walked.breach:
            part = breach.event
            # Clients accept a second start, and keep the text so far.
            level: Level | None = "should" if breach.step == "starts" else None
            about, needs = topics(f"block:{part.n}", part.type), event_topics([part]) | _NEEDS
            out_of_order = _OUT_OF_ORDER[breach.state](part.type, kind, id_)
            yield Defect(out_of_order, about, part.n, level=level, needs=needs)
        elif walked.state == "open" and not stream.has_failed:
            last = several[-1].n
            # An end under another id is a defect of that other block.
            needs = event_topics(several) | _NEEDS | {"end", f"{kind}-end"}
            about = topics(f"block:{last}")
            left.append(Defect(NeverEnds(kind, id_), about, last, level="should", needs=needs))
    yield from left
