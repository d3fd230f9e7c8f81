"""One run in flight, or one count: what an adapter's lines and the clock make of it (``life``)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.contract.transcript import VERDICTS, End, Verdict, end_of
from conformance.drivers.child import GRACE
from conformance.drivers.driver import Outcome
from conformance.drivers.lifecycle import TABLES, Heard, State
from conformance.drivers.messages import ENDINGS, missed

if TYPE_CHECKING:
    from conformance.drivers.recorder import Recorder

UNANSWERED = "the adapter did not answer a count in its time"

_MOST_TRACE = 4000
HEARD: Mapping[str, Heard] = {
    "part": Heard.PART,
    "cancelling": Heard.NOTICE,
    **{type_: Heard.ENDING for endings in ENDINGS.values() for type_ in endings},
}
"""What an adapter says of a run or a count by its id, by the types of its messages."""


class Flight:
    """A run from its message to its outcome; heard of on one thread, waited for on another."""

    def __init__(
        self, message: Mapping[str, Any], recorder: Recorder, cancel: Callable[[], None]
    ) -> None:
        self.id: str = message["id"]
        self._asked = message
        self._table = TABLES[message["type"]]
        self._recorder = recorder
        self._ask_to_cancel = cancel
        self._state = State.OPEN
        self._until = time.monotonic() + message["deadline_ms"] / 1000
        self._next = 0
        self._heard_of = False
        self._ends: list[End] = []
        self._outcome: Outcome | None = None
        self._changed = threading.Condition()

    def told(self, message: Mapping[str, Any]) -> None:
        """Take a valid message of the adapter's about this run."""
        if wrong := missed(self._asked, message):
            self.hear(Heard.NONSENSE, wrong)
        else:
            self.hear(HEARD[message["type"]], message)

    def hear(self, heard: Heard, value: Any = None) -> None:
        """Take one step. ``value`` is the message, or why a line is nonsense or a run is lost."""
        with self._changed:
            step = self._table[self._state][heard]
            self._heard_of = self._heard_of or heard in HEARD.values()
            self._state = step.to
            _DOES[step.does](self, value)
            self._changed.notify_all()

    def cancel(self) -> None:
        """Ask the adapter to cancel, if the run is open."""
        with self._changed:
            if self._state is State.OPEN:
                self._ask_to_cancel()

    def landed(self) -> Verdict:
        """Wait for the verdict, which comes at the latest when the clock has run out twice."""
        with self._changed:
            while self._outcome is None:
                left = self._until - time.monotonic()
                if left <= 0:
                    self.hear(Heard.TIME)
                else:
                    self._changed.wait(left)
            return self._outcome.verdict

    @property
    def was_heard_of(self) -> bool:
        """Has the adapter said anything of this run?"""
        return self._heard_of

    def outcome(self, stderr: str) -> Outcome:
        """How it went, with endings that were said behind the one that counts, and with stderr."""
        with self._changed:
            assert self._outcome is not None
            notes = (f"on stderr it said:\n{stderr}",) if stderr else ()
            return replace(
                self._outcome,
                ends=tuple(self._ends) or self._outcome.ends,
                notes=(*self._outcome.notes, *notes),
            )

    # What steps do

    def _keep(self, message: Mapping[str, Any]) -> None:
        if message["n"] != self._next and self._outcome is None:
            self._state = State.CLOSED
            self._reject(f"its part {message['n']} came where part {self._next} was due")
            return
        self._next += 1
        self._recorder.emit(message["part"])

    def _note(self, _message: Mapping[str, Any]) -> None:
        self._recorder.cancel()

    def _end(self, message: Mapping[str, Any]) -> None:
        end = end_of(message, self._recorder.now())
        self._ends.append(end)
        trace = message.get("traceback")
        notes = (trace[-_MOST_TRACE:],) if trace else ()
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

    def _leave(self, why: str) -> None:
        self._outcome = Outcome("not-run", notes=(why,))

    def _cancel(self, _: None) -> None:
        self._until = time.monotonic() + GRACE
        self._ask_to_cancel()

    def _abandon(self, _: None) -> None:
        self._outcome = Outcome("hung", notes=("the adapter did not answer its cancellation",))

    def _give_up(self, _: None) -> None:
        self._outcome = Outcome("hung", notes=(UNANSWERED,))

    def _ignore(self, _: Any) -> None:
        pass


_DOES: dict[str, Callable[[Flight, Any], None]] = {
    "keep": Flight._keep,
    "note": Flight._note,
    "end": Flight._end,
    "end late": Flight._end_late,
    "end again": Flight._end_again,
    "reject": Flight._reject,
    "lose": Flight._lose,
    "leave": Flight._leave,
    "cancel": Flight._cancel,
    "abandon": Flight._abandon,
    "give up": Flight._give_up,
    "ignore": Flight._ignore,
}
