"""Holds a playback at its checkpoints until the adapter has emitted the text sent so far.

The wait is bounded, and the first miss ends the waiting for that run: an adapter that emits late is
slow once, not at every checkpoint. A cancelled run is not held any more. The wait is counted in
short moments, so that a delay of the kit's own event loop does not count.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from conformance.contract.traits import Traits
from conformance.contract.transcript import CheckpointResult
from conformance.dialects.ledger import ledger, text_due
from conformance.drivers.recorder import Recorder
from conformance.vocabularies import Vocabulary
from mockserver.stream_faults.stops import STALLED
from mockserver.wire.frames import Gate, Plan

LONGEST_WAIT = 1.0
"""Seconds that a playback waits at a checkpoint."""

SILENCE = 0.15
"""Seconds that a stall lasts before the run is cancelled, if events before it emit nothing."""

_MOMENT = 0.05
_BRIEFLY = 0.005
_LEAST_DELAY = 0.01


class Checkpoints:
    """The gatekeeper of one run, called on the upstream's event loop.

    ``reached`` lists the checkpoints so far; ``patience`` is the longest wait in seconds.
    """

    def __init__(
        self,
        dialect: str,
        plans: Iterable[Plan],
        vocabulary: Vocabulary,
        traits: Traits,
        recorder: Recorder,
        patience: float = LONGEST_WAIT,
    ) -> None:
        gates = [gate for plan in plans for gate in _text_due_at_gates(dialect, plan, traits)]
        self._due = {name: due for name, due, _ in gates}
        self._after_text = {name for name, _, grew in gates if grew}
        self._vocabulary = vocabulary
        self._recorder = recorder
        self._patience = patience
        self._missed = False
        self._held_seconds = 0.0
        self._held_since: float | None = None
        self.reached: list[CheckpointResult] = []

    def seconds(self) -> float:
        """How long the playback has been held so far."""
        since = self._held_since
        return self._held_seconds + (0.0 if since is None else time.monotonic() - since)

    async def __call__(self, name: str, after: int) -> None:
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the upstream has stopped
                loop.call_soon_threadsafe(changed.set)

        self._recorder.watch(wake)
        self._held_since = began = time.monotonic()
        left = self._patience
        try:
            while not (out := self._text_is_out(name)) and not self._missed and not self._cancelled:
                self._missed = left <= 0 or self._recorder.over
                left -= await _wait(changed, left)
        finally:  # The client may leave meanwhile.
            waited = self._release(began)
        if self._cancelled:
            return
        late = waited - (self._patience - left)
        parts = len(self._recorder.parts())
        own = late if late >= _LEAST_DELAY else 0.0
        self.reached.append(CheckpointResult(name, after, parts, out, waited, own))

    async def until_over(self) -> None:
        """Wait for a moment if the last event was no text, because it may end the run."""
        if STALLED not in self._after_text:
            await self._wait_until(lambda: self._recorder.over, SILENCE)

    async def until_cancelled(self) -> None:
        """Wait, for a limited time, until the adapter has got the cancellation.

        What the upstream sends next comes after it, however fast the adapter's process is.
        """
        await self._wait_until(lambda: self._cancelled or self._recorder.over, self._patience)

    async def _wait_until(self, is_so: Callable[[], bool], left: float) -> None:
        self._held_since = began = time.monotonic()
        try:
            while not is_so() and left > 0:
                left -= await _wait(asyncio.Event(), min(left, _BRIEFLY))
        finally:
            self._release(began)

    def _release(self, began: float) -> float:
        """Count the seconds of a wait, and return them."""
        waited, self._held_since = time.monotonic() - began, None
        self._held_seconds += waited
        return waited

    @property
    def _cancelled(self) -> bool:
        return self._recorder.cancelled is not None

    def _text_is_out(self, name: str) -> bool:
        parts = [emitted.part for emitted in self._recorder.parts()]
        return len(self._vocabulary.read(parts, None).text) >= self._due[name]


def _text_due_at_gates(dialect: str, plan: Plan, traits: Traits) -> Iterator[tuple[str, int, bool]]:
    """For each checkpoint, its name, the code points of shown text before it, and if text grew.

    It grew if the last event before the checkpoint has some of it.
    """
    if gates := [write for write in plan.writes if isinstance(write, Gate)]:
        entries = ledger(dialect, plan.sent, traits)
        due = text_due(entries, traits)
        # A stall may come right after a link, which adapters spell in several ways.
        without_links = text_due(entries, replace(traits, annotations="data"))
        for gate in gates:
            counts = without_links if gate.name == STALLED else due
            # A checkpoint may come before every event, after an empty text that is not sent.
            before = [0, 0, *counts[: gate.after + 1]]
            yield gate.name, before[-1], before[-1] > before[-2]


@dataclass
class CancelAt:
    """A gatekeeper that cancels the run at the named checkpoint and lets it pass all later ones."""

    name: str
    cancel: Callable[[], None]
    checkpoints: Checkpoints
    _sent: bool = False

    async def __call__(self, name: str, after: int) -> None:
        if self._sent:
            return
        await self.checkpoints(name, after)
        if name == self.name:
            self._sent = True
            if name == STALLED:
                await self.checkpoints.until_over()
            self.cancel()
            await self.checkpoints.until_cancelled()


async def _wait(changed: asyncio.Event, seconds: float) -> float:
    """Wait for a change, for a moment at most. Returns the seconds that count as waited.

    A moment counts as no more than its length: if it takes longer, this event loop is late.
    """
    moment, began = max(0.0, min(seconds, _MOMENT)), time.monotonic()
    # Unlike asyncio.wait_for before Python 3.12, this never loses the cancellation by a client that
    # leaves at the moment of the change.
    with suppress(TimeoutError):
        async with asyncio.timeout(moment):
            await changed.wait()
    changed.clear()
    return min(moment, time.monotonic() - began)
