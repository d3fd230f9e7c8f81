"""A run or count in flight: its states as a table, to which messages and the deadline are applied.

A run is ``open`` until the adapter has ended it. When its time runs out, the adapter is asked to
cancel it (``cancelling``); when that time runs out too, it is ``abandoned``. The verdict is decided
once, by the first step that closes or abandons the run. Later messages about it are recorded while
they can be read, for the rules to judge.

    open ──ending──▶ closed          open ──time──▶ cancelling ──time──▶ abandoned
      └──gone, nonsense──▶ closed                        └──ending, gone, nonsense──▶ closed

A count cannot be cancelled, so it is given up as soon as its time runs out.

In the last seconds of its time, it is measured how busy the adapter is. If several runs share a
process, a run whose time has run out is first ``left alone`` with it for a while, since others
would hide what this one does.

If several runs share a process that breaks, it is not known which one broke it. All of them are
closed as ``disturbed``, and are played again one by one, each in a fresh process. One whose time
had run out has hung nevertheless, if it is known that another run broke the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from conformance.contract.notes import stderr_note
from conformance.contract.transcript import VERDICTS, End, Incident, Verdict, end_of
from conformance.drivers.activity import Activity, Threads
from conformance.drivers.driver import Limit, Outcome, grace_of
from conformance.drivers.messages import ENDINGS, why_no_answer
from conformance.drivers.recorder import Recorder


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


UNANSWERED = "the adapter did not answer a count in its time"

LeaveAlone = Callable[[float], AbstractContextManager[bool]]
"""Waits at most so many seconds until a run has no others beside it; says whether it had any."""

_MAX_TRACE = 4000
EVENT_OF_MESSAGE: Mapping[str, RunEvent] = {
    "part": RunEvent.PART,
    "cancelling": RunEvent.NOTICE,
    **{type_: RunEvent.ENDING for endings in ENDINGS.values() for type_ in endings},
}
"""The event that a message about a run or a count stands for, by the type of the message."""


class Flight:
    """A run or count from its message to its outcome.

    Events are applied on one thread and the verdict is awaited on another. ``cancel`` sends a
    cancellation to the adapter, ``threads`` finds the adapter's threads.
    """

    def __init__(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        cancel: Callable[[], None],
        threads: Threads | None = None,
    ) -> None:
        self.id: str = message["id"]
        self._message = message
        self._table = TABLES[message["type"]]
        self._recorder = recorder
        self._ask_to_cancel = cancel
        self._state = State.OPEN
        seconds = message["deadline_ms"] / 1000
        self._seconds = seconds
        self._grace = grace_of(seconds)
        self._limit = Limit(seconds, recorder.upstream_seconds)
        self._activity = Activity(threads, seconds)
        self._busy: float | None = None
        self._next = 0
        self._was_answered = False
        self._ends: list[End] = []
        self._outcome: Outcome | None = None
        self._changed = threading.Condition()

    def apply_message(self, message: Mapping[str, Any]) -> None:
        """Apply a valid message of the adapter about this run."""
        if wrong := why_no_answer(self._message, message):
            self.apply(RunEvent.NONSENSE, wrong)
        else:
            self.apply(EVENT_OF_MESSAGE[message["type"]], message)

    def apply(self, event: RunEvent, value: Any = None) -> None:
        """Take one step of the table.

        ``value`` is the message, the reason why a line is invalid or a run is lost, or the incident
        by which it is lost.
        """
        with self._changed:
            step = self._table[self._state][event]
            self._was_answered = self._was_answered or event in EVENT_OF_MESSAGE.values()
            self._state = step.to
            step.action(self, value)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Ask the adapter to cancel, if the run is open."""
        # Without the lock, for which an adapter that answers at once would have to wait.
        if self._state is State.OPEN:
            self._ask_to_cancel()

    def wait_for_verdict(self, left_alone: LeaveAlone | None = None) -> Verdict:
        """Wait for the verdict: at most for the deadline, and for that of the cancellation.

        ``left_alone`` makes the run the only one of its process, after its time has run out.
        """
        if left_alone and self._is_out_of_time():
            with left_alone(self._seconds) as had_others:
                if had_others:
                    self._begin_last_seconds()
                self._wait_while(self.seconds_left)
        else:
            self._wait_while(self.seconds_left)
        assert self._outcome is not None
        return self._outcome.verdict

    def _is_out_of_time(self) -> bool:
        """Wait for the verdict or the limit; whether the limit came first."""
        self._wait_while(lambda: max(0.0, self._limit.left()))
        return self._outcome is None

    def _begin_last_seconds(self) -> None:
        """Give the run as much more time as it takes to see how busy it is."""
        self._activity.restart()
        upstream = self._recorder.upstream_seconds
        self._limit = Limit(self._activity.window - upstream(), upstream)

    def _wait_while(self, seconds_left: Callable[[], float]) -> None:
        """Wait for the verdict while seconds are left, and watch the adapter meanwhile."""
        while left := seconds_left():
            pause = self._activity.look(left) if self._state is State.OPEN else left
            with self._changed:
                if self._outcome is None:
                    self._changed.wait(pause)
                else:
                    return

    def seconds_left(self) -> float:
        """The seconds of the current state, which ends if there are none; 0 with a verdict."""
        with self._changed:
            while self._outcome is None:
                if (left := self._limit.left()) > 0:
                    return left
                self.apply(RunEvent.TIME)
            return 0.0

    @property
    def was_answered(self) -> bool:
        """Whether the adapter has sent any message about this run."""
        return self._was_answered

    @property
    def name(self) -> str:
        """The case of the run."""
        return self._recorder.name

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None if the run is open."""
        return self._outcome.verdict if self._outcome else None

    def outcome(self, stderr: str, *, shared: bool = False) -> Outcome:
        """The outcome, with all endings, including those after the one that counts, and stderr.

        ``shared`` is whether the process wrote to stderr during other runs as well.
        """
        with self._changed:
            assert self._outcome is not None
            return replace(
                self._outcome,
                busy=self._busy,
                ends=tuple(self._ends) or self._outcome.ends,
                notes=(*self._outcome.notes, *stderr_note(stderr, shared=shared)),
            )

    # The actions of steps

    def _record_part(self, message: Mapping[str, Any]) -> None:
        if message["n"] != self._next and self._outcome is None:
            self._state = State.CLOSED
            self._reject(
                f"its part {message['n']} came where part {self._next} was due: n counts the parts "
                "of a run from 0"
            )
            return
        self._next += 1
        self._recorder.emit(message["part"])

    def _record_cancel(self, _message: Mapping[str, Any]) -> None:
        self._recorder.cancel()

    def _end(self, message: Mapping[str, Any]) -> None:
        end = end_of(message, self._recorder.now())
        self._ends.append(end)
        trace = message.get("traceback")
        notes = (trace[-_MAX_TRACE:],) if trace else ()
        counted = message if message["type"] == "counted" else None
        self._outcome = Outcome(VERDICTS[end.outcome], (end,), notes, counted)

    def _end_late(self, message: Mapping[str, Any]) -> None:
        self._end(message)
        assert self._outcome is not None
        self._outcome = replace(self._outcome, verdict="timed-out")

    def _end_again(self, message: Mapping[str, Any]) -> None:
        self._ends.append(end_of(message, self._recorder.now()))

    def _reject(self, why: str) -> None:
        self._outcome = Outcome("broke-protocol", notes=(why,))

    def _lose(self, why: str) -> None:
        self._outcome = Outcome("crashed", notes=(why,))

    def _hang(self, why: str | Incident) -> None:
        self._leave(why)
        if isinstance(why, str):
            self._outcome = Outcome("hung", notes=(why,))

    def _leave(self, why: str | Incident) -> None:
        if isinstance(why, Incident):
            self._outcome = Outcome("not-run", notes=(why.what,), incidents=(why,))
        else:
            self._outcome = Outcome("not-run", notes=(why,))

    def _cancel(self, _: None) -> None:
        self._busy = self._activity.busy
        self._limit = Limit(self._grace)
        self._ask_to_cancel()

    def _abandon(self, _: None) -> None:
        self._outcome = Outcome("hung", notes=("the adapter did not answer its cancellation",))

    def _give_up(self, _: None) -> None:
        self._outcome = Outcome("hung", notes=(UNANSWERED,))

    def _ignore(self, _: Any) -> None:
        pass


class Step(NamedTuple):
    """A step of the table: the next state, and the action, which gets the value of the event."""

    to: State
    action: Callable[[Flight, Any], None]


_OPEN, _CANCELLING, _ABANDONED, _CLOSED = State

RUN_TABLE: dict[State, dict[RunEvent, Step]] = {
    _OPEN: {
        RunEvent.PART: Step(_OPEN, Flight._record_part),
        RunEvent.NOTICE: Step(_OPEN, Flight._record_cancel),
        RunEvent.ENDING: Step(_CLOSED, Flight._end),
        RunEvent.NONSENSE: Step(_CLOSED, Flight._reject),
        RunEvent.GONE: Step(_CLOSED, Flight._lose),
        RunEvent.DISTURBED: Step(_CLOSED, Flight._leave),
        RunEvent.TIME: Step(_CANCELLING, Flight._cancel),
    },
    _CANCELLING: {
        RunEvent.PART: Step(_CANCELLING, Flight._record_part),
        RunEvent.NOTICE: Step(_CANCELLING, Flight._ignore),
        RunEvent.ENDING: Step(_CLOSED, Flight._end_late),
        RunEvent.NONSENSE: Step(_CLOSED, Flight._reject),
        RunEvent.GONE: Step(_CLOSED, Flight._lose),
        RunEvent.DISTURBED: Step(_CLOSED, Flight._hang),
        RunEvent.TIME: Step(_ABANDONED, Flight._abandon),
    },
    _ABANDONED: dict.fromkeys(RunEvent, Step(_ABANDONED, Flight._ignore)),
    _CLOSED: {
        **dict.fromkeys(RunEvent, Step(_CLOSED, Flight._ignore)),
        RunEvent.PART: Step(_CLOSED, Flight._record_part),
        RunEvent.ENDING: Step(_CLOSED, Flight._end_again),
    },
}

COUNT_TABLE: dict[State, dict[RunEvent, Step]] = {
    **RUN_TABLE,
    _OPEN: {
        **RUN_TABLE[_OPEN],
        # Messages about runs are rejected before they get here.
        RunEvent.PART: Step(_OPEN, Flight._ignore),
        RunEvent.NOTICE: Step(_OPEN, Flight._ignore),
        RunEvent.TIME: Step(_ABANDONED, Flight._give_up),
    },
    _CLOSED: dict.fromkeys(RunEvent, Step(_CLOSED, Flight._ignore)),
}
"""The states of a count."""

TABLES = {"run": RUN_TABLE, "count": COUNT_TABLE}
"""The tables by the type of the kit's message."""
