"""Drives an adapter that is a child process speaking drive/1 on stdin and stdout.

One process takes many runs, concurrently if it claims so. Each run is a ``Flight``; lines from the
process go to the flight with the same id. After a crash, a hang or a line that drive/1 does not
allow, the process group is ended, and the next run gets a new process.

A run is to blame for an invalid line with its id, and for the end of a process that it had to
itself. Among several runs it is not known which one ended the process; and if a process ends before
it has answered its run, an earlier run may have caused it. Such runs are not judged but played
again, alone and in a fresh process; a run that is lost there is to blame itself. What happened is
an incident, which is reported even if no run does it again. So are the end of a process between two
runs, an invalid line there, and messages of a run that come after it has settled: they go with the
next outcome.
"""

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from conformance.drivers.child import wait_until_handled
from conformance.drivers.driver import (
    CLOSED,
    START_SECONDS,
    Counter,
    Outcome,
    Overhear,
    Place,
    Sharing,
    escape_messages,
    not_run,
)
from conformance.drivers.incidents import IncidentLog, describe_incident
from conformance.drivers.process import UNUSABLE_AFTER, AdapterProcess, Program
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError


class StdioDriver(Counter):
    """Drives one adapter; ``run`` may be called from as many threads as the adapter claims.

    ``listener`` gets every line of drive/1. ``left_running`` says what was still running when the
    last process should have exited; empty if nothing was.
    """

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        hello_seconds: float = START_SECONDS,
        listener: Overhear = lambda _direction, _line: None,
    ) -> None:
        self.incidents = IncidentLog()
        self._escaped: list[str] = []
        self._start = partial(
            AdapterProcess,
            Program(tuple(argv), folder, hello_seconds),
            listener,
            self.incidents,
            self._escaped.append,
        )
        self.left_running = ""
        self._process: AdapterProcess | None = None
        self._unusable: AdapterError | None = None
        self._starting = threading.Lock()
        self._sharing = Sharing()

    def hello(self) -> Mapping[str, Any]:
        return self._usable_process().hello

    def run(
        self, message: Mapping[str, Any], recorder: Recorder, place: Place = "beside others"
    ) -> Outcome:
        alone = place != "beside others"
        with self._sharing.hold(alone=alone):
            try:
                process = self._usable_process(fresh=place == "fresh")
            except AdapterError as error:
                return not_run(error, recorder)
            leave_alone = None if alone else self._sharing.leave_alone
            outcome = process.play(message, recorder, alone=alone, leave_alone=leave_alone)
            if outcome.verdict in UNUSABLE_AFTER:
                other = recorder.name or message["id"]
                process.abort(f"another run beside it, {other}, ended as {outcome.verdict}")
        return self.incidents.report(outcome, recorder)

    def count(self, message: Mapping[str, Any]) -> Outcome:
        return self.run(message, Recorder(), "alone")

    def restart(self) -> None:
        with self._sharing.hold(alone=True), self._starting:
            process, self._process = self._process, None
            if process:
                process.shut_down()
        self._usable_process()

    def cancel(self, id_: str) -> None:
        if self._process:
            self._process.cancel(id_)

    async def catch_up(self) -> None:
        if process := self._process:
            await wait_until_handled(lambda: [process.child])

    def close(self) -> None:
        with self._starting:
            self._unusable = AdapterError(CLOSED)
            process, self._process = self._process, None
        if process:
            self.left_running = process.shut_down()

    def left_behind(self) -> Sequence[str]:
        kept = self.incidents.take()
        return (*map(describe_incident, kept), *escape_messages(self._escaped))

    def _usable_process(self, *, fresh: bool = False) -> AdapterProcess:
        """The running process, started if there is none; a ``fresh`` one has played no run.

        Raises AdapterError if it cannot be started, and at every call after that.
        """
        with self._starting:
            if self._unusable:
                raise self._unusable
            if self._process and fresh and self._process.has_played and not self._process.has_ended:
                self._process.shut_down()
            if self._process is None or self._process.has_ended:
                if self._process:
                    self._process.end()
                try:
                    self._process = self._start()
                except AdapterError as error:
                    self._process, self._unusable = None, error
                    raise
            return self._process
