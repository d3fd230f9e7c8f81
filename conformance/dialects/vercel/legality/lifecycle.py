"""Rules on the lifecycles of an answer, a full stream, a UI message and a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.state_machine import Machine, walk
from conformance.dialects.vercel.grammar import (
    ANSWER,
    MESSAGE,
    RUN,
    late_parts,
    missing_end,
    order_defects,
)
from conformance.dialects.vercel.stream import BLOCKS, event_topics
from conformance.findings.finding import Defect, Rule, prose_defect, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.dialects.state_machine import Breach
    from conformance.dialects.vercel.stream import Part, Parts


_RIGHT_ANSWER = "stream-start before what the model says, and once; finish as the last part"


def _answer_lifecycle(stream: Parts) -> Iterator[Defect]:
    """The parts of a provider end with one finish, or with an error."""
    yield from late_parts(stream)
    yield from order_defects(stream, ANSWER, _RIGHT_ANSWER, level="should")
    yield from missing_end(stream)


ANSWER_LIFECYCLE = Rule(
    id="answer-lifecycle",
    holds="finish is once and last, and an error may stand before it or in its place; stream-start "
    "is once and before what the model says, where there is one (should)",
    source="@ai-sdk/provider; ai; observed",
    check=_answer_lifecycle,
)


_RIGHT_RUN = "start; start-step, its parts and finish-step, as often as there are steps; finish"
_OF_AI_4 = "step-start, its parts and step-finish, as often as there are steps; finish"


def _run_lifecycle(stream: Parts) -> Iterator[Defect]:
    """A full stream starts, has its content in steps, and finishes once."""
    yield from late_parts(stream)
    if stream.is_ai_4:
        yield from order_defects(stream, RUN, _OF_AI_4, state="begun")
    else:
        yield from order_defects(stream, RUN, _RIGHT_RUN)
    yield from missing_end(stream)


RUN_LIFECYCLE = Rule(
    id="run-lifecycle",
    holds="start is first (ai 4 has none); what the model says stands in steps that start and "
    "finish; finish is once, outside of steps, and last; abort or an error may end it too",
    source="ai; AI SDK Core § streamText; observed",
    check=_run_lifecycle,
)


_RIGHT_MESSAGE = "start; start-step, its parts and finish-step, as often as there are steps; finish"


def _message_lifecycle(stream: Parts) -> Iterator[Defect]:
    """A UI message starts, has its content in steps, and finishes.

    Start, steps and finish are optional for clients, and applications that write messages leave
    them out. Parts after a finish would be added to a message that is complete.
    """
    yield from late_parts(stream)
    yield from order_defects(stream, MESSAGE, _RIGHT_MESSAGE, level="should")
    yield from missing_end(stream, level="should")


MESSAGE_LIFECYCLE = Rule(
    id="message-lifecycle",
    holds="nothing but data-* follows finish or abort; start is first, steps start and finish, and "
    "something says how the message ended (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_message_lifecycle,
)


_BLOCK: Machine = {
    "": {"starts": "open"},
    "open": {"grows": "open", "ends": "ended"},
    "ended": {"starts": "open"},
}

_WHEN = {"": "has not started", "open": "has started already", "ended": "has ended"}


def _block_lifecycle(stream: Parts) -> Iterator[Defect]:
    """A block of text or reasoning starts, grows and ends under one id.

    An id may be used again after its block has ended, and in the next step.
    """
    left: list[Defect] = []
    for (_, kind, id_), several in stream.blocks().items():
        walked = walk(_BLOCK, ((BLOCKS[part.type][1], part) for part in several))
        if walked.breach:
            yield _breach(kind, id_, walked.breach)
        elif walked.state == "open" and not stream.has_failed:
            left.append(_left_open(kind, id_, several))
    yield from left


def _left_open(kind: str, id_: str, several: Sequence[Part]) -> Defect:
    """A block that never ends; an end under another id is a defect of that other block."""
    return prose_defect(
        f"the block of {kind} {id_!r} never ends",
        right=f"{kind}-end with the id of the block",
        about=topics(f"block:{several[-1].n}"),
        event=several[-1].n,
        level="should",
        needs=event_topics(several) | _NEEDS | {"end", f"{kind}-end"},
    )


def _breach(kind: str, id_: str, breach: Breach[Part]) -> Defect:
    return prose_defect(
        f"{breach.event.type} comes when the block of {kind} {id_!r} {_WHEN[breach.state]}",
        right=f"{kind}-start, deltas, {kind}-end, all with the id of the block",
        about=topics(f"block:{breach.event.n}", breach.event.type),
        event=breach.event.n,
        # Clients accept it, and keep the text so far.
        level="should" if breach.step == "starts" else None,
        needs=event_topics([breach.event]) | _NEEDS,
    )


_NEEDS = topics("generation", "lost")


BLOCK_LIFECYCLE = Rule(
    id="block-lifecycle",
    holds="no delta and no end of a text or a reasoning without its start, under the same id; a "
    "block ends in its step, and does not start twice (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_block_lifecycle,
)
