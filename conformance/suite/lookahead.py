"""Plays the next items in advance, against adapters that take several runs at once.

pytest asks for one result after the other; results are kept until pytest asks for them.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.report.results import Result
    from conformance.suite.workbench import Item


_RESULTS_AHEAD = 48
"""The results that are kept in advance, for each run at a time; a long wait holds up no others."""


class Lookahead:
    """Plays the items of one adapter, ``width`` of them at a time, in the order of ``coming``."""

    def __init__(self, play: Callable[[Item], Result], coming: Iterable[Item], width: int) -> None:
        self._play = play
        self._coming = deque(coming)
        self._awaited = {item.id for item in self._coming}
        self._max_started = _RESULTS_AHEAD * width
        self._pool = ThreadPoolExecutor(width, "streamproof-ahead")
        self._started: dict[str, Future[Result]] = {}
        # Held while an item is started, so that none is started after ``stop``.
        self._starting = threading.Lock()
        self._stopped = False

    def result(self, item: Item) -> Result:
        """Wait for the result of an item; an item that was asked for before is played again.

        Raises what playing the item raises.
        """
        if item.id not in self._awaited:
            return self._play(item)
        self._awaited.remove(item.id)
        while item.id not in self._started and not self._stopped:
            self._start(1)
        self._start(self._max_started - len(self._started))
        started = self._started.pop(item.id, None)
        return started.result() if started else self._play(item)

    def _start(self, count: int) -> None:
        with self._starting:
            for _ in islice(range(0 if self._stopped else len(self._coming)), max(0, count)):
                item = self._coming.popleft()
                self._started[item.id] = self._pool.submit(self._play, item)

    def stop(self) -> None:
        """Start no more items."""
        with self._starting:
            self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for the items in flight; closing their driver first ends them."""
        self._pool.shutdown()
