"""An event loop on a thread of its own, which can be left behind.

Code that blocks a thread cannot be stopped, only be told: it gets a SystemExit at its next
instruction. A thread that sleeps in the system gets it when it wakes up; nobody waits for that.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import ctypes
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

GRACE = 0.5

_T = TypeVar("_T")


class LoopThread:
    """Runs coroutines from the moment it is made until it is left."""

    def __init__(self, name: str) -> None:
        self._left = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, _T]) -> concurrent.futures.Future[_T]:
        """Start a coroutine there."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, function: Callable[[], None]) -> None:
        """Call a function there, from any thread; a loop that has ended calls nothing."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function)

    def leave(self) -> None:
        """End the loop, its tasks and the thread, as soon as the thread lets go."""
        self._left = True
        self.call(self._loop.stop)

    def interrupt(self) -> None:
        """Raise SystemExit in what the thread is running."""
        if (ident := self._thread.ident) is not None:
            thread, error = ctypes.c_ulong(ident), ctypes.py_object(SystemExit)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    def join(self, seconds: float) -> None:
        """Wait for a thread that was left."""
        self._thread.join(seconds)

    def _spin(self) -> None:
        while not self._left:
            # One task that exits must not take the others with it.
            with suppress(SystemExit, KeyboardInterrupt):
                self._loop.run_forever()
        try:
            self._loop.run_until_complete(_all_ended())
        finally:
            # Tasks that do not let themselves be cancelled are nothing that a log could help with.
            self._loop.set_exception_handler(lambda _loop, _context: None)
            self._loop.close()


async def _all_ended() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=GRACE)
    await asyncio.get_running_loop().shutdown_asyncgens()
