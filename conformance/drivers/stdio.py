"""Drives an adapter that is a child process speaking drive/1 on stdin and stdout.

One process takes many runs, side by side if it claims so. Each run is a flight; the lines that come
are handed to the flight whose id they carry. After a crash or a hang the process group is ended,
and the next run finds a fresh one.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from conformance.drivers.child import GRACE, Child
from conformance.drivers.driver import Outcome, settled
from conformance.drivers.flight import Flight
from conformance.drivers.life import Heard
from conformance.drivers.lines import Lines, Overlong
from conformance.drivers.messages import ENDINGS, MAX_LINE, departure, line
from conformance.drivers.sharing import Sharing
from mockserver import __version__
from mockserver.faults import AdapterError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conformance.recorder import Recorder

HELLO_SECONDS = 10.0
_KIT_HELLO = {
    "type": "hello",
    "protocol": 1,
    "kit": {"name": "streamproof", "version": __version__},
}
_HEARD = {"part": Heard.PART, "cancelling": Heard.NOTICE, **dict.fromkeys(ENDINGS, Heard.ENDING)}


class StdioDriver:
    """Runs of one adapter; ``run`` may be called from as many threads as it claims to take."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        self._argv, self._folder = tuple(argv), folder
        self._speaker: _Speaker | None = None
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
            speaker = self._running()
            outcome = speaker.play(message, recorder, ended)
            if outcome.verdict == "hung":
                speaker.break_off(f"another run, {message['id']}, hung")
        return outcome

    def cancel(self, id_: str) -> None:
        if self._speaker:
            self._speaker.cancel(id_)

    def close(self) -> None:
        if self._speaker:
            self._speaker.dismiss()

    def _running(self) -> _Speaker:
        with self._starting:
            if self._speaker is None or self._speaker.is_gone:
                self._speaker = _Speaker(self._argv, self._folder)
            return self._speaker


class _Speaker:
    """One process from its hello to its end."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        """Start it and shake hands. Raises AdapterError."""
        self.is_gone = False
        self.hello: Mapping[str, Any] = {}
        self._refused = ""
        self._flights: dict[str, Flight] = {}
        self._known: set[str] = set()
        self._lines = Lines(MAX_LINE)
        self._greeted = threading.Event()
        # Held while what has come is heard, so that all of it was heard once the lock is free.
        self._hearing = threading.RLock()
        self._child = Child(argv, folder, self._hear, self._gone)
        self._child.write(line(_KIT_HELLO))
        if not self._greeted.wait(HELLO_SECONDS):
            self._refused = f"it did not answer hello within {HELLO_SECONDS:.0f} seconds"
        if self._refused:
            self._refuse(argv)

    def _refuse(self, argv: Sequence[str]) -> None:
        self.is_gone = True
        self._child.end(0)
        said = self._child.stderr().strip()
        told = f"{self._refused}; on stderr it said:\n{said}" if said else self._refused
        hint = (
            "it answers the first line on stdin with one line on stdout, and flushes it; "
            f"logs go to stderr. To try: {' '.join(argv)}"
        )
        raise AdapterError(Problem(told, hint=hint))

    def play(
        self, message: Mapping[str, Any], recorder: Recorder, ended: Callable[[], None]
    ) -> Outcome:
        """Play one run to its outcome."""
        flight = Flight(message, recorder, lambda: self._say_cancel(message["id"]))
        with self._hearing:
            self._flights[flight.id] = flight
            self._known.add(flight.id)
            gone = self.is_gone
        if gone:
            flight.hear(Heard.DISTURBED, "the process had ended")
        self._child.write(line(message))
        outcome = flight.landed()
        ended()
        with self._hearing:
            del self._flights[flight.id]
        return settled(flight.with_every_ending(outcome), recorder)

    def cancel(self, id_: str) -> None:
        """Cancel a run in flight."""
        if flight := self._flights.get(id_):
            flight.cancel()

    def _say_cancel(self, id_: str) -> None:
        self._child.write(line({"type": "cancel", "id": id_}))

    def break_off(self, why: str) -> None:
        """End the process; the runs that were in flight beside are to be played again."""
        self.is_gone = True
        self._disturb(why)
        self._child.end(0)

    def dismiss(self) -> None:
        """Say goodbye, and see to it that nothing is left."""
        self.is_gone = True
        self._child.write(line({"type": "bye"}))
        self._child.hang_up()
        self._child.end(GRACE)

    # What comes from the process, on its reading thread

    def _hear(self, data: bytes) -> None:
        with self._hearing:
            for each in self._lines.feed(data):
                self._line(each)

    def _line(self, each: bytes) -> None:
        message, wrong = _read(each)
        if not self.hello:
            self._greet(message, wrong or departure(message, "hello"))
            return
        wrong = wrong or departure(message, *_HEARD)
        flight = None if wrong else self._flights.get(message["id"])
        if flight:
            flight.hear(_HEARD[message["type"]], message)
        elif wrong or message["id"] not in self._known:
            self._blame(
                Heard.NONSENSE, wrong or f"it named a run that there is not: {each[:200]!r}"
            )

    def _greet(self, message: Any, wrong: str) -> None:
        if isinstance(message, dict) and message.get("protocol", 1) != 1:
            wrong = f"it speaks protocol {message['protocol']!r}, and this kit speaks 1"
        elif wrong:
            wrong = f"its first line is no hello: {wrong}"
        self._refused = wrong
        self.hello = {} if wrong else message
        self._greeted.set()

    def _gone(self) -> None:
        with self._hearing:
            self.is_gone = True
            why = f"{self._child.exited()} in the middle of a run"
            if rest := self._lines.rest:
                why += f", and of its last line there was only {rest[:100]!r}"
            if said := self._child.stderr().strip():
                why += f"; on stderr it said:\n{said}"
            self._blame(Heard.GONE, why)
        if not self._greeted.is_set():
            self._refused = f"{self._child.exited()} before its hello"
            self._greeted.set()

    def _blame(self, heard: Heard, why: str) -> None:
        """Tell the one run in flight; of several, nobody knows which it was."""
        if len(self._flights) == 1:
            for flight in self._flights.values():
                flight.hear(heard, why)
        else:
            self._disturb(why)

    def _disturb(self, why: str) -> None:
        with self._hearing:
            for flight in self._flights.values():
                flight.hear(Heard.DISTURBED, why)


def _read(each: bytes) -> tuple[Any, str]:
    """A line as JSON, and what is wrong with it."""
    if isinstance(each, Overlong):
        return None, f"it wrote a line of more than {MAX_LINE >> 20} MiB"
    try:
        return json.loads(each), ""
    except (ValueError, RecursionError):
        return None, f"it wrote to stdout what is no JSON: {each[:200]!r}; logs go to stderr"
