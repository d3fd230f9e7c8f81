"""The life of a run that is driven from outside, as a table.

A run is ``open`` until the adapter has ended it. Its time runs out once or twice: first it is asked
to cancel and is ``cancelling``, then it is ``abandoned``. Whatever happens, a run is judged once:
by the first step that closes or abandons it. What an adapter still says of a run that is over is
kept, as long as somebody listens, for the rules to find.

    open ──ending──▶ closed          open ──time──▶ cancelling ──time──▶ abandoned
      └──gone, nonsense──▶ closed                        └──ending, gone, nonsense──▶ closed

A count, which nobody can cancel, is given up as soon as its time runs out.

Where several runs share a process, nobody knows which of them it was that broke it. They are all
left (``disturbed``), to be played again one by one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """Where a run stands."""

    OPEN = "open"
    CANCELLING = "cancelling"
    ABANDONED = "abandoned"
    CLOSED = "closed"


class Heard(StrEnum):
    """What can happen to a run."""

    PART = "part"
    NOTICE = "cancelling"  # the adapter says that it has passed a cancellation on
    ENDING = "ending"  # done, unsupported or error
    NONSENSE = "nonsense"  # a line that drive/1 does not allow
    GONE = "gone"  # the process is no more, and it was this run's doing
    DISTURBED = "disturbed"  # the process is no more, or spoke nonsense, and nobody knows for whom
    TIME = "time"  # the clock that was running has run out


class Step(NamedTuple):
    """The state that follows, and what is to be done on the way."""

    to: State
    does: str


_OPEN, _CANCELLING, _ABANDONED, _CLOSED = State

TABLE: dict[State, dict[Heard, Step]] = {
    _OPEN: {
        Heard.PART: Step(_OPEN, "keep"),
        Heard.NOTICE: Step(_OPEN, "note"),
        Heard.ENDING: Step(_CLOSED, "end"),
        Heard.NONSENSE: Step(_CLOSED, "reject"),
        Heard.GONE: Step(_CLOSED, "lose"),
        Heard.DISTURBED: Step(_CLOSED, "leave"),
        Heard.TIME: Step(_CANCELLING, "cancel"),
    },
    _CANCELLING: {
        Heard.PART: Step(_CANCELLING, "keep"),
        Heard.NOTICE: Step(_CANCELLING, "ignore"),
        Heard.ENDING: Step(_CLOSED, "end late"),
        Heard.NONSENSE: Step(_CLOSED, "reject"),
        Heard.GONE: Step(_CLOSED, "lose"),
        Heard.DISTURBED: Step(_CLOSED, "leave"),
        Heard.TIME: Step(_ABANDONED, "abandon"),
    },
    _ABANDONED: dict.fromkeys(Heard, Step(_ABANDONED, "ignore")),
    _CLOSED: {
        **dict.fromkeys(Heard, Step(_CLOSED, "ignore")),
        Heard.PART: Step(_CLOSED, "keep"),
        Heard.ENDING: Step(_CLOSED, "end again"),
    },
}

COUNTS: dict[State, dict[Heard, Step]] = {
    **TABLE,
    _OPEN: {
        **TABLE[_OPEN],
        # What is said of runs only is nonsense before it gets here.
        Heard.PART: Step(_OPEN, "ignore"),
        Heard.NOTICE: Step(_OPEN, "ignore"),
        Heard.TIME: Step(_ABANDONED, "give up"),
    },
    _CLOSED: dict.fromkeys(Heard, Step(_CLOSED, "ignore")),
}
"""The life of a count."""

TABLES = {"run": TABLE, "count": COUNTS}
"""By the type of what the kit asks for."""
