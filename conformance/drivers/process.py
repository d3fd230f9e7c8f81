"""One process of an adapter that speaks drive/1: its hello, its runs, its lines and its end."""

import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from conformance.contract.notes import stderr_note
from conformance.contract.transcript import Incident, Verdict
from conformance.drivers.child import Child, settle
from conformance.drivers.driver import CLOSED, Outcome, Overhear, close_run
from conformance.drivers.flight import EVENT_OF_MESSAGE, Flight, LeaveAlone, RunEvent
from conformance.drivers.incidents import IncidentLog
from conformance.drivers.messages import (
    LOGS,
    MAX_LINE,
    Lines,
    decode_line,
    encode_line,
    why_invalid,
)
from conformance.drivers.recorder import Recorder
from mockserver import __version__
from mockserver.foundation.faults import AdapterError, Problem

_GOODBYE = 2.0
"""Seconds for a program to exit after bye; large libraries take a while to shut down."""

_KIT_HELLO = {
    "type": "hello",
    "protocol": 1,
    "kit": {"name": "streamproof", "version": __version__},
}

UNUSABLE_AFTER: tuple[Verdict, ...] = ("hung", "broke-protocol")
"""After these verdicts of a run a process gets no other run."""

# Verdicts that explain why a process ends shortly afterwards.
_FAILED: tuple[Verdict, ...] = (*UNUSABLE_AFTER, "crashed")


_HINT_LOGS = "its hello is the first line on stdout, and logs go to stderr"
_HINT_HELLO = "its hello is as $defs.adapter-hello of schemas/driver.json says"


class Program(NamedTuple):
    """How to start a program, and how long it may take to answer hello."""

    argv: tuple[str, ...]
    folder: Path
    hello_seconds: float


class AdapterProcess:
    """One process of the adapter, from its hello to its end."""

    def __init__(
        self,
        program: Program,
        listener: Overhear,
        incidents: IncidentLog,
        on_escape: Callable[[str], None],
    ) -> None:
        """Start it and exchange hellos. Raises AdapterError."""
        self._incidents = incidents
        self.has_ended = False
        self.hello: Mapping[str, Any] = {}
        self._hello_problem: tuple[str, str] | None = None  # what is wrong, and a hint
        self._flights: dict[str, Flight] = {}
        self._names: dict[str, str] = {}  # the cases of all runs by their ids
        self._shared: set[str] = set()  # the ids of runs that had others beside them
        self._ended_last = ""
        self.lines_read = 0
        self._exclusive_run = ""
        self._lines = Lines(MAX_LINE)
        self._hello_done = threading.Event()
        # Held while lines are handled, so that all that came are handled once the lock is free.
        self._lock = threading.RLock()
        self._listener = listener
        self.child = Child(program.argv, program.folder, on_escape=on_escape)
        self.child.listen(self._on_stdout, self._on_exit)
        self._write(_KIT_HELLO)
        if not self._hello_done.wait(program.hello_seconds):
            self._hello_problem = (
                f"it did not answer hello within {program.hello_seconds:g} seconds "
                "(--start-deadline allows more)",
                "it answers the first line on stdin with one line on stdout, and flushes it",
            )
        if self._hello_problem:
            self.end()
            wrong, hint = self._hello_problem
            problem = "; ".join([wrong, *stderr_note(self.child.stderr())])
            raise AdapterError(Problem(problem, hint=f"{hint}. To try: {shlex.join(program.argv)}"))

    def play(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        *,
        alone: bool,
        leave_alone: LeaveAlone | None = None,
    ) -> Outcome:
        """Play one run to its outcome."""
        recorder.begin()
        cancel = {"type": "cancel", "id": message["id"]}
        flight = Flight(message, recorder, lambda: self._write(cancel), self.child.threads)
        before = self.child.stderr_bytes
        with self._lock:
            # The first run of a process has it to itself too.
            self._exclusive_run = flight.id if alone or not self._names else ""
            if self.has_ended:
                event = RunEvent.DISTURBED if self._names else RunEvent.GONE
                flight.apply(event, f"{self.child.exited()} before the run began")
            self._flights[flight.id] = flight
            if len(self._flights) > 1:
                self._shared.update(self._flights)
            self._names[flight.id] = flight.name
        self._write(message)
        flight.wait_for_verdict(leave_alone)
        recorder.on_end()
        if not self.has_ended:
            settle(self.child, lambda: self.lines_read)
        with self._lock:
            del self._flights[flight.id]
            self._ended_last = flight.name
        said = self.child.stderr(before)
        return close_run(flight.outcome(said, shared=flight.id in self._shared), recorder)

    @property
    def has_played(self) -> bool:
        """Whether it was given a run."""
        return bool(self._names)

    def cancel(self, id_: str) -> None:
        """Cancel a run in flight."""
        if flight := self._flights.get(id_):
            flight.cancel()

    def abort(self, why: str) -> None:
        """End the process; other runs in flight are to be played again."""
        self._abort_runs(why)
        self.end()

    def shut_down(self) -> str:
        """Send bye and end the process group; returns what was still running, in words."""
        self._abort_runs(CLOSED)
        self.child.note_escaped()
        self._write({"type": "bye"})
        self.child.hang_up()
        return self.end(_GOODBYE)

    def end(self, patience: float = 0) -> str:
        """End the process group; returns what was still running after ``patience`` seconds."""
        self.has_ended = True
        return self.child.end(patience)

    def _write(self, message: Mapping[str, Any]) -> None:
        line = encode_line(message)
        self._listener("→", line)
        self.child.write(line)

    # Called on the thread that reads stdout

    def _on_stdout(self, data: bytes) -> None:
        with self._lock:
            for each in self._lines.feed(data):
                self.lines_read += 1
                self._listener("←", each)
                self._handle_line(each)

    def _handle_line(self, each: bytes) -> None:
        message, wrong = decode_line(each)
        if not self.hello:
            self._take_hello(message, wrong or why_invalid(message, "hello"))
            return
        if not wrong and (invalid := why_invalid(message, *EVENT_OF_MESSAGE)):
            wrong = f"it wrote {invalid}"
        flight = None if wrong else self._flights.get(message["id"])
        if flight:
            flight.apply_message(message)
        elif wrong or message["id"] not in self._names:
            self._reject_line(wrong or _of_unknown_run(message))
        elif message["type"] != "cancelling" and not self.has_ended:
            what = "a part" if message["type"] == "part" else f"a {message['type']} message"
            name = self._names[message["id"]]
            self._incidents.keep(self._incidents.make("late-message", what, after=name))

    def _take_hello(self, message: Any, wrong: str) -> None:
        if self._hello_done.is_set():
            return
        if isinstance(message, dict) and message.get("protocol", 1) != 1:
            wrong = f"it speaks protocol {message['protocol']!r}, and this kit speaks 1"
            self._hello_problem = wrong, "its hello says protocol 1"
        elif wrong:
            hint = _HINT_LOGS if wrong.endswith(LOGS) else _HINT_HELLO
            self._hello_problem = f"its first line is no hello: {wrong}", hint
        else:
            self.hello = message
        self._hello_done.set()

    def _reject_line(self, why: str) -> None:
        """Blame an invalid line without a known id on the run in flight, if there is only one."""
        flights = self._open_flights()
        if len(flights) == 1:
            flights[0].apply(RunEvent.NONSENSE, why)
        elif not self.has_ended:
            self._abort_runs(self._incident("invalid-line", why, flights))

    def _abort_runs(self, why: str | Incident) -> None:
        with self._lock:
            self.has_ended = True
            for flight in self._flights.values():
                flight.apply(RunEvent.DISTURBED, why)

    def _open_flights(self) -> list[Flight]:
        return [flight for flight in self._flights.values() if flight.verdict is None]

    def _incident(
        self, kind: Literal["ended", "invalid-line"], what: str, flights: Sequence[Flight]
    ) -> Incident:
        """An incident; if no run is in flight, it is kept for the next outcome."""
        settling = [flight.name for flight in self._flights.values() if flight.verdict]
        after = settling[-1] if settling else self._ended_last
        names = [flight.name for flight in flights]
        incident = self._incidents.make(kind, what, names, after, self.child.stderr())
        if not names:
            self._incidents.keep(incident)
        return incident

    # Called when the process has exited

    def _on_exit(self) -> None:
        with self._lock:
            was_asked_to, self.has_ended = self.has_ended, True
            if not was_asked_to and self.hello:
                self._lose_runs()
        if not self._hello_done.is_set() and not self._hello_problem:
            wrong = f"{self.child.exited()} before its hello"
            self._hello_problem = wrong, "it runs until bye, or until stdin ends"
            self._hello_done.set()

    def _lose_runs(self) -> None:
        """Blame the end of the process on the run in flight, if it is known to be the cause."""
        how, flights = self.child.exited(), self._open_flights()
        rest = f", and of its last line there was only {self._lines.rest[:100]!r}"
        why = f"{how} in the middle of a run{rest if self._lines.rest else ''}"
        if len(flights) == 1 and (flights[0].was_answered or flights[0].id == self._exclusive_run):
            flights[0].apply(RunEvent.GONE, why)
            return
        if any(flight.verdict in _FAILED for flight in self._flights.values()):
            # That run is the reason, and has a verdict that says so.
            self._abort_runs(why)
            return
        incident = self._incident("ended", how, flights)
        for flight in flights:
            flight.apply(RunEvent.DISTURBED, incident)


def _of_unknown_run(message: Mapping[str, Any]) -> str:
    """A valid message about a run that was never begun, in words."""
    return (
        f"it wrote a {message['type']} message of {message['id']!r}, a run that the kit never began"
    )
