"""Drives an adapter that is a server itself, such as a gateway: a process for each run, or one.

The server finds the upstream's base URL in ``MOCK_BASE_URL`` and listens on ``PORT``. A client of
the kit's own (see ``clients``) sends the run there as one request below ``/v1``, and its parts are
what that client reads from the answer. So a server is judged by what a correct client can read.

A server that is started once has one upstream for all runs, and the model of a request names its
run. If it exits, the runs in flight have crashed, and the next one starts it again.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contract.notes import stderr_note
from conformance.drivers.child import Child, require_program
from conformance.drivers.driver import (
    CLOSED,
    START_SECONDS,
    Driver,
    Outcome,
    Place,
    close_run,
    escape_messages,
    hello_of_program,
    not_run,
)
from conformance.drivers.recorder import Recorder
from conformance.drivers.running import ClientRuns, listens
from mockserver.foundation.faults import AdapterError
from mockserver.server.address import split_run_url

_HOST = "127.0.0.1"
# The key of a server that is started once; ids of runs are not empty.
_ALL_RUNS = ""
# Below the ephemeral range: a client that connects to a free port there may get it as its own port.
_PORTS = range(10_000, 32_000)
_PORT_COUNTER = itertools.count()
_POLL_SECONDS = 0.01
_EXIT_SECONDS = 0.1
# For a server that no longer listens.
_CLOSED_SECONDS = 5.0


class ServeDriver(Driver):
    """Starts the server for each run, which has a base URL of its own, or ``once``."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        serves: str,
        up_seconds: float = START_SECONDS,
        *,
        once: bool = False,
    ) -> None:
        self._argv, self._folder, self._up_seconds = tuple(argv), folder, up_seconds
        self._servers: dict[str, _Server] = {}
        self._once, self._starting = once, threading.Lock()
        self._runs = ClientRuns(serves)
        self._escaped: list[str] = []
        self._closed = threading.Event()

    def hello(self) -> Mapping[str, Any]:
        require_program(self._argv, self._folder)
        return hello_of_program(self._argv[0])

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        place: Place = "beside others",  # noqa: ARG002
    ) -> Outcome:
        try:
            if self._closed.is_set():
                raise AdapterError(CLOSED)
            base_url, model = message["base_url"], message["model"]
            if self._once:
                base_url, model = split_run_url(base_url)
            server = self._server(message["id"], base_url)
        except AdapterError as error:
            return not_run(error, recorder)
        if self._closed.is_set():  # In the meantime: close() may not have seen this server.
            server.end()
        try:
            if not server.is_up(self._up_seconds):
                wrong = f"nothing listens on the port that PORT names; {server.state()}"
                return close_run(Outcome("crashed", notes=(wrong, *server.notes())), recorder)
            asked = {**message, "model": model, "base_url": f"{server.url}/v1"}
            outcome = self._runs.play(asked, recorder, server.why_gone)
        finally:
            if not self._once:
                del self._servers[message["id"]]
                server.end()
        # What a server that goes on has said may be about any run.
        said = () if self._once and outcome.verdict != "crashed" else server.notes()
        return replace(outcome, notes=(*outcome.notes, *said))

    def _server(self, run: str, base_url: str) -> _Server:
        """A server of the run's own, or the one of all runs. Raises AdapterError."""
        with self._starting:
            known = self._servers.get(_ALL_RUNS) if self._once else None
            if known and not known.has_exited():
                return known
            server = _Server(self._argv, self._folder, base_url, self._escaped.append)
            self._servers[_ALL_RUNS if self._once else run] = server
        return server

    def cancel(self, id_: str) -> None:
        self._runs.cancel(id_)

    def close(self) -> None:
        self._closed.set()
        for server in list(self._servers.values()):
            server.end()

    def left_behind(self) -> Sequence[str]:
        return tuple(escape_messages(self._escaped))


class _Server:
    """One server process and its port."""

    def __init__(
        self, argv: Sequence[str], folder: Path, base_url: str, on_escape: Callable[[str], None]
    ) -> None:
        """Start the program. Raises AdapterError if it cannot be started."""
        self._port = _free_port()
        self.url = f"http://{_HOST}:{self._port}"
        self._exited = threading.Event()
        extra = {"MOCK_BASE_URL": base_url, "PORT": str(self._port)}
        self._child = Child(argv, folder, extra, on_escape)
        self._child.listen(on_exit=self._exited.set)
        self._child.hang_up()

    def has_exited(self) -> bool:
        """Whether its process is over."""
        return self._exited.is_set()

    def why_gone(self) -> str:
        """How it has exited, or is about to; empty if it is there.

        A client may notice the end before the kit.
        """
        exits = self._exited.wait(_EXIT_SECONDS)
        gone = exits or (not self._listens() and self._exited.wait(_CLOSED_SECONDS))
        return f"{self.state()} in the middle of a run" if gone else ""

    def is_up(self, seconds: float) -> bool:
        """Wait up to so many seconds, while it runs, until it listens; whether it does."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._exited.is_set():
            if self._listens():
                return True
            self._exited.wait(_POLL_SECONDS)
        return False

    def _listens(self) -> bool:
        return listens(_HOST, self._port, 1)

    def state(self) -> str:
        """Whether and how it ended, in words."""
        return self._child.exited()

    def notes(self) -> tuple[str, ...]:
        return stderr_note(self._child.stderr())

    def end(self) -> None:
        self._child.end(0)


def _free_port() -> int:
    """A free port; each kit process starts at another port and counts up."""
    while True:
        port = _PORTS[(os.getpid() * 331 + next(_PORT_COUNTER)) % len(_PORTS)]
        with socket.socket() as taken, suppress(OSError):
            taken.bind((_HOST, port))
            return port
