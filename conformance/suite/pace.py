"""The time that an adapter has shown to need, from which its limits are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.drivers.recorder import Recorder


class Pace:
    """The longer of an adapter's start and of its first run, in seconds.

    Many libraries load the most part at their first request, so a first run is as slow as a start.
    Both are measured on the machine as it is, with its load.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._has_run = False

    def note_start(self, seconds: float) -> None:
        """Note how long the adapter took to start."""
        self.seconds = max(self.seconds, seconds)

    def note_run(self, recorder: Recorder) -> None:
        """Note how long a run took, without the upstream's part, if it is the first."""
        if not self._has_run:
            self._has_run = True
            self.seconds = max(self.seconds, recorder.now() - recorder.upstream_seconds())
