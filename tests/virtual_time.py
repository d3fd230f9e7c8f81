"""An event loop in the calling thread, whose clock advances only when nothing is ready to run.

A pause or a deadline is over as soon as everything else waits, so it costs no time and does not
depend on the load of the machine. Times are still distinct and in order.
"""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

from conformance.drivers import python as driver

_GRACE = 0.5
_TICK = 1e-6

_T = TypeVar("_T")


@contextmanager
def virtual_time() -> Iterator[None]:
    """Python adapters that are first driven inside this block are in virtual time."""
    clock = _Clock()
    with (
        patch.object(time, "monotonic", clock),
        patch.object(driver, "LoopThread", lambda _name: _Loop(clock)),
    ):
        yield


def restart_clock() -> None:
    """Set the clock of the enclosing block to 0, between two runs."""
    clock: Any = time.monotonic
    clock.now = 0.0


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += _TICK
        return self.now


class _Selector(selectors.SelectSelector):
    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits, and nothing has a deadline")
        self._clock.now += max(0.0, timeout)
        return []


class _EventLoop(asyncio.SelectorEventLoop):
    def __init__(self, clock: _Clock) -> None:
        super().__init__(_Selector(clock))
        self.time = clock  # type: ignore[method-assign]


class _Loop:
    """A replacement of a driver's ``LoopThread`` without a thread."""

    def __init__(self, clock: _Clock) -> None:
        self._loop = _EventLoop(clock)

    def submit(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """The future of a coroutine that has already ended."""
        future: Future[_T] = Future()
        try:
            future.set_result(self._loop.run_until_complete(work))
        except Exception as error:
            future.set_exception(error)
        return future

    def call(self, function: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon(function)

    def leave(self) -> None:
        """End the loop and its tasks."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=_GRACE))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._loop.close()

    def interrupt(self) -> None:
        """Do nothing: no adapter code runs while the driver calls this."""

    def join(self, seconds: float) -> None:
        """Do nothing: there is no thread to wait for."""
