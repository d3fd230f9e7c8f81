"""An event loop on a thread of its own that can be abandoned.

Code that blocks a thread cannot be stopped from outside; a SystemExit is raised at its next Python
instruction. A thread that is blocked in a system call gets it when that returns, which is not
waited for.
"""

import asyncio
import concurrent.futures
import ctypes
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

GRACE = 0.5
"""Seconds for cancelled tasks to end."""

_T = TypeVar("_T")


class LoopThread:
    """An event loop that runs on a daemon thread from construction until ``leave``."""

    def __init__(self, name: str) -> None:
        self._is_left = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    @property
    def native_id(self) -> int | None:
        """The id that the system has for the thread."""
        return self._thread.native_id

    def submit(self, work: Coroutine[Any, Any, _T]) -> concurrent.futures.Future[_T]:
        """Start a coroutine on the loop. Raises RuntimeError, and closes it, after ``leave``."""
        try:
            if self._is_left:
                raise RuntimeError("the loop has been left")
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise

    def call(self, function: Callable[[], None]) -> None:
        """Call a function on the loop, from any thread; ignored if the loop has ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    def leave(self) -> None:
        """End the loop, its tasks and the thread, as soon as the thread is not blocked."""
        self._is_left = True
        self.call(self._loop.stop)

    def interrupt(self) -> None:
        """Raise SystemExit in the code that the thread is running, after ``leave``.

        A thread that was only slow, and ends within ``GRACE`` seconds, is not interrupted.
        """
        self._thread.join(GRACE)
        if self._thread.is_alive() and (ident := self._thread.ident) is not None:
            thread, error = ctypes.c_ulong(ident), ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    def join(self, seconds: float) -> None:
        """Wait up to so many seconds for the thread to end, after ``leave``."""
        self._thread.join(seconds)

    def _spin(self) -> None:
        self._run_until(lambda: self._is_left)
        ending = self._loop.create_task(_cancel_all_tasks())
        ending.add_done_callback(lambda _ending: self._loop.stop())
        self._run_until(ending.done)
        # Tasks that resist cancellation are not logged.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._loop.close()

    def _run_until(self, is_over: Callable[[], bool]) -> None:
        """Run the loop until something is so, which is looked at whenever the loop stops.

        A task that exits, or is interrupted, must not end the others.
        """
        while not is_over():
            with suppress(SystemExit, KeyboardInterrupt):
                self._loop.run_forever()


async def _cancel_all_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=GRACE)
    await asyncio.get_running_loop().shutdown_asyncgens()
