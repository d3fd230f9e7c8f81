"""Drives several runs of an adapter in Python at one time.

Each run in flight has an adapter object, a thread and an event loop to itself, so one that blocks,
exits or hangs does not end the others. The adapters of a session are made by the same factory and
share what their modules share. The first takes the counts and the runs that are played alone.
"""

import concurrent.futures
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.drivers.driver import CLOSED, START_SECONDS, Outcome, Sharing, close_run
from conformance.drivers.python import Adapter, PythonDriver
from conformance.drivers.recorder import Recorder


class ConcurrentPythonDriver:
    """Drives an adapter in Python; ``run`` may be called from as many threads as it claims."""

    def __init__(self, make: Callable[[], Adapter], hello_seconds: float = START_SECONDS) -> None:
        """``make`` makes an adapter; the first is made at once. Raises what ``make`` raises."""
        self._make = make
        self._hello_seconds = hello_seconds
        self._first = PythonDriver(make(), make, hello_seconds)
        self._drivers = [self._first]
        self._idle = [self._first]
        self._changing = threading.Lock()
        self._closed = False
        self._sharing = Sharing()

    def hello(self) -> Mapping[str, Any]:
        return self._first.hello()

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
        fresh: bool = False,
    ) -> Outcome:
        with self._sharing.exclusive() if alone or fresh else self._sharing.shared():
            if (driver := self._take()) is None:
                return close_run(Outcome("not-run", notes=(CLOSED,)), recorder)
            try:
                return driver.run(message, recorder, ended, fresh=fresh)
            except (concurrent.futures.CancelledError, RuntimeError):
                if not self._closed:
                    raise
                # The event loop of the run was ended.
                return close_run(Outcome("not-run", notes=(CLOSED,)), recorder)
            finally:
                self._give_back(driver)

    def count(self, message: Mapping[str, Any]) -> Outcome:
        with self._sharing.exclusive():
            return self._first.count(message)

    def restart(self) -> None:
        with self._sharing.exclusive():
            self._first.restart()

    def cancel(self, id_: str) -> None:
        with self._changing:
            drivers = tuple(self._drivers)
        for driver in drivers:
            driver.cancel(id_)

    async def catch_up(self) -> None:
        """Do nothing: parts are recorded as they are emitted."""

    def close(self) -> None:
        with self._changing:
            self._closed = True
        for driver in self._drivers:
            driver.close()

    def left_behind(self) -> Sequence[str]:
        return tuple(message for driver in self._drivers for message in driver.left_behind())

    def _take(self) -> PythonDriver | None:
        """A driver that has no run in flight, the first if it has none; None when closed."""
        with self._changing:
            if self._closed:
                return None
            if self._idle:
                return self._idle.pop()
        driver = PythonDriver(self._make(), self._make, self._hello_seconds)
        driver.hello()
        with self._changing:
            self._drivers.append(driver)
        return driver

    def _give_back(self, driver: PythonDriver) -> None:
        with self._changing:
            self._idle.append(driver)
            self._idle.sort(key=self._drivers.index, reverse=True)
            closed = self._closed
        if closed:
            # Its run may have begun when the others were ended.
            driver.close()
