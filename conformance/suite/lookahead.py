"""Plays what comes next while a case is awaited, against adapters that take several runs at once.

pytest asks for one case after the other; each is answered in its place, whoever was ready first.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.contract.results import Result
    from conformance.suite.workbench import Item


class Ahead:
    """The items of one adapter, ``width`` of them at a time."""

    def __init__(self, play: Callable[[Item], Result], coming: Iterable[Item], width: int) -> None:
        self._play = play
        self._coming = deque(coming)
        self._awaited = {item.id for item in self._coming}
        self._most = 2 * width
        self._pool = ThreadPoolExecutor(width, "streamproof-ahead")
        self._begun: dict[str, Future[Result]] = {}
        # Held while something is begun, so that nothing is once it was stopped.
        self._beginning = threading.Lock()
        self._stopped = False

    def result(self, item: Item) -> Result:
        """The result of an item; of one that was asked for before, anew. Raises as playing it."""
        if item.id not in self._awaited:
            return self._play(item)
        self._awaited.remove(item.id)
        while item.id not in self._begun and not self._stopped:
            self._begin(1)
        self._begin(self._most - len(self._begun))
        begun = self._begun.pop(item.id, None)
        return begun.result() if begun else self._play(item)

    def _begin(self, count: int) -> None:
        with self._beginning:
            for _ in islice(range(0 if self._stopped else len(self._coming)), max(0, count)):
                item = self._coming.popleft()
                self._begun[item.id] = self._pool.submit(self._play, item)

    def stop(self) -> None:
        """Begin no more."""
        with self._beginning:
            self._stopped = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for what has begun; the end of its driver ends that."""
        self._pool.shutdown()
