"""Drivers of child processes, tested with small programs that misbehave."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.drivers.driver import Driver, Outcome
from conformance.drivers.recorder import Recorder

PATIENCE = 10.0
# Without site-packages and with a minimal environment, Python starts fast.
PYTHON = (sys.executable, "-S", "-E", "-c")


def message(
    id_: str, model: str = "good", deadline_ms: int = 10_000, **more: Any
) -> dict[str, Any]:
    """A ``run`` message; the programs of these tests behave as its ``model`` says."""
    return {
        "type": "run", "id": id_, "dialect": "openresponses", "model": model,
        "base_url": "http://127.0.0.1:9/r/x/v1", "api_key": "sk-mock",
        "messages": [{"role": "user", "content": "Hello"}], "tools": [],
        "options": {"max_retries": 0}, "deadline_ms": deadline_ms, **more,
    }  # fmt: skip


def question(id_: str, deadline_ms: int = 10_000, **more: Any) -> dict[str, Any]:
    """A ``count`` message about a conversation of two messages."""
    asked = message(id_, deadline_ms=deadline_ms, type="count", storage="/nowhere", **more)
    hello = {"role": "user", "content": "Hello"}
    return {name: asked[name] for name in asked if name != "options"} | {"messages": [hello] * 2}


class Played:
    """A run that is played on a thread; ``began`` is set when it emits its first part."""

    def __init__(self, driver: Driver, run: dict[str, Any]) -> None:
        self.recorder = Recorder()
        self.began = threading.Event()
        self.recorder.watch(self.began.set)
        self._outcome: Outcome | None = None
        self._thread = threading.Thread(target=self._play, args=(driver, run))
        self._thread.start()

    def _play(self, driver: Driver, run: dict[str, Any]) -> None:
        self._outcome = driver.run(run, self.recorder)

    def outcome(self) -> Outcome:
        self._thread.join(PATIENCE)
        assert self._outcome is not None, "the run has no verdict"
        return self._outcome


def values(recorder: Recorder) -> list[Any]:
    return [emitted.part["value"] for emitted in recorder.parts()]


def alive(group: int) -> list[str]:
    """The processes of a group that still run, without zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(pgrp) == group and state != "Z":
            found.append(stat.parent.name)
    return found


def no_longer_alive(group: int) -> bool:
    """Whether the group ends within a bounded wait, since a signal takes a moment."""
    return happens(lambda: not alive(group), 2)


def happens(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    pause = threading.Event()
    return any(bool(condition()) or pause.wait(0.01) for _ in range(int(seconds * 100)))


HAS_PROC = os.path.exists("/proc/self/stat")  # noqa: PTH110
