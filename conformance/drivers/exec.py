"""Drives an adapter that is a program started for each run: the simplest way to drive one.

The program finds the base URL in ``MOCK_BASE_URL`` and the ``run`` message of drive/1 in
``MOCK_REQUEST``. It writes each part as a line of JSON, and its exit code says how the run ended:
0 completed, 1 failed (the last line on stderr is the reason), 127 unsupported. SIGTERM cancels it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.drivers.child import Child, require_program, wait_until_handled
from conformance.drivers.driver import (
    CLOSED,
    Driver,
    Outcome,
    Place,
    close_run,
    escape_messages,
    hello_of_program,
    not_run,
)
from conformance.drivers.flight import Flight, RunEvent
from conformance.drivers.messages import MAX_LINE, Lines, decode_line, json_type
from conformance.drivers.recorder import Recorder, describe
from mockserver.foundation.faults import AdapterError

# Exit codes after SIGTERM: of a process, and of a shell.
_TERMINATED = (-15, 128 + 15)
_CODES = "0 says completed, 1 failed and 127 unsupported"
_CANCELLED = {"type": "done", "outcome": "cancelled"}


class ExecDriver(Driver):
    """Plays runs with a program that is started for each run and ends with it."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        self._argv, self._folder = tuple(argv), folder
        self._running: dict[str, _Execution] = {}
        self._escaped: list[str] = []
        self._closed = False

    def hello(self) -> Mapping[str, Any]:
        require_program(self._argv, self._folder)
        return hello_of_program(self._argv[0])

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        place: Place = "beside others",  # noqa: ARG002
    ) -> Outcome:
        execution = _Execution(message, recorder, self._escaped.append)
        # Registered before it starts, as it may be cancelled at its first part.
        self._running[message["id"]] = execution
        try:
            if self._closed:
                raise AdapterError(CLOSED)
            execution.start(self._argv, self._folder)
            return close_run(execution.outcome(recorder), recorder)
        except AdapterError as error:
            return not_run(error, recorder)
        finally:
            del self._running[message["id"]]

    def cancel(self, id_: str) -> None:
        if execution := self._running.get(id_):
            execution.flight.cancel()

    async def catch_up(self) -> None:
        await wait_until_handled(
            lambda: [each.child for each in list(self._running.values()) if each.has_started]
        )

    def close(self) -> None:
        self._closed = True
        for execution in list(self._running.values()):
            execution.flight.apply(RunEvent.DISTURBED, CLOSED)

    def left_behind(self) -> Sequence[str]:
        return tuple(escape_messages(self._escaped))


class _Execution:
    """The process of one run: reads its parts, cancels it, and makes its outcome."""

    def __init__(
        self, message: Mapping[str, Any], recorder: Recorder, on_escape: Callable[[str], None]
    ) -> None:
        self._on_escape = on_escape
        self.flight = Flight(message, recorder, self._cancel, lambda: self.child.threads())
        self._message = message
        self._lines = Lines(MAX_LINE)
        self._n = 0
        self._cancel_sent = False
        self.child: Child
        self.has_started = False

    def start(self, argv: Sequence[str], folder: Path) -> None:
        """Start the program. Raises AdapterError if it cannot be started."""
        request = json.dumps(self._message)
        extra = {"MOCK_BASE_URL": self._message["base_url"], "MOCK_REQUEST": request}
        self.child = Child(argv, folder, extra, self._on_escape)
        self.child.listen(self._on_stdout, self._on_exit)
        self.child.hang_up()
        self.has_started = True

    def outcome(self, recorder: Recorder) -> Outcome:
        """Wait for the run to end, then end the process and its children."""
        self.flight.wait_for_verdict()
        recorder.on_end()
        self.child.end(0)
        return self.flight.outcome(self.child.stderr())

    def _cancel(self) -> None:
        self._cancel_sent = True
        self.flight.apply(RunEvent.NOTICE)
        self.child.terminate()

    def _on_stdout(self, data: bytes) -> None:
        for each in self._lines.feed(data):
            part, wrong = _decode_part(each)
            if wrong:
                self.flight.apply(RunEvent.NONSENSE, wrong)
            else:
                self.flight.apply(RunEvent.PART, {"n": self._n, "part": part})
                self._n += 1

    def _on_exit(self) -> None:
        if self._lines.rest:
            self._on_stdout(b"\n")
        last = self.child.stderr().rpartition("\n")[2]
        code = self.child.code
        end = _CANCELLED if self._cancel_sent and code in _TERMINATED else _ending(code, last)
        if end:
            self.flight.apply(RunEvent.ENDING, {**end, "id": self._message["id"]})
        else:
            self.flight.apply(RunEvent.GONE, f"{self.child.exited()}, which is no ending: {_CODES}")


def _ending(code: int | None, last: str) -> Mapping[str, Any] | None:
    """The ending for an exit code and the last line on stderr; None for unknown codes."""
    endings: dict[int | None, Mapping[str, Any]] = {
        0: {"type": "done", "outcome": "completed"},
        1: {"type": "done", "outcome": "failed", "error": {"kind": "unknown", "message": last}},
        127: {"type": "unsupported", "reason": last or "it exited with 127"},
    }
    return endings.get(code)


def _decode_part(each: bytes) -> tuple[Any, str]:
    """A line as a part, and why it is invalid (empty if it is valid)."""
    part, wrong = decode_line(each)
    if wrong or isinstance(part, dict):
        return part, wrong
    return part, f"it wrote {json_type(part)}, where a part is a JSON object: {describe(part)}"
