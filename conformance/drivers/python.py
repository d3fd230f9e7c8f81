"""Drives an adapter that is a Python object, on a thread and an event loop of its own.

A run that does not end by its deadline is asked to cancel, then its task is cancelled, then it is
abandoned with its thread, and the next run gets a new thread. Whatever an adapter does to its own
thread, including sys.exit(), ends one run and does not affect others.
"""

import asyncio
import concurrent.futures
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from conformance.contract.transcript import VERDICTS, end_of
from conformance.drivers.driver import START_SECONDS, Limit, Outcome, close_run, grace_of
from conformance.drivers.flight import UNANSWERED
from conformance.drivers.incidents import IncidentLog, describe_incident
from conformance.drivers.loop_thread import GRACE, LoopThread
from conformance.drivers.messages import ENDINGS, why_invalid, why_no_answer
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError

_BLOCKED_SECONDS = 1.0
_BLOCKS = "the adapter blocked its event loop"
_MAX_TRACE = 4000
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


class Counting(Adapter, Protocol):
    """An adapter that claims ``count: true``."""

    def count(self, asked: dict[str, Any]) -> Awaitable[dict[str, Any]]:
        """Count a conversation's tokens and return ``counted``, ``unsupported`` or ``error``."""


def _trace(error: BaseException) -> str:
    """The end of a traceback, without the driver's frame, which is the first."""
    own = error.__traceback__.tb_next if error.__traceback__ else None
    return "".join(traceback.format_exception(type(error), error, own))[-_MAX_TRACE:].rstrip()


def describe_exception(error: BaseException) -> str:
    """An exception's type and message, in one line."""
    return traceback.format_exception_only(error)[-1].strip()


class PythonDriver:
    """Drives an adapter in Python, one run after the other."""

    def __init__(
        self,
        adapter: Adapter,
        make_again: Callable[[], Adapter] | None = None,
        hello_seconds: float = START_SECONDS,
    ) -> None:
        """``make_again`` makes the adapter again for a restart; without it, the object is kept."""
        self._hello_seconds = hello_seconds
        self._adapter = adapter
        self._make_again = make_again or (lambda: adapter)
        self._thread: LoopThread | None = None
        self._abandoned: list[LoopThread] = []
        self._in_flight: tuple[_Flight, LoopThread] | None = None
        self._incidents = IncidentLog()

    def hello(self) -> Mapping[str, Any]:
        future = self._current_thread().submit(self._hello())
        if not concurrent.futures.wait([future], self._hello_seconds).done:
            self._abandon_thread(blocked=True)
            raise AdapterError(
                f"its hello() did not return within {self._hello_seconds:g} seconds "
                "(--start-deadline allows more)"
            )
        if error := future.exception():
            raise AdapterError(f"its hello() raised {describe_exception(error)}") from error
        if wrong := why_invalid(answer := future.result(), "hello"):
            raise AdapterError(f"its hello() returned {wrong}")
        return answer

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = True,
        fresh: bool = False,
    ) -> Outcome:
        del alone, fresh  # One run after the other, in the kit's own process.
        thread = self._current_thread()
        recorder.begin()
        recorder.on_late = partial(self._keep_late_part, recorder.name)
        flight = _Flight(self._adapter, dict(message), recorder)
        self._in_flight = flight, thread
        try:
            outcome = flight.await_outcome(thread.submit(flight.play()))
            ended()
            thread.submit(flight.sweep()).result(GRACE + _BLOCKED_SECONDS)
        except TimeoutError:
            self._abandon_thread(blocked=True)
            outcome = Outcome("hung", notes=(_BLOCKS,))
        finally:
            self._in_flight = None
        if outcome.verdict == "hung":
            # What it does afterwards is part of that.
            recorder.on_late = lambda: None
            self._abandon_thread()
        return self._incidents.report(close_run(outcome, recorder), recorder)

    def _keep_late_part(self, name: str) -> None:
        self._incidents.keep(self._incidents.make("late-message", "a part", after=name))

    def count(self, message: Mapping[str, Any]) -> Outcome:
        seconds = message["deadline_ms"] / 1000
        asked = self._current_thread().submit(_count(self._adapter, dict(message), seconds))
        try:
            outcome = asked.result(seconds + GRACE + _BLOCKED_SECONDS)
        except TimeoutError:
            self._abandon_thread(blocked=True)
            return Outcome("hung", notes=(_BLOCKS,))
        if outcome.verdict == "hung":
            self._abandon_thread()
        return outcome

    def restart(self) -> None:
        self._abandon_thread()
        self._adapter = self._make_again()

    def cancel(self, id_: str) -> None:
        # An answer to an earlier run may still reach a checkpoint of that run.
        if self._in_flight and self._in_flight[0].id == id_:
            flight, thread = self._in_flight
            thread.call(flight.cancel)

    async def catch_up(self) -> None:
        """Do nothing: parts are recorded as they are emitted."""

    def close(self) -> None:
        self._abandon_thread()
        for thread in self._abandoned:
            thread.join(_BLOCKED_SECONDS)

    def left_behind(self) -> Sequence[str]:
        return tuple(map(describe_incident, self._incidents.take()))

    def _current_thread(self) -> LoopThread:
        self._thread = self._thread or LoopThread("streamproof-adapter")
        return self._thread

    def _abandon_thread(self, *, blocked: bool = False) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._abandoned.append(thread)
            thread.leave()
            if blocked:
                thread.interrupt()

    async def _hello(self) -> dict[str, Any]:
        return self._adapter.hello()


class _Flight:
    """One run of an adapter, on the adapter's event loop."""

    def __init__(self, adapter: Adapter, message: dict[str, Any], recorder: Recorder) -> None:
        # A copy, since the adapter may change its message.
        self.id: str = message["id"]
        self._original_message = dict(message)
        seconds: float = message["deadline_ms"] / 1000
        self._limit, self._grace = Limit(seconds, recorder.upstream_seconds), grace_of(seconds)
        self._adapter = adapter
        self._message = message
        self._recorder = recorder
        self._cancel = asyncio.Event()
        self._over = False
        self._before: set[asyncio.Task[Any]] = set()

    async def play(self) -> Outcome:
        """Run the adapter, and stop it at its limit."""
        self._before = asyncio.all_tasks()
        run = asyncio.ensure_future(self._await_adapter())
        while not run.done() and (left := self._limit.left()) > 0:
            await asyncio.wait([run], timeout=left)
        return run.result() if run.done() else await self._stop(run)

    def await_outcome(self, playing: concurrent.futures.Future[Outcome]) -> Outcome:
        """Wait for ``play`` on another thread. Raises TimeoutError if the adapter blocks that."""
        while not playing.done():
            left = self._limit.left() + 2 * self._grace + _BLOCKED_SECONDS
            if left <= 0:
                raise TimeoutError
            concurrent.futures.wait([playing], timeout=left)
        return playing.result()

    def cancel(self) -> None:
        """Set the adapter's cancel event and record the moment (``cancelling`` in drive/1)."""
        if not self._over:
            self._cancel.set()
            self._recorder.cancel()

    async def sweep(self) -> None:
        """Give tasks that the run left running ``GRACE`` seconds, then cancel them."""
        left = asyncio.all_tasks() - self._before - {asyncio.current_task()}
        tasks = [task for task in left if task is not None]
        if not tasks:
            return
        _, pending = await asyncio.wait(tasks, timeout=GRACE)
        for task in pending:
            task.cancel()

    async def _await_adapter(self) -> Outcome:
        """Await the adapter, and take the time of the ending before any other task can run."""
        recorder = self._recorder
        try:
            result = await self._adapter.run(self._message, recorder.emit, self._cancel)
        except _ERRORS as error:
            return _outcome_of_error(error, recorder.now())
        finally:
            self._over = True
        return _outcome_of_result(self._original_message, result, recorder.now())

    async def _stop(self, run: asyncio.Future[Outcome]) -> Outcome:
        """Ask a run that has passed its deadline to stop, then cancel its task."""
        self._over = True
        self._cancel.set()
        await asyncio.wait([run], timeout=self._grace)
        if run.done():
            return replace(run.result(), verdict="timed-out")
        run.cancel()
        await asyncio.wait([run], timeout=self._grace)
        return Outcome("hung", notes=("the adapter did not answer its cancellation",))


async def _count(adapter: Any, message: dict[str, Any], seconds: float) -> Outcome:
    """Ask an adapter for a count, and cancel it after so many seconds."""
    if not callable(getattr(adapter, "count", None)):
        return Outcome("unsupported", notes=("the adapter has no method 'count'",))
    answer = asyncio.ensure_future(_call_count(adapter, message))
    await asyncio.wait([answer], timeout=seconds)
    if answer.done():
        return answer.result()
    answer.cancel()
    await asyncio.wait([answer], timeout=GRACE)
    return Outcome("hung", notes=(UNANSWERED,))


async def _call_count(adapter: Counting, message: dict[str, Any]) -> Outcome:
    try:
        return _outcome_of_result(message, await adapter.count(dict(message)), 0.0)
    except _ERRORS as error:
        return _outcome_of_error(error, 0.0)


def _outcome_of_error(error: BaseException, at: float) -> Outcome:
    end = end_of({"type": "error", "message": describe_exception(error)}, at)
    return Outcome("crashed", (end,), (_trace(error),))


def _outcome_of_result(asked: Mapping[str, Any], result: Any, at: float) -> Outcome:
    """The outcome of the message that ``run()`` or ``count()`` returned."""
    wrong = why_invalid(result, *ENDINGS[asked["type"]])
    if not wrong and result["id"] != asked["id"]:
        wrong = f"the ending of another {asked['type']}, {result['id']!r}"
    if wrong := wrong or why_no_answer(asked, result):
        return Outcome("broke-protocol", notes=(f"{asked['type']}() returned {wrong}",))
    end = end_of(result, at)
    trace = (result["traceback"][-_MAX_TRACE:],) if result.get("traceback") else ()
    counted = result if result["type"] == "counted" else None
    return Outcome(VERDICTS[end.outcome], (end,), trace, counted)
