"""Drives an adapter that is a Python object, on a thread and an event loop of its own.

The clock is here: a run that does not end by its deadline is asked to cancel, then cancelled, then
left behind with its thread, and the next run gets a fresh one. What an adapter does to its own
thread, sys.exit() included, ends one run and harms no other.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from conformance.contract.transcript import VERDICTS, end_of
from conformance.drivers.driver import Outcome, settled
from conformance.drivers.flight import UNANSWERED
from conformance.drivers.loading import why
from conformance.drivers.loop_thread import GRACE, LoopThread
from conformance.drivers.messages import ENDINGS, departure, missed
from mockserver.faults import AdapterError

if TYPE_CHECKING:
    from conformance.drivers.recorder import Recorder

_BLOCKED = 1.0
_BLOCKS = "the adapter blocked its event loop"
_HELLO_SECONDS = 10.0
_MOST_TRACE = 4000
# asyncio.CancelledError is the adapter's too, where an await of its own was cancelled.
_RAISED = (Exception, asyncio.CancelledError, SystemExit, KeyboardInterrupt)

Emit = Callable[[dict[str, Any]], None]


class Adapter(Protocol):
    """What an adapter in Python is: the drive/1 verbs as methods."""

    def hello(self) -> dict[str, Any]:
        """The ``hello`` answer: the adapter's and the implementation's name and version."""

    def run(
        self, run: dict[str, Any], emit: Emit, cancel: asyncio.Event
    ) -> Awaitable[dict[str, Any]]:
        """Play one run, emit its parts, return ``done``, ``unsupported`` or ``error``."""


class Counting(Adapter, Protocol):
    """An adapter that claims ``count: true``."""

    def count(self, asked: dict[str, Any]) -> Awaitable[dict[str, Any]]:
        """Count a conversation, return ``counted``, ``unsupported`` or ``error``."""


def _trace(error: BaseException) -> str:
    """The adapter's own frames: the first one is the driver's."""
    own = error.__traceback__.tb_next if error.__traceback__ else None
    return "".join(traceback.format_exception(type(error), error, own))[-_MOST_TRACE:].rstrip()


class PythonDriver:
    """Runs an adapter's coroutines one after the other."""

    def __init__(self, adapter: Adapter, again: Callable[[], Adapter] | None = None) -> None:
        """``again`` makes the adapter anew, for a restart; without it, it stays the same."""
        self._adapter = adapter
        self._again = again or (lambda: adapter)
        self._thread: LoopThread | None = None
        self._left: list[LoopThread] = []
        self._in_flight: tuple[_Flight, LoopThread] | None = None

    def hello(self) -> Mapping[str, Any]:
        future = self._running().submit(self._hello())
        if not concurrent.futures.wait([future], _HELLO_SECONDS).done:
            self._leave(blocked=True)
            raise AdapterError(f"its hello() did not return within {_HELLO_SECONDS:.0f} seconds")
        if error := future.exception():
            raise AdapterError(f"its hello() raised {why(error)}") from error
        if wrong := departure(answer := future.result(), "hello"):
            raise AdapterError(f"its hello() returned {wrong}")
        return answer

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = True,
    ) -> Outcome:
        del alone  # Its runs always are.
        thread = self._running()
        flight = _Flight(self._adapter, dict(message), recorder)
        self._in_flight = flight, thread
        try:
            outcome = thread.submit(flight.play()).result(flight.seconds + 2 * GRACE + _BLOCKED)
            ended()
            thread.submit(flight.sweep()).result(GRACE + _BLOCKED)
        except TimeoutError:
            self._leave(blocked=True)
            outcome = Outcome("hung", notes=(_BLOCKS,))
        finally:
            self._in_flight = None
        if outcome.verdict == "hung":
            self._leave()
        return settled(outcome, recorder)

    def count(self, message: Mapping[str, Any]) -> Outcome:
        seconds = message["deadline_ms"] / 1000
        asked = self._running().submit(_counted(self._adapter, dict(message), seconds))
        try:
            outcome = asked.result(seconds + GRACE + _BLOCKED)
        except TimeoutError:
            self._leave(blocked=True)
            return Outcome("hung", notes=(_BLOCKS,))
        if outcome.verdict == "hung":
            self._leave()
        return outcome

    def restart(self) -> None:
        self._leave()
        self._adapter = self._again()

    def cancel(self, id_: str) -> None:
        # An answer to a run that is long over may still reach a checkpoint of that run.
        if self._in_flight and self._in_flight[0].id == id_:
            flight, thread = self._in_flight
            thread.call(flight.cancel)

    def close(self) -> None:
        self._leave()
        for thread in self._left:
            thread.join(_BLOCKED)

    def _running(self) -> LoopThread:
        self._thread = self._thread or LoopThread("streamproof-adapter")
        return self._thread

    def _leave(self, *, blocked: bool = False) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._left.append(thread)
            thread.leave()
            if blocked:
                thread.interrupt()

    async def _hello(self) -> dict[str, Any]:
        return self._adapter.hello()


class _Flight:
    """One run of an adapter, on the adapter's loop."""

    def __init__(self, adapter: Adapter, message: dict[str, Any], recorder: Recorder) -> None:
        # The adapter may do to its message what it likes.
        self.id: str = message["id"]
        self._asked = dict(message)
        self.seconds: float = message["deadline_ms"] / 1000
        self._adapter = adapter
        self._message = message
        self._recorder = recorder
        self._cancel = asyncio.Event()
        self._over = False
        self._before: set[asyncio.Task[Any]] = set()

    async def play(self) -> Outcome:
        """Let the adapter play, and stop it at its deadline."""
        self._before = asyncio.all_tasks()
        run = asyncio.ensure_future(self._ended())
        await asyncio.wait([run], timeout=self.seconds)
        return run.result() if run.done() else await self._stopped(run)

    def cancel(self) -> None:
        """Set the adapter's event; drive/1's ``cancelling`` is this moment."""
        if not self._over:
            self._cancel.set()
            self._recorder.cancel()

    async def sweep(self) -> None:
        """Give tasks that the run left behind a moment to show themselves, then end them."""
        left = asyncio.all_tasks() - self._before - {asyncio.current_task()}
        tasks = [task for task in left if task is not None]
        if not tasks:
            return
        _, pending = await asyncio.wait(tasks, timeout=GRACE)
        for task in pending:
            task.cancel()

    async def _ended(self) -> Outcome:
        """Await the adapter; the ending is timed here, before any other task can go on."""
        recorder = self._recorder
        try:
            result = await self._adapter.run(self._message, recorder.emit, self._cancel)
        except _RAISED as error:
            return _raised(error, recorder.now())
        finally:
            self._over = True
        return _returned(self._asked, result, recorder.now())

    async def _stopped(self, run: asyncio.Future[Outcome]) -> Outcome:
        """Ask a run that is over its deadline to stop, then make it."""
        self._over = True
        self._cancel.set()
        await asyncio.wait([run], timeout=GRACE)
        if run.done():
            return replace(run.result(), verdict="timed-out")
        run.cancel()
        await asyncio.wait([run], timeout=GRACE)
        return Outcome("hung", notes=("the adapter did not answer its cancellation",))


async def _counted(adapter: Any, message: dict[str, Any], seconds: float) -> Outcome:
    """Ask an adapter for a count; one that takes too long is stopped."""
    if not callable(getattr(adapter, "count", None)):
        return Outcome("unsupported", notes=("the adapter has no method 'count'",))
    answer = asyncio.ensure_future(_answered(adapter, message))
    await asyncio.wait([answer], timeout=seconds)
    if answer.done():
        return answer.result()
    answer.cancel()
    await asyncio.wait([answer], timeout=GRACE)
    return Outcome("hung", notes=(UNANSWERED,))


async def _answered(adapter: Counting, message: dict[str, Any]) -> Outcome:
    try:
        return _returned(message, await adapter.count(dict(message)), 0.0)
    except _RAISED as error:
        return _raised(error, 0.0)


def _raised(error: BaseException, at: float) -> Outcome:
    end = end_of({"type": "error", "message": why(error)}, at)
    return Outcome("crashed", (end,), (_trace(error),))


def _returned(asked: Mapping[str, Any], result: Any, at: float) -> Outcome:
    """What a method's answer comes to."""
    wrong = departure(result, *ENDINGS[asked["type"]])
    if not wrong and result["id"] != asked["id"]:
        wrong = f"the ending of another {asked['type']}, {result['id']!r}"
    if wrong := wrong or missed(asked, result):
        return Outcome("broke-protocol", notes=(f"{asked['type']}() returned {wrong}",))
    end = end_of(result, at)
    trace = (result["traceback"][-_MOST_TRACE:],) if result.get("traceback") else ()
    counted = result if result["type"] == "counted" else None
    return Outcome(VERDICTS[end.outcome], (end,), trace, counted)
