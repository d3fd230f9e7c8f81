"""Records the parts of a run as the adapter emits them, from any thread."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from conformance.contract.transcript import Cancelled, Emitted
from mockserver.foundation.json_text import is_deeper

MAX_PARTS = 10_000
"""The most parts that are kept; no answer has more, and each costs time in every rule."""
MAX_DEPTH = 200
"""The deepest nesting of a part that is kept; rules walk through parts by recursion."""


class Recorder:
    """The parts of one run; watchers are called after each part and when the run is over.

    ``name`` is the case of the run, empty if it plays none, as in the check of a claim. ``began``
    is the time of ``time.monotonic()``. ``upstream_seconds`` gives the time that the upstream has
    taken so far, which counts for no limit. ``on_end`` is called when the adapter has ended the
    run, ``on_late`` for each part that comes when the run is over. ``flooded`` means that parts
    beyond ``MAX_PARTS`` were dropped, ``over`` that no more parts are kept.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.upstream_seconds: Callable[[], float] = lambda: 0.0
        self.on_end: Callable[[], None] = lambda: None
        self.on_late: Callable[[], None] = lambda: None
        self.began = time.monotonic()
        self._lock = threading.Lock()
        self._parts: list[Emitted] = []
        self._watchers: list[Callable[[], None]] = []
        self._cancels_after: int | None = None
        self.cancelled: Cancelled | None = None
        self.flooded = False
        self.over = False

    def begin(self) -> None:
        """Count times from now on, when the adapter is ready to be given the run."""
        self.began = time.monotonic()
        if self.cancelled:
            self.cancelled = replace(self.cancelled, at=0.0)

    def now(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    def emit(self, part: Any) -> None:
        """Keep a copy of a part with the time; parts beyond ``MAX_PARTS`` are dropped."""
        kept = _plain_data(part)
        with self._lock:
            if self.over:
                self.on_late()
                return
            if len(self._parts) >= MAX_PARTS:
                self.flooded = True
                return
            self._parts.append(Emitted(len(self._parts), self.now(), kept))
            if len(self._parts) == self._cancels_after:
                self._record_cancel("after_parts")
        self._notify()

    def cancel_after(self, parts: int) -> None:
        """Record the cancellation that the ``run`` message asks for after so many parts."""
        with self._lock:
            self._cancels_after = parts
            if parts == 0:
                self._record_cancel("after_parts")

    def cancel(self) -> None:
        """Record that the adapter was told to cancel at this moment."""
        with self._lock:
            self._record_cancel("checkpoint")
        self._notify()

    def _record_cancel(self, by: Literal["after_parts", "checkpoint"]) -> None:
        self.cancelled = self.cancelled or Cancelled(self.now(), len(self._parts), by)

    def close(self) -> None:
        """End the run: later parts are dropped, and nobody needs to wait for them."""
        self.over = True
        self._notify()

    def watch(self, changed: Callable[[], None]) -> None:
        """Have ``changed`` called at each change, on the thread that makes the change."""
        with self._lock:
            self._watchers.append(changed)

    def parts(self) -> tuple[Emitted, ...]:
        """The parts so far."""
        with self._lock:
            return tuple(self._parts)

    def _notify(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()


def describe(value: Any) -> str:
    """The first 200 characters of a value's ``repr()``; its type if ``repr()`` raises."""
    try:
        return f"{value!r:.200}"
    except Exception:
        return f"an object of the type {type(value).__name__}"


def _plain_data(part: Any) -> dict[str, Any]:
    """A copy of a part as JSON data; a part that is not a JSON object gets a type that says so."""
    try:
        kept = json.loads(json.dumps(part, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        kept = None
    if isinstance(kept, dict) and not is_deeper(kept, MAX_DEPTH):
        return kept
    return {"type": f"not a JSON object: {describe(part)}"}
