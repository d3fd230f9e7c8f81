"""The interface of drivers, and what they share: outcomes, time limits, and a lock.

Runs share the lock; a run that is to be the only one in flight holds it alone.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

from conformance.contract.notes import error_class, exception_in, first_seen
from conformance.contract.transcript import End, Incident, Transcript, Verdict
from conformance.dialects.short_text import first_line
from conformance.drivers.recorder import MAX_PARTS, Recorder
from conformance.findings.values import EndedValue


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run or a count: its verdict, the endings that the adapter sent, and notes.

    ``counted`` is the ``counted`` message of a count that was answered (verdict ``completed``).
    ``incidents`` are what the adapter's process did since the last run and no run can be blamed
    for, or why this one was lost (verdict ``not-run``). ``busy`` is, for a run that exceeded its
    limit, the share of the seconds before in which the adapter's threads ran, or waited for a
    processor or a disk; None if it is not known.
    """

    verdict: Verdict
    ends: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
    counted: Mapping[str, Any] | None = None
    incidents: tuple[Incident, ...] = ()
    busy: float | None = None


Place = Literal["beside others", "alone", "fresh"]
"""Where a run is played: beside others, alone in flight, or alone in a process of its own."""

START_SECONDS = 30.0
"""Seconds that an adapter may take to start: to answer hello, or to listen on its port."""

CLOSED = "the suite was stopped"

Overhear = Callable[[str, bytes], None]
"""Called with each line of drive/1 and its direction: ``→`` to the adapter, ``←`` from it."""


def hello_of_program(name: str) -> Mapping[str, Any]:
    """A ``hello`` message for an adapter that sends none: the name of its program, no version."""
    me = {"name": name, "version": ""}
    return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}


def escape_messages(names: Iterable[str]) -> Iterator[str]:
    """Messages about processes outside of the adapter's process group that were ended with it."""
    for name in dict.fromkeys(names):
        yield (
            f"{name} was still running outside of the adapter's process group when the adapter had "
            "ended, and was ended: an adapter ends what it has started before it exits"
        )


def not_run(why: object, recorder: Recorder) -> Outcome:
    """The outcome of a run that could not begin."""
    return close_run(Outcome("not-run", notes=(str(why),)), recorder)


def close_run(outcome: Outcome, recorder: Recorder) -> Outcome:
    """Stop recording and return the outcome, or ``broke-protocol`` if there were too many parts."""
    recorder.close()
    if not recorder.flooded:
        return outcome
    flood = f"it emitted more than {MAX_PARTS:,} parts, more than any answer has"
    notes = (flood, *outcome.notes)
    return replace(outcome, verdict="broke-protocol", notes=notes)


GRACE = 0.5
"""The least time, in seconds, that a run has to answer its cancellation."""


def grace_of(seconds: float) -> float:
    """The seconds that a run with this limit has to answer its cancellation."""
    return max(GRACE, seconds / 10)


class Limit:
    """A limit of so many seconds, from now on.

    ``upstream_seconds`` gives the time that the upstream has taken for its part so far: pauses and
    checkpoints of the scenario, and its own delays. This time does not count.
    """

    def __init__(self, seconds: float, upstream_seconds: Callable[[], float] = lambda: 0.0) -> None:
        self._until = time.monotonic() + seconds
        self._upstream_seconds = upstream_seconds

    def left(self) -> float:
        """The seconds that are left; negative once the limit is exceeded."""
        return self._until + self._upstream_seconds() - time.monotonic()


_MAX_REASON = 160


def ended_value(outcome: Outcome | Transcript) -> EndedValue:
    """The verdict, with what the adapter reported, or else what it raised and what the kit saw."""
    error = outcome.ends[0].error if outcome.ends else None
    reason = error.message if error else ""
    if not reason.strip():
        raised = exception_in(outcome.notes) if outcome.verdict == "crashed" else ""
        reason = "; ".join(filter(None, (raised, first_seen(outcome.notes))))
    return EndedValue(outcome.verdict, first_line(reason, _MAX_REASON), error_class(reason))


class Driver(Protocol):
    """A connection to one adapter."""

    def hello(self) -> Mapping[str, Any]:
        """The adapter's ``hello`` message. Raises AdapterError if it cannot be driven."""

    def run(self, message: Mapping[str, Any], recorder: Recorder, place: Place = ...) -> Outcome:
        """Drive one run (a drive/1 ``run`` message); parts go to the recorder as they come.

        If runs share a process, a run may be lost because of another: its verdict is ``not-run``,
        and it is to be played again, ``fresh``.

        The recorder's ``on_end`` is called when the adapter has ended the run, before anything that
        it has left running is ended: connections that are open then are held open by the adapter.
        """

    def cancel(self, id_: str) -> None:
        """Cancel the run with this id, from any thread, without waiting.

        The moment at which the adapter gets the cancellation goes to the run's recorder; a run that
        has ended by then is not cancelled.
        """

    async def catch_up(self) -> None:
        """Wait until what the adapter has written so far is recorded; on any event loop.

        Where parts are recorded as they are emitted, there is nothing to wait for.
        """
        return

    def close(self) -> None:
        """End the adapter and its runs in flight, from any thread; it is not started again."""

    def left_behind(self) -> Sequence[str]:
        """What no run could report: messages about what the adapter did last, or left running."""
        return ()


@runtime_checkable
class Counter(Driver, Protocol):
    """A connection to an adapter that can be asked to count tokens."""

    def count(self, message: Mapping[str, Any]) -> Outcome:
        """Ask for one count (a drive/1 ``count`` message), while no run is in flight."""

    def restart(self) -> None:
        """End the adapter and start it again. Raises AdapterError."""


class Sharing:
    """A lock with shared and exclusive holders; a waiting exclusive one goes first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._leaving_alone = 0
        self._is_exclusive = False

    @contextmanager
    def hold(self, *, alone: bool) -> Iterator[None]:
        """Hold the lock: together with other shared holders or, once they have left it, alone."""
        with self._changed:
            self._changed.wait_for(lambda: not (self._is_exclusive or self._leaving_alone))
            if alone:
                self._is_exclusive = True
                self._changed.wait_for(lambda: not self._count)
            else:
                self._count += 1
        try:
            yield
        finally:
            with self._changed:
                if alone:
                    self._is_exclusive = False
                else:
                    self._count -= 1
                self._changed.notify_all()

    @contextmanager
    def leave_alone(self, seconds: float) -> Iterator[bool]:
        """As a holder, wait at most so long until the others have left it, and let none in.

        Yields whether there were others. Holders that wait for the same do not wait for each other.
        """
        with self._changed:
            self._leaving_alone += 1
            self._changed.notify_all()
            had_others = self._count > self._leaving_alone
            self._changed.wait_for(lambda: self._count <= self._leaving_alone, seconds)
        try:
            yield had_others
        finally:
            with self._changed:
                self._leaving_alone -= 1
                self._changed.notify_all()
