"""The lifecycles of a response, an item, a part and a call, as tables.

A machine maps a state and what comes next to the state that follows; what is not in it is a breach.
The first state of each is the empty word: nothing has been said yet.

Source: OpenResponses, "Items" and its streaming diagram, which shows one item at a time. Here each
item and each part has a machine of its own, because nothing forbids that they interleave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

E = TypeVar("E")

Machine = Mapping[str, Mapping[str, str]]

RESPONSE: Machine = {
    "": {"created": "created"},
    "created": {"queued": "queued", "in_progress": "working"},
    # queued may also stand in the place of in_progress
    "queued": {"in_progress": "working", "work": "working", "end": "over"},
    "working": {"work": "working", "end": "over"},
    "over": {},
}

ITEM: Machine = {
    "": {"added": "open"},
    "open": {"child": "open", "done": "closed"},
    "closed": {},
}

# A part may open and close without a word; what has begun to grow must be said in whole.
PART: Machine = {
    "": {"added": "open"},
    "open": {"delta": "growing", "said": "said", "closed": "closed"},
    "growing": {"delta": "growing", "said": "said"},
    "said": {"closed": "closed"},
    "closed": {},
}

# Arguments may come whole, without a delta.
CALL: Machine = {
    "": {"delta": "growing", "said": "said"},
    "growing": {"delta": "growing", "said": "said"},
    "said": {},
}


@dataclass(frozen=True, slots=True)
class Breach(Generic[E]):
    """What came in a state in which it may not come."""

    state: str
    step: str
    event: E


@dataclass(frozen=True, slots=True)
class Walk(Generic[E]):
    """The state in which a machine ended, or the breach at which it stopped."""

    state: str
    breach: Breach[E] | None = None


def walk(machine: Machine, steps: Iterable[tuple[str, E]], state: str = "") -> Walk[E]:
    """Take a machine through its steps, up to the first breach."""
    for step, event in steps:
        after = machine[state].get(step)
        if after is None:
            return Walk(state, Breach(state, step, event))
        state = after
    return Walk(state)


@dataclass(frozen=True, slots=True)
class Role:
    """What an event does in the life of its part: the list that holds the part, and the step."""

    where: str
    index: str
    step: str
    # The field that holds the text, and the types that a part of such text may have
    text: str = ""
    parts: frozenset[str] = frozenset()


def _streamed(name: str, where: str, text: str, *parts: str) -> dict[str, Role]:
    index, kinds = f"{where}_index", frozenset(parts)
    return {
        f"{name}.delta": Role(where, index, "delta", "delta", kinds),
        f"{name}.done": Role(where, index, "said", text, kinds),
    }


ROLES: dict[str, Role] = {
    "response.content_part.added": Role("content", "content_index", "added"),
    "response.content_part.done": Role("content", "content_index", "closed"),
    "response.output_text.annotation.added": Role("content", "content_index", "cited"),
    "response.reasoning_summary_part.added": Role("summary", "summary_index", "added"),
    "response.reasoning_summary_part.done": Role("summary", "summary_index", "closed"),
    **_streamed("response.output_text", "content", "text", "output_text", "text"),
    **_streamed("response.refusal", "content", "refusal", "refusal"),
    **_streamed("response.reasoning", "content", "text", "reasoning_text", "text"),
    **_streamed("response.reasoning_text", "content", "text", "reasoning_text", "text"),
    **_streamed("response.reasoning_summary_text", "summary", "text", "summary_text"),
    **_streamed("response.reasoning_summary", "summary", "text", "summary_text"),
}
"""The events that open, grow and close parts."""
