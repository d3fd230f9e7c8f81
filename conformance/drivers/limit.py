"""The time limit of a run, on a clock that stands still while the upstream does its part."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE = 0.5
"""The least time, in seconds, that a run has to answer its cancellation."""


def grace_of(seconds: float) -> float:
    """The seconds that a run with this limit has to answer its cancellation."""
    return max(GRACE, seconds / 10)


class Limit:
    """A limit of so many seconds, from now on.

    ``upstream_seconds`` gives the time that the upstream has taken for its part so far: pauses and
    checkpoints of the scenario, and its own delays. This time does not count.
    """

    def __init__(self, seconds: float, upstream_seconds: Callable[[], float] = lambda: 0.0) -> None:
        self._until = time.monotonic() + seconds
        self._upstream_seconds = upstream_seconds

    def left(self) -> float:
        """The seconds that are left; negative once the limit is exceeded."""
        return self._until + self._upstream_seconds() - time.monotonic()
