"""Drives an adapter that is a Python object, on threads and event loops of its own.

Each run in flight has an adapter object, a thread and an event loop to itself, so one that blocks,
exits or hangs does not end the others. The adapters of a session are made by the same factory and
share what their modules share. The first takes the counts and the runs that are played alone.

A run that does not answer its cancellation has its task cancelled, and is abandoned with its
thread: the next one gets a new thread. Whatever an adapter does to its own thread, including
sys.exit(), ends one run and does not affect others.
"""

import asyncio
import concurrent.futures
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from conformance.drivers.activity import Threads, threads_of_python
from conformance.drivers.driver import (
    CLOSED,
    START_SECONDS,
    Counter,
    Outcome,
    Place,
    Sharing,
    close_run,
    not_run,
)
from conformance.drivers.flight import Flight, RunEvent
from conformance.drivers.incidents import IncidentLog, describe_incident
from conformance.drivers.loop_thread import GRACE, LoopThread
from conformance.drivers.messages import ENDINGS, why_invalid, why_no_answer
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError

_BLOCKED_SECONDS = 1.0
_BLOCKS = "the adapter blocked its event loop"
# asyncio.CancelledError is raised if a task that the adapter awaits was cancelled.
_ERRORS = (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt)

Emit = Callable[[dict[str, Any]], None]


class Adapter(Protocol):
    """The interface of an adapter in Python: the messages of drive/1 as methods."""

    def hello(self) -> dict[str, Any]:
        """The ``hello`` message: the name and version of the adapter and of the implementation."""

    def run(
        self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event
    ) -> Awaitable[dict[str, Any]]:
        """Play one run, emit its parts, and return ``done``, ``unsupported`` or ``error``."""


def describe_exception(error: BaseException) -> str:
    """An exception's type and message, in one line."""
    return traceback.format_exception_only(error)[-1].strip()


class _Stage:
    """An adapter, and the thread on which it plays one run after the other."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self._thread: LoopThread | None = None
        self._left: list[LoopThread] = []

    @property
    def thread(self) -> LoopThread:
        """The thread, started if there is none."""
        self._thread = self._thread or LoopThread("streamproof-adapter")
        return self._thread

    def leave_thread(self, *, blocked: bool = False) -> None:
        """Abandon the thread with everything on it; the next run gets another."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._left.append(thread)
            thread.leave()
            if blocked:
                thread.interrupt()

    def close(self) -> None:
        """End the thread, and wait a while for it and for all that were abandoned."""
        self.leave_thread()
        for thread in self._left:
            thread.join(_BLOCKED_SECONDS)

    def hello(self, seconds: float) -> Mapping[str, Any]:
        """The adapter's ``hello`` message. Raises AdapterError."""
        future = self.thread.submit(self._hello())
        if not concurrent.futures.wait([future], seconds).done:
            self.leave_thread(blocked=True)
            raise AdapterError(
                f"its hello() did not return within {seconds:g} seconds "
                "(--start-deadline allows more)"
            )
        if error := future.exception():
            raise AdapterError(f"its hello() raised {describe_exception(error)}") from error
        if wrong := why_invalid(answer := future.result(), "hello"):
            raise AdapterError(f"its hello() returned {wrong}")
        return answer

    async def _hello(self) -> dict[str, Any]:
        return self.adapter.hello()


class _Run:
    """A run or a count of an adapter, on the adapter's event loop."""

    def __init__(
        self, stage: _Stage, message: Mapping[str, Any], recorder: Recorder, threads: Threads | None
    ) -> None:
        self._stage, self._thread, self._adapter = stage, stage.thread, stage.adapter
        self._message, self._recorder = message, recorder
        threads = threads or (lambda: threads_of_python(self._thread.native_id))
        cancel = partial(self._thread.call, self._cancel_adapter)
        self.flight = Flight(message, recorder, cancel, threads)
        self._cancel = asyncio.Event()
        self._before: set[asyncio.Task[Any]] = set()

    def play_to_end(self) -> Outcome:
        """Play it on the adapter's thread, and wait for its outcome on this one."""
        # Submitting fails if the driver is closed meanwhile, which gives the run its verdict.
        with suppress(RuntimeError, concurrent.futures.CancelledError):
            self._thread.submit(self._play())
            self.flight.wait_for_verdict()
            self._recorder.on_end()
            try:
                self._thread.submit(self._sweep()).result(GRACE + _BLOCKED_SECONDS)
            except TimeoutError:
                self._stage.leave_thread(blocked=True)
                return Outcome("hung", notes=(_BLOCKS,), busy=self.flight.outcome("").busy)
        outcome = self.flight.outcome("")
        if outcome.verdict == "hung":
            self._stage.leave_thread()
        return outcome

    def _cancel_adapter(self) -> None:
        self._cancel.set()
        self.flight.apply(RunEvent.NOTICE)

    async def _play(self) -> None:
        """Call the adapter, and cancel the call if it does not answer its cancellation."""
        self._before = asyncio.all_tasks()
        call = asyncio.ensure_future(self._call_adapter())
        while not call.done() and (left := self.flight.seconds_left()):
            await asyncio.wait([call], timeout=left)
        call.cancel()

    async def _call_adapter(self) -> None:
        """Call the adapter, and apply its ending before any other task can run."""
        adapter: Any = self._adapter
        # A copy, since the adapter may change its message.
        asked, type_ = dict(self._message), self._message["type"]
        try:
            if type_ == "run":
                result = await adapter.run(asked, self._recorder.emit, self._cancel)
            else:
                result = await adapter.count(asked)
        except _ERRORS as error:
            # Without the driver's frame, which is the first.
            own = error.__traceback__.tb_next if error.__traceback__ else None
            trace = "".join(traceback.format_exception(type(error), error, own)).rstrip()
            result = {"type": "error", "message": describe_exception(error), "traceback": trace}
        else:
            if wrong := _why_no_ending(self._message, result):
                self.flight.apply(RunEvent.NONSENSE, f"{type_}() returned {wrong}")
                return
        self.flight.apply(RunEvent.ENDING, result)

    async def _sweep(self) -> None:
        """Give tasks that the run left running ``GRACE`` seconds, then cancel them."""
        left = asyncio.all_tasks() - self._before - {asyncio.current_task()}
        tasks = [task for task in left if task is not None]
        if tasks:
            _, pending = await asyncio.wait(tasks, timeout=GRACE)
            for task in pending:
                task.cancel()


def _why_no_ending(asked: Mapping[str, Any], result: Any) -> str:
    """Why what ``run()`` or ``count()`` returned does not end it; empty if it does."""
    if wrong := why_invalid(result, *ENDINGS[asked["type"]]):
        return wrong
    if result["id"] != asked["id"]:
        return f"the ending of another {asked['type']}, {result['id']!r}"
    return why_no_answer(asked, result)


class PythonDriver(Counter):
    """Drives an adapter in Python; ``run`` may be called from as many threads as it claims."""

    def __init__(
        self,
        adapter: Adapter,
        make_again: Callable[[], Adapter] | None = None,
        hello_seconds: float = START_SECONDS,
        threads: Threads | None = None,
    ) -> None:
        """``make_again`` makes one more adapter; without it, all runs are played by the object.

        ``threads`` finds the threads of a program that the adapter only asks; by default they are
        those of this process.
        """
        self._threads = threads
        self._make = make_again or (lambda: adapter)
        self._hello_seconds = hello_seconds
        self._stages = [_Stage(adapter)]
        self._idle = list(self._stages)
        self._changing = threading.Lock()
        self._flights: dict[str, Flight] = {}
        self._closed = False
        self._sharing = Sharing()
        self._incidents = IncidentLog()

    def hello(self) -> Mapping[str, Any]:
        return self._stages[0].hello(self._hello_seconds)

    def run(
        self, message: Mapping[str, Any], recorder: Recorder, place: Place = "beside others"
    ) -> Outcome:
        with self._sharing.hold(alone=place != "beside others"):
            if (stage := self._take()) is None:
                return not_run(CLOSED, recorder)
            try:
                outcome = self._play(stage, message, recorder)
            finally:
                self._give_back(stage)
        return self._incidents.report(close_run(outcome, recorder), recorder)

    def _play(self, stage: _Stage, message: Mapping[str, Any], recorder: Recorder) -> Outcome:
        recorder.begin()
        late = partial(self._incidents.make, "late-message", "a part", after=recorder.name)
        recorder.on_late = lambda: self._incidents.keep(late())
        run = _Run(stage, message, recorder, self._threads)
        self._flights[run.flight.id] = run.flight
        if self._closed:
            run.flight.apply(RunEvent.DISTURBED, CLOSED)
        try:
            outcome = run.play_to_end()
        finally:
            del self._flights[run.flight.id]
        if outcome.verdict == "hung":
            # What it does afterwards is part of that.
            recorder.on_late = lambda: None
        return outcome

    def count(self, message: Mapping[str, Any]) -> Outcome:
        if not callable(getattr(self._stages[0].adapter, "count", None)):
            return Outcome("unsupported", notes=("the adapter has no method 'count'",))
        return self.run(message, Recorder(), "alone")

    def restart(self) -> None:
        with self._sharing.hold(alone=True):
            self._stages[0].leave_thread()
            self._stages[0].adapter = self._make()

    def cancel(self, id_: str) -> None:
        # An answer to an earlier run may still reach a checkpoint of that run.
        if flight := self._flights.get(id_):
            flight.cancel()

    def close(self) -> None:
        with self._changing:
            self._closed = True
        for flight in list(self._flights.values()):
            flight.apply(RunEvent.DISTURBED, CLOSED)
        for stage in self._stages:
            stage.close()

    def left_behind(self) -> Sequence[str]:
        return tuple(map(describe_incident, self._incidents.take()))

    def _take(self) -> _Stage | None:
        """A stage that has no run in flight, the first if it has none; None when closed."""
        with self._changing:
            if self._closed:
                return None
            if self._idle:
                return self._idle.pop()
        stage = _Stage(self._make())
        stage.hello(self._hello_seconds)
        with self._changing:
            self._stages.append(stage)
        return stage

    def _give_back(self, stage: _Stage) -> None:
        with self._changing:
            self._idle.append(stage)
            self._idle.sort(key=self._stages.index, reverse=True)
            closed = self._closed
        if closed:
            # Its run may have begun when the others were ended.
            stage.close()
