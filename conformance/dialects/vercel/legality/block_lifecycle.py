"""block-lifecycle: a block of text or reasoning starts, grows and ends under one id.

An id may come again once its block has ended, in the next step in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects.openresponses.lifecycles import Machine, walk
from conformance.dialects.vercel.stream import BLOCKS, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.dialects.openresponses.lifecycles import Breach
    from conformance.dialects.vercel.stream import Part, Parts

_BLOCK: Machine = {
    "": {"starts": "open"},
    "open": {"grows": "open", "ends": "ended"},
    "ended": {"starts": "open"},
}

_WHEN = {"": "has not started", "open": "has started already", "ended": "has ended"}


def _check(stream: Parts) -> Iterator[Defect]:
    left: list[Defect] = []
    for (_, kind, id_), several in stream.blocks().items():
        walked = walk(_BLOCK, ((BLOCKS[part.type][1], part) for part in several))
        if walked.breach:
            yield _breach(kind, id_, walked.breach)
        elif walked.state == "open" and not stream.has_failed:
            left.append(_left_open(kind, id_, several))
    yield from left


def _left_open(kind: str, id_: str, several: Sequence[Part]) -> Defect:
    """An end that went to another block is what is wrong with that one."""
    return Defect(
        f"the block of {kind} {id_!r} never ends",
        right=f"{kind}-end with the id of the block",
        about=topics(f"block:{several[-1].n}"),
        event=several[-1].n,
        level="should",
        needs=numbers(several) | _NEEDS | {"end", f"{kind}-end"},
    )


def _breach(kind: str, id_: str, breach: Breach[Part]) -> Defect:
    return Defect(
        f"{breach.event.type} comes when the block of {kind} {id_!r} {_WHEN[breach.state]}",
        right=f"{kind}-start, deltas, {kind}-end, all with the id of the block",
        about=topics(f"block:{breach.event.n}", breach.event.type),
        event=breach.event.n,
        # No client minds, and what the first one said is kept.
        level="should" if breach.step == "starts" else None,
        needs=numbers([breach.event]) | _NEEDS,
    )


_NEEDS = topics("generation", "lost")


RULE = Rule(
    id="block-lifecycle",
    holds="no delta and no end of a text or a reasoning without its start, under the same id; a "
    "block ends in its step, and does not start twice (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_check,
)
