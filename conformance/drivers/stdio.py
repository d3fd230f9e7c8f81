"""Drives an adapter that is a child process speaking drive/1 on stdin and stdout.

One process takes many runs, side by side if it claims so. Each run is a flight; the lines that come
are handed to the flight whose id they carry. After a crash, a hang or a line that drive/1 does not
allow, the process group is ended, and the next run finds a fresh one.

Who is to blame? A line that names its run is that run's doing, and so is the end of a process in
which it was alone. Of several runs nobody knows which it was, and a process that ends before it has
said a word of its run may have been at its end already. Such runs are not judged but played again,
alone; one that is lost alone has no one else to blame.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.drivers.child import Child
from conformance.drivers.driver import CLOSED, Outcome, settled
from conformance.drivers.flight import HEARD, Flight
from conformance.drivers.lifecycle import Heard
from conformance.drivers.lines import Lines
from conformance.drivers.messages import MAX_LINE, decoded, departure, line
from conformance.drivers.recorder import Recorder
from conformance.drivers.sharing import Sharing
from mockserver import __version__
from mockserver.faults import AdapterError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conformance.contract.transcript import Verdict
    from conformance.drivers.driver import Overhear

HELLO_SECONDS = 10.0
_LINGER = 0.001
"""Seconds in which what is said right behind an ending is still heard."""

_GOODBYE = 2.0
"""Seconds for a program to leave after bye: large libraries take a while to be torn down."""

_KIT_HELLO = {
    "type": "hello",
    "protocol": 1,
    "kit": {"name": "streamproof", "version": __version__},
}


def _unheard(_direction: str, _line: bytes) -> None:
    """Nobody listens in."""


# After these a process is not to be trusted with another run.
_SPOILS: tuple[Verdict, ...] = ("hung", "broke-protocol")


class StdioDriver:
    """Runs of one adapter; ``run`` may be called from as many threads as it claims to take."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        hello_seconds: float = HELLO_SECONDS,
        overhear: Overhear = _unheard,
    ) -> None:
        self._start = partial(_Speaker, tuple(argv), folder, hello_seconds, overhear)
        # What was still there of the last process when it was closed; empty where nothing was.
        self.left = ""
        self._speaker: _Speaker | None = None
        self._unusable: AdapterError | None = None
        self._starting = threading.Lock()
        self._sharing = Sharing()

    def hello(self) -> Mapping[str, Any]:
        return self._running().hello

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None] = lambda: None,
        *,
        alone: bool = False,
    ) -> Outcome:
        with self._sharing.alone() if alone else self._sharing.beside():
            try:
                speaker = self._running()
            except AdapterError as error:
                return settled(Outcome("not-run", notes=(str(error),)), recorder)
            outcome = speaker.play(message, recorder, ended, alone=alone)
            if outcome.verdict in _SPOILS:
                speaker.break_off(f"another run beside it, {message['id']}: {outcome.verdict}")
        return outcome

    def count(self, message: Mapping[str, Any]) -> Outcome:
        return self.run(message, Recorder(), alone=True)

    def restart(self) -> None:
        with self._sharing.alone(), self._starting:
            speaker, self._speaker = self._speaker, None
            if speaker:
                speaker.dismiss()
        self._running()

    def cancel(self, id_: str) -> None:
        if self._speaker:
            self._speaker.cancel(id_)

    def close(self) -> None:
        with self._starting:
            self._unusable = AdapterError(CLOSED)
            speaker, self._speaker = self._speaker, None
        if speaker:
            self.left = speaker.dismiss()

    def _running(self) -> _Speaker:
        """The process that takes runs. Raises AdapterError, and ever again once it has."""
        with self._starting:
            if self._unusable:
                raise self._unusable
            if self._speaker is None or self._speaker.is_gone:
                if self._speaker:
                    self._speaker.end()
                try:
                    self._speaker = self._start()
                except AdapterError as error:
                    self._speaker, self._unusable = None, error
                    raise
            return self._speaker


class _Speaker:
    """One process from its hello to its end."""

    def __init__(
        self, argv: Sequence[str], folder: Path, seconds: float, overhear: Overhear
    ) -> None:
        """Start it and shake hands. Raises AdapterError."""
        self.is_gone = False
        self.hello: Mapping[str, Any] = {}
        self._refused = ""
        self._flights: dict[str, Flight] = {}
        self._known: set[str] = set()
        self._sole = ""
        self._lines = Lines(MAX_LINE)
        self._greeted = threading.Event()
        # Held while what has come is heard, so that all of it was heard once the lock is free.
        self._hearing = threading.RLock()
        self._overhear = overhear
        self._child = Child(argv, folder)
        self._child.listen(self._hear, self._gone)
        self._write(_KIT_HELLO)
        if not self._greeted.wait(seconds):
            self._refused = f"it did not answer hello within {seconds:g} seconds"
        if self._refused:
            self._refuse(argv)

    def _refuse(self, argv: Sequence[str]) -> None:
        self.end()
        said = self._child.stderr()
        told = f"{self._refused}; on stderr it said:\n{said}" if said else self._refused
        hint = (
            "it answers the first line on stdin with one line on stdout, and flushes it; "
            f"logs go to stderr. To try: {' '.join(argv)}"
        )
        raise AdapterError(Problem(told, hint=hint))

    def play(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None],
        *,
        alone: bool,
    ) -> Outcome:
        """Play one run to its outcome."""
        flight = Flight(message, recorder, lambda: self._say_cancel(message["id"]))
        before = self._child.said
        with self._hearing:
            # The first run of a process has it to itself as well: nobody came before.
            self._sole = flight.id if alone or not self._known else ""
            self._flights[flight.id] = flight
            self._known.add(flight.id)
            if self.is_gone:
                lost = Heard.GONE if self._sole else Heard.DISTURBED
                flight.hear(lost, f"{self._child.exited()} before the run began")
        self._write(message)
        flight.landed()
        ended()
        time.sleep(_LINGER)
        with self._hearing:
            del self._flights[flight.id]
        return settled(flight.outcome(self._child.stderr(before)), recorder)

    def cancel(self, id_: str) -> None:
        """Cancel a run in flight."""
        if flight := self._flights.get(id_):
            flight.cancel()

    def _say_cancel(self, id_: str) -> None:
        self._write({"type": "cancel", "id": id_})

    def break_off(self, why: str) -> None:
        """End the process; the runs that were in flight beside are to be played again."""
        self._disturb(why)
        self.end()

    def dismiss(self) -> str:
        """Say goodbye, and see to it that nothing is left; what would have been, in words."""
        self._disturb(CLOSED)
        self._write({"type": "bye"})
        self._child.hang_up()
        return self.end(_GOODBYE)

    def end(self, patience: float = 0) -> str:
        """See to it that nothing is left of it; what would have been, in words."""
        self.is_gone = True
        return self._child.end(patience)

    def _write(self, message: Mapping[str, Any]) -> None:
        told = line(message)
        self._overhear("→", told)
        self._child.write(told)

    # What comes from the process, on its reading thread

    def _hear(self, data: bytes) -> None:
        with self._hearing:
            for each in self._lines.feed(data):
                self._overhear("←", each)
                self._line(each)

    def _line(self, each: bytes) -> None:
        message, wrong = decoded(each)
        if not self.hello:
            self._greet(message, wrong or departure(message, "hello"))
            return
        wrong = wrong or departure(message, *HEARD)
        flight = None if wrong else self._flights.get(message["id"])
        if flight:
            flight.told(message)
        elif wrong or message["id"] not in self._known:
            self._blame(wrong or f"it named a run that there is not: {each[:200]!r}")

    def _greet(self, message: Any, wrong: str) -> None:
        if self._greeted.is_set():
            return
        if isinstance(message, dict) and message.get("protocol", 1) != 1:
            wrong = f"it speaks protocol {message['protocol']!r}, and this kit speaks 1"
        elif wrong:
            wrong = f"its first line is no hello: {wrong}"
        self._refused = wrong
        self.hello = {} if wrong else message
        self._greeted.set()

    def _blame(self, why: str) -> None:
        """A line that names no run is told to the one in flight, if there is but one."""
        flights = list(self._flights.values())
        if len(flights) == 1:
            flights[0].hear(Heard.NONSENSE, why)
        else:
            self._disturb(why)

    def _disturb(self, why: str) -> None:
        with self._hearing:
            self.is_gone = True
            for flight in self._flights.values():
                flight.hear(Heard.DISTURBED, why)

    # What comes when it has exited

    def _gone(self) -> None:
        with self._hearing:
            self.is_gone = True
            why = f"{self._child.exited()} in the middle of a run"
            if rest := self._lines.rest:
                why += f", and of its last line there was only {rest[:100]!r}"
            flights = list(self._flights.values())
            for flight in flights:
                heard = Heard.GONE if self._is_its_doing(flight, flights) else Heard.DISTURBED
                flight.hear(heard, why)
        if not self._greeted.is_set() and not self._refused:
            self._refused = f"{self._child.exited()} before its hello"
            self._greeted.set()

    def _is_its_doing(self, flight: Flight, flights: Sequence[Flight]) -> bool:
        was_alone = len(flights) == 1
        return was_alone and (flight.was_heard_of or flight.id == self._sole)
