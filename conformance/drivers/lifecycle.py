"""The states of a run in an adapter process, as a table.

A run is ``open`` until the adapter has ended it. When its time runs out, the adapter is asked to
cancel it (``cancelling``); when that time runs out too, it is ``abandoned``. The verdict is decided
once, by the first step that closes or abandons the run. Later messages about it are recorded while
they can be read, for the rules to judge.

    open ──ending──▶ closed          open ──time──▶ cancelling ──time──▶ abandoned
      └──gone, nonsense──▶ closed                        └──ending, gone, nonsense──▶ closed

A count cannot be cancelled, so it is given up as soon as its time runs out.

If several runs share a process that breaks, it is not known which one broke it. All of them are
closed as ``disturbed``, and are played again one by one, each in a fresh process.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class State(StrEnum):
    """The state of a run."""

    OPEN = "open"
    CANCELLING = "cancelling"
    ABANDONED = "abandoned"
    CLOSED = "closed"


class RunEvent(StrEnum):
    """What can happen to a run."""

    PART = "part"
    NOTICE = "cancelling"  # the adapter reports that it has passed a cancellation on
    ENDING = "ending"  # done, unsupported or error
    NONSENSE = "nonsense"  # a line that drive/1 does not allow
    GONE = "gone"  # the process has ended because of this run
    DISTURBED = "disturbed"  # the process has ended or sent an invalid line, for an unknown run
    TIME = "time"  # the time of the current state has run out


class Step(NamedTuple):
    """A step of the table: the next state, and the name of the action (see ``flight``)."""

    to: State
    action: str


_OPEN, _CANCELLING, _ABANDONED, _CLOSED = State

RUN_TABLE: dict[State, dict[RunEvent, Step]] = {
    _OPEN: {
        RunEvent.PART: Step(_OPEN, "keep"),
        RunEvent.NOTICE: Step(_OPEN, "note"),
        RunEvent.ENDING: Step(_CLOSED, "end"),
        RunEvent.NONSENSE: Step(_CLOSED, "reject"),
        RunEvent.GONE: Step(_CLOSED, "lose"),
        RunEvent.DISTURBED: Step(_CLOSED, "leave"),
        RunEvent.TIME: Step(_CANCELLING, "cancel"),
    },
    _CANCELLING: {
        RunEvent.PART: Step(_CANCELLING, "keep"),
        RunEvent.NOTICE: Step(_CANCELLING, "ignore"),
        RunEvent.ENDING: Step(_CLOSED, "end late"),
        RunEvent.NONSENSE: Step(_CLOSED, "reject"),
        RunEvent.GONE: Step(_CLOSED, "lose"),
        RunEvent.DISTURBED: Step(_CLOSED, "leave"),
        RunEvent.TIME: Step(_ABANDONED, "abandon"),
    },
    _ABANDONED: dict.fromkeys(RunEvent, Step(_ABANDONED, "ignore")),
    _CLOSED: {
        **dict.fromkeys(RunEvent, Step(_CLOSED, "ignore")),
        RunEvent.PART: Step(_CLOSED, "keep"),
        RunEvent.ENDING: Step(_CLOSED, "end again"),
    },
}

COUNT_TABLE: dict[State, dict[RunEvent, Step]] = {
    **RUN_TABLE,
    _OPEN: {
        **RUN_TABLE[_OPEN],
        # Messages about runs are rejected before they get here.
        RunEvent.PART: Step(_OPEN, "ignore"),
        RunEvent.NOTICE: Step(_OPEN, "ignore"),
        RunEvent.TIME: Step(_ABANDONED, "give up"),
    },
    _CLOSED: dict.fromkeys(RunEvent, Step(_CLOSED, "ignore")),
}
"""The states of a count."""

TABLES = {"run": RUN_TABLE, "count": COUNT_TABLE}
"""The tables by the type of the kit's message."""
