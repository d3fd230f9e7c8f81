"""A lock for concurrent work, some of which has to be done exclusively."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sharing:
    """A lock with shared and exclusive holders; a waiting exclusive one goes first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._is_exclusive = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the lock together with other shared holders."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_exclusive)
            self._count += 1
        try:
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock alone, after all shared holders have released it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_exclusive)
            self._is_exclusive = True
            self._changed.wait_for(lambda: not self._count)
        try:
            yield
        finally:
            with self._changed:
                self._is_exclusive = False
                self._changed.notify_all()
