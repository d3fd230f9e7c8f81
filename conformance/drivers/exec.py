"""Drives an adapter that is a program: a process for each run, for the first ten minutes.

The program finds the base URL in ``MOCK_BASE_URL`` and the whole ``run`` message of drive/1 in
``MOCK_REQUEST``. It writes one part a line, as JSON, and says with its exit code how the run ended:
0 completed, 1 failed (the last line on stderr is the reason), 127 unsupported. To cancel, it is
sent SIGTERM.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.drivers.child import Child
from conformance.drivers.driver import Outcome, settled
from conformance.drivers.flight import Flight
from conformance.drivers.life import Heard
from conformance.drivers.lines import Lines, Overlong
from conformance.drivers.messages import MAX_LINE
from conformance.recorder import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conformance.recorder import Recorder

_TERMINATED = -15


class ExecDriver:
    """Starts the program anew for each run."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        self._argv, self._folder = tuple(argv), folder
        self._running: dict[str, _Execution] = {}

    def hello(self) -> Mapping[str, Any]:
        me = {"name": self._argv[0], "version": "unknown"}
        return {"type": "hello", "protocol": 1, "adapter": me, "implementation": me}

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
    ) -> Outcome:
        execution = self._running[message["id"]] = _Execution(message, recorder)
        try:
            execution.start(self._argv, self._folder)
            return settled(execution.outcome(ended), recorder)
        finally:
            del self._running[message["id"]]

    def cancel(self, id_: str) -> None:
        if execution := self._running.get(id_):
            execution.flight.cancel()

    def close(self) -> None:
        """Each process has ended with its run."""


class _Execution:
    """One process and the run that it plays."""

    def __init__(self, message: Mapping[str, Any], recorder: Recorder) -> None:
        self.flight = Flight(message, recorder, self._cancel)
        self._message, self._recorder = message, recorder
        self._lines = Lines(MAX_LINE)
        self._child: Child | None = None
        self._cancelled = False
        self._n = 0

    def start(self, argv: Sequence[str], folder: Path) -> None:
        """Raises AdapterError where there is no such program."""
        request = json.dumps(self._message)
        extra = {"MOCK_BASE_URL": self._message["base_url"], "MOCK_REQUEST": request}
        self._child = Child(argv, folder, self._hear, self._gone, extra)
        self._child.hang_up()

    def outcome(self, ended: Callable[[], None]) -> Outcome:
        """Wait for it, and leave nothing behind."""
        outcome = self.flight.landed()
        ended()
        if self._child:
            self._child.end(0)
        return self.flight.with_every_ending(outcome)

    def _cancel(self) -> None:
        self._cancelled = True
        self._recorder.cancel()
        if self._child:
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
        assert self._child is not None
        if rest := self._lines.rest.strip():
            self._hear(b"\n" if rest else b"")
        code, said = self._child.code, self._child.stderr().strip()
        end = self._ending(code, said.splitlines()[-1] if said else "")
        if end:
            self.flight.hear(Heard.ENDING, {**end, "id": self._message["id"]})
        else:
            told = f"; on stderr it said:\n{said}" if said else ""
            self.flight.hear(Heard.GONE, f"{self._child.exited()}{told}")

    def _ending(self, code: int | None, last: str) -> Mapping[str, Any] | None:
        if self._cancelled and code in (0, 1, _TERMINATED, 128 - _TERMINATED):
            return {"type": "done", "outcome": "cancelled"}
        error = {"kind": "unknown", "message": last}
        return {
            0: {"type": "done", "outcome": "completed"},
            1: {"type": "done", "outcome": "failed", "error": error},
            127: {"type": "unsupported", "reason": last or "it exited with 127"},
        }.get(-1 if code is None else code)


def _part(each: bytes) -> tuple[Any, str]:
    """A line as a part, and what is wrong with it."""
    if isinstance(each, Overlong):
        return None, f"it wrote a line of more than {MAX_LINE >> 20} MiB"
    try:
        part = json.loads(each)
    except (ValueError, RecursionError):
        return None, f"it wrote to stdout what is no JSON: {each[:200]!r}; logs go to stderr"
    return part, "" if isinstance(part, dict) else f"a part is a JSON object, not {shown(part)}"
