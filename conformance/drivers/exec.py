"""Drives an adapter that is a program: a process for each run, for the first ten minutes.

The program finds the base URL in ``MOCK_BASE_URL`` and the whole ``run`` message of drive/1 in
``MOCK_REQUEST``. It writes one part a line, as JSON, and says with its exit code how the run ended:
0 completed, 1 failed (the last line on stderr is the reason), 127 unsupported. To cancel, it is
sent SIGTERM.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.drivers.child import Child, found
from conformance.drivers.driver import CLOSED, Outcome, settled, unasked
from conformance.drivers.flight import Flight
from conformance.drivers.lifecycle import Heard
from conformance.drivers.lines import Lines
from conformance.drivers.messages import MAX_LINE, decoded
from conformance.drivers.recorder import describe
from mockserver.faults import AdapterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conformance.drivers.recorder import Recorder

# Ended by SIGTERM, as a process and as a shell tells it.
_TERMINATED = (-15, 128 + 15)
_CANCELLED = {"type": "done", "outcome": "cancelled"}


class ExecDriver:
    """Starts the program anew for each run."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        self._argv, self._folder = tuple(argv), folder
        self._running: dict[str, _Execution] = {}
        self._closed = False

    def hello(self) -> Mapping[str, Any]:
        found(self._argv, self._folder)
        return unasked(self._argv[0])

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
    ) -> Outcome:
        del alone  # A process of its own always is.
        execution = _Execution(message, recorder)
        # Before it starts: its first part may be what it is to be cancelled at.
        self._running[message["id"]] = execution
        try:
            if self._closed:
                raise AdapterError(CLOSED)
            execution.start(self._argv, self._folder)
            return settled(execution.outcome(ended), recorder)
        except AdapterError as error:
            return settled(Outcome("not-run", notes=(str(error),)), recorder)
        finally:
            del self._running[message["id"]]

    def cancel(self, id_: str) -> None:
        if execution := self._running.get(id_):
            execution.flight.cancel()

    def close(self) -> None:
        self._closed = True
        for execution in list(self._running.values()):
            execution.flight.hear(Heard.DISTURBED, CLOSED)


class _Execution:
    """One process and the run that it plays."""

    def __init__(self, message: Mapping[str, Any], recorder: Recorder) -> None:
        self.flight = Flight(message, recorder, self._cancel)
        self._message = message
        self._lines = Lines(MAX_LINE)
        self._n = 0
        self._asked = False
        self._child: Child

    def start(self, argv: Sequence[str], folder: Path) -> None:
        """Raises AdapterError where there is no such program."""
        request = json.dumps(self._message)
        extra = {"MOCK_BASE_URL": self._message["base_url"], "MOCK_REQUEST": request}
        self._child = Child(argv, folder, extra)
        self._child.listen(self._hear, self._gone)
        self._child.hang_up()

    def outcome(self, ended: Callable[[], None]) -> Outcome:
        """Wait for it, and leave nothing behind."""
        self.flight.landed()
        ended()
        self._child.end(0)
        return self.flight.outcome(self._child.stderr())

    def _cancel(self) -> None:
        self._asked = True
        self.flight.hear(Heard.NOTICE)
        self._child.terminate()

    def _hear(self, data: bytes) -> None:
        for each in self._lines.feed(data):
            part, wrong = _part(each)
            if wrong:
                self.flight.hear(Heard.NONSENSE, wrong)
            else:
                self.flight.hear(Heard.PART, {"n": self._n, "part": part})
                self._n += 1

    def _gone(self) -> None:
        if self._lines.rest:
            self._hear(b"\n")
        last = self._child.stderr().rpartition("\n")[2]
        code = self._child.code
        end = _CANCELLED if self._asked and code in _TERMINATED else _ending(code, last)
        if end:
            self.flight.hear(Heard.ENDING, {**end, "id": self._message["id"]})
        else:
            self.flight.hear(Heard.GONE, self._child.exited())


def _ending(code: int | None, last: str) -> Mapping[str, Any] | None:
    """What an exit code says, with the last line on stderr; None for those that say nothing."""
    endings: dict[int | None, Mapping[str, Any]] = {
        0: {"type": "done", "outcome": "completed"},
        1: {"type": "done", "outcome": "failed", "error": {"kind": "unknown", "message": last}},
        127: {"type": "unsupported", "reason": last or "it exited with 127"},
    }
    return endings.get(code)


def _part(each: bytes) -> tuple[Any, str]:
    """A line as a part, and what is wrong with it."""
    part, wrong = decoded(each)
    if wrong or isinstance(part, dict):
        return part, wrong
    return part, f"a part is a JSON object, not {describe(part)}"
