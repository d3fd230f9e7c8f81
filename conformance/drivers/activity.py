"""How busy the threads of an adapter are: whether they run, or wait for a processor or a disk.

A thread that waits for a lock, a timer or a socket does none of this, however busy the machine is.
Linux counts both times for each thread in ``/proc/PID/task/TID/schedstat``; elsewhere nothing is
known.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import pairwise, starmap
from pathlib import Path
from typing import NamedTuple

Threads = Callable[[], Iterable[Path]]
"""The folders in ``/proc`` of the threads that work for a run."""

WINDOW = 2.0
"""The last seconds of a run that are measured, at most; of a short limit it is a part."""
_PART_OF_LIMIT = 0.4
_LOOKS = 5
_MOST_LATE = 1.0

_OWN_THREADS = "streamproof-"


def threads_of_process(pid: int) -> Iterator[Path]:
    """The threads of a process; none if it has ended."""
    return Path(f"/proc/{pid}/task").glob("[0-9]*")


def threads_of_python(runner: int | None) -> Iterator[Path]:
    """The thread ``runner`` of this process, and all threads that are not known to be the kit's.

    An adapter may have started any of them.
    """
    own = {
        each.native_id
        for each in threading.enumerate()
        if each.name.startswith(_OWN_THREADS) or each is threading.main_thread()
    }
    skipped = (own | {threading.get_native_id()}) - {runner}
    for thread in threads_of_process(os.getpid()):
        if int(thread.name) not in skipped:
            yield thread


class _Look(NamedTuple):
    """What was seen of the threads at a moment.

    ``spent`` are the nanoseconds for which each has run or waited for a processor so far.
    """

    at: float
    spent: Mapping[str, int]
    waits_for_disk: bool


class Activity:
    """The share of a run's last seconds in which its threads were busy.

    ``look`` is called again and again until the limit of the run. If the kit itself was kept from
    looking, the measurement begins anew.
    """

    def __init__(self, threads: Threads | None, limit: float) -> None:
        """``threads`` is None if they are not known; ``limit`` is that of the run in seconds."""
        self._threads = threads
        self.window = min(WINDOW, limit * _PART_OF_LIMIT)
        self._looks: list[_Look] = []
        self._due = 0.0

    def look(self, left: float) -> float:
        """Look at the threads, if it is time to; returns the seconds to the next look.

        ``left`` are the seconds to the limit of the run.
        """
        if self._threads is None:
            return left
        if left > self.window:
            self.restart()
            return left - self.window
        now = time.monotonic()
        if self._looks and now < self._due:
            return min(left, self._due - now)
        if now > self._due + _MOST_LATE:
            self.restart()
        self._looks.append(_look_at(self._threads()))
        self._due = now + self.window / _LOOKS
        return min(left, self.window / _LOOKS)

    def restart(self) -> None:
        """Forget what was seen so far."""
        self._looks.clear()

    @property
    def busy(self) -> float | None:
        """The share of the last seconds in which threads were busy; None if it is not known."""
        if not self._looks or not any(self._looks[-1].spent.values()):
            return None
        measured = self._looks[-1].at - self._looks[0].at
        if measured < self.window / 2:
            return None
        return round(min(1.0, sum(starmap(_seconds_busy, pairwise(self._looks))) / measured), 3)


def _seconds_busy(before: _Look, after: _Look) -> float:
    """For how long threads were busy between two looks.

    A thread that has ended has run before; for how long is no longer known.
    """
    if after.waits_for_disk or before.spent.keys() - after.spent.keys():
        return after.at - before.at
    return sum(spent - before.spent.get(name, 0) for name, spent in after.spent.items()) / 1e9


def _look_at(threads: Iterable[Path]) -> _Look:
    spent: dict[str, int] = {}
    waits = False
    for thread in threads:
        with suppress(OSError, ValueError, IndexError):
            ran, waited = (thread / "schedstat").read_text("ascii").split()[:2]
            spent[str(thread)] = int(ran) + int(waited)
            waits = waits or state_of(thread) == "D"
    return _Look(time.monotonic(), spent, waits)


def state_of(thread: Path) -> str:
    """The state of a thread, one letter as in ``/proc``; empty if it has ended."""
    with suppress(OSError, IndexError):
        stat = (thread / "stat").read_text("utf-8", "replace")
        return stat.rpartition(")")[2].split()[0]
    return ""
