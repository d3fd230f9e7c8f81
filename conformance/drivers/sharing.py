"""Work that goes on side by side, until some of it has to be done alone."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sharing:
    """Whoever is ``alone`` waits until the others have ended, and lets no new ones begin."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._beside = 0
        self._taken = False

    @contextmanager
    def beside(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._taken)
            self._beside += 1
        try:
            yield
        finally:
            with self._changed:
                self._beside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._taken)
            self._taken = True
            self._changed.wait_for(lambda: not self._beside)
        try:
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()
