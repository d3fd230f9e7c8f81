"""Drives an adapter that is a server itself, such as a gateway: a process for each run.

The server finds the upstream's base URL in ``MOCK_BASE_URL`` and listens on ``PORT``. A client of
the kit's own (see ``clients``) sends the run there as one request below ``/v1``. What a server
emits is what it serves, and parts are what that client reads of it. A server is so held to what a
correct client can make of its answer.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.dialects import CLIENTS
from conformance.drivers.child import Child, found
from conformance.drivers.driver import CLOSED, Outcome, settled, unasked
from conformance.drivers.python import PythonDriver
from mockserver.faults import AdapterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from conformance.drivers.recorder import Recorder

UP_SECONDS = 10.0
_HOST = "127.0.0.1"
# Below those that systems give to clients: whoever knocks at one of those may get it as its own.
_PORTS = range(10_000, 32_000)
_TAKEN = itertools.count()
_BETWEEN = 0.01
_EXITING = 0.1


class ServeDriver:
    """Starts the server anew for each run, as its upstream is another one each time."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        serves: str,
        up_seconds: float = UP_SECONDS,
    ) -> None:
        self._argv, self._folder, self._up_seconds = tuple(argv), folder, up_seconds
        self._serves, self._client = serves, CLIENTS[serves]
        self._servers: dict[str, _Server] = {}
        self._clients: dict[str, PythonDriver] = {}
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
        try:
            if self._closed:
                raise AdapterError(CLOSED)
            server = _Server(self._argv, self._folder, message["base_url"])
        except AdapterError as error:
            return settled(Outcome("not-run", notes=(str(error),)), recorder)
        self._servers[message["id"]] = server
        try:
            if not server.is_up(self._up_seconds):
                wrong = f"nothing listens on the port that PORT names; {server.state()}"
                return settled(Outcome("crashed", notes=(wrong, *server.notes())), recorder)
            outcome = self._asked(server, message, recorder, ended)
        finally:
            del self._servers[message["id"]]
            server.end()
        return replace(outcome, notes=(*outcome.notes, *server.notes()))

    def _asked(
        self,
        server: _Server,
        message: Mapping[str, Any],
        recorder: Recorder,
        ended: Callable[[], None],
    ) -> Outcome:
        """What the client makes of the server; one that is gone by then has crashed."""
        driver = self._clients[message["id"]] = PythonDriver(self._client.make())
        try:
            asked = {**message, "dialect": self._serves, "base_url": f"{server.url}/v1"}
            outcome = driver.run(asked, recorder, ended)
        finally:
            del self._clients[message["id"]]
            driver.close()
        if outcome.verdict == "failed" and server.exits():
            notes = (f"{server.state()} in the middle of a run", *outcome.notes)
            return replace(outcome, verdict="crashed", ends=(), notes=notes)
        return outcome

    def cancel(self, id_: str) -> None:
        if driver := self._clients.get(id_):
            driver.cancel(id_)

    def close(self) -> None:
        self._closed = True
        for server in list(self._servers.values()):
            server.end()


class _Server:
    """One process and the port that it was given."""

    def __init__(self, argv: Sequence[str], folder: Path, base_url: str) -> None:
        """Raises AdapterError where there is no such program."""
        self._port = _free_port()
        self.url = f"http://{_HOST}:{self._port}"
        self._exited = threading.Event()
        extra = {"MOCK_BASE_URL": base_url, "PORT": str(self._port)}
        self._child = Child(argv, folder, extra)
        self._child.listen(gone=self._exited.set)
        self._child.hang_up()

    def exits(self) -> bool:
        """Has it exited, or is it about to? A client may notice that before anybody else."""
        return self._exited.wait(_EXITING)

    def is_up(self, seconds: float) -> bool:
        """Wait until it listens; at most so long, and no longer than it lives."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._exited.is_set():
            if self._listens():
                return True
            self._exited.wait(_BETWEEN)
        return False

    def _listens(self) -> bool:
        try:
            with socket.create_connection((_HOST, self._port), timeout=1):
                return True
        except OSError:
            return False

    def state(self) -> str:
        """Whether and how it ended, in words."""
        return self._child.exited()

    def notes(self) -> tuple[str, ...]:
        said = self._child.stderr()
        return (f"on stderr it said:\n{said}",) if said else ()

    def end(self) -> None:
        self._child.end(0)


def _free_port() -> int:
    """One that nobody listens on; each process begins elsewhere, and takes one after the other."""
    while True:
        port = _PORTS[(os.getpid() * 331 + next(_TAKEN)) % len(_PORTS)]
        with socket.socket() as taken, suppress(OSError):
            taken.bind((_HOST, port))
            return port
