"""A request's conversation in neutral form: what was said, called, answered and thought, in order.

Every dialect reads its requests into this, so that the choice of a turn and the rules about what an
adapter sends back see no dialect at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "developer", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Said:
    """A message's text; what else it holds (images, files) is not in it."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A tool call that goes back to the model that made it; ``arguments`` are as they were sent."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool's result: ``output`` is what stands in the request.

    ``name`` is the tool's: None where the dialect's results need none and this has none, and empty
    where one was due.
    """

    id: str
    output: Any
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning that goes back: what was shown of it, and what only the upstream can read."""

    text: str = ""
    opaque: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the model said and the upstream keeps, under the upstream's own id."""

    id: str


Entry = Said | Called | Answered | Thought | Kept


def last_user_text(conversation: Sequence[Entry]) -> str:
    """The last text of a user; empty where none has one."""
    users = (e.text for e in reversed(conversation) if isinstance(e, Said) and e.role == "user")
    return next(users, "")


def ends_with_tool_result(conversation: Sequence[Entry]) -> bool:
    """Is a tool's result the last word?"""
    return bool(conversation) and isinstance(conversation[-1], Answered)


def model_turns(conversation: Sequence[Entry]) -> int:
    """How often the model has spoken: what it says in one go counts once."""
    model = [is_from_model(entry) for entry in conversation]
    return sum(now and not before for before, now in zip([False, *model], model, strict=False))


def is_from_model(entry: Entry) -> bool:
    """Is it the model that said this?"""
    return isinstance(entry, Called | Thought | Kept) or (
        isinstance(entry, Said) and entry.role == "assistant"
    )


def unanswered(conversation: Sequence[Entry]) -> list[str]:
    """The ids of calls without a result, where the conversation has gone on behind them."""
    answers = {entry.id for entry in conversation if isinstance(entry, Answered)}
    last = max((n for n, e in enumerate(conversation) if not isinstance(e, Called)), default=-1)
    return [
        entry.id
        for n, entry in enumerate(conversation)
        if isinstance(entry, Called) and entry.id not in answers and n < last
    ]


def uncalled(conversation: Sequence[Entry]) -> list[str]:
    """The ids of results that answer no call before them, or one that had its result."""
    open_: Counter[str] = Counter()
    wrong = []
    for entry in conversation:
        if isinstance(entry, Called):
            open_[entry.id] = 1
        elif isinstance(entry, Answered):
            if not open_[entry.id]:
                wrong.append(entry.id)
            open_[entry.id] = 0
    return wrong
