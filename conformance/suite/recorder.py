"""Keeps the parts of a run as they come out, whichever thread they come from."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any, Literal

from conformance.contract.transcript import Cancelled, Emitted
from mockserver.json_text import is_deeper

if TYPE_CHECKING:
    from collections.abc import Callable

# No answer has more; a flood costs time in every rule, and in every report.
MAX_PARTS = 10_000
# What follows walks through parts by recursion.
MAX_DEPTH = 200


class Recorder:
    """The parts of one run; ``changed`` is called after each of them and when the run is over."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._lock = threading.Lock()
        self._parts: list[Emitted] = []
        self._watchers: list[Callable[[], None]] = []
        self._cancels_after: int | None = None
        self.cancelled: Cancelled | None = None
        self.flooded = False
        self.over = False

    def now(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    def emit(self, part: Any) -> None:
        """Keep a part, as it is now; a flood is cut off."""
        kept = _as_json(part)
        with self._lock:
            if self.over:
                return
            if len(self._parts) >= MAX_PARTS:
                self.flooded = True
                return
            self._parts.append(Emitted(len(self._parts), self.now(), kept))
            if len(self._parts) == self._cancels_after:
                self._note("after_parts")
        self._tell()

    def cancel_after(self, parts: int) -> None:
        """The adapter was told to cancel once it has emitted so many parts."""
        with self._lock:
            self._cancels_after = parts
            if parts == 0:
                self._note("after_parts")

    def cancel(self) -> None:
        """The adapter has been told just now."""
        with self._lock:
            self._note("checkpoint")
        self._tell()

    def _note(self, by: Literal["after_parts", "checkpoint"]) -> None:
        self.cancelled = self.cancelled or Cancelled(self.now(), len(self._parts), by)

    def close(self) -> None:
        """The run is over: nobody needs to wait for more."""
        self.over = True
        self._tell()

    def watch(self, changed: Callable[[], None]) -> None:
        """Be told of each change from now on, on the thread that makes it."""
        with self._lock:
            self._watchers.append(changed)

    def parts(self) -> tuple[Emitted, ...]:
        """The parts so far."""
        with self._lock:
            return tuple(self._parts)

    def _tell(self) -> None:
        for watcher in tuple(self._watchers):
            watcher()


def shown(value: Any) -> str:
    """A value as it may stand in a message; one that cannot even be shown is named by its type."""
    try:
        return f"{value!r:.200}"
    except Exception:
        return f"an object of the type {type(value).__name__}"


def _as_json(part: Any) -> dict[str, Any]:
    """A part as plain data of its own; what is no JSON object is kept as what it looks like."""
    try:
        kept = json.loads(json.dumps(part, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        kept = None
    if isinstance(kept, dict) and not is_deeper(kept, MAX_DEPTH):
        return kept
    return {"type": f"not a JSON object: {shown(part)}"}
