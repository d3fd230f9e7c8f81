"""Drives adapters that are servers, such as gateways: started by the kit, or running already.

A client of the kit's own (see ``clients``) sends each run as one request below ``/v1``, and its
parts are what that client reads from the answer. So a server is judged by what a correct client
can read.

A server that the kit starts finds the upstream's base URL in ``MOCK_BASE_URL`` and listens on
``PORT``; each run has a process of its own, or all have one. A server that is started once, or that
runs already, has one upstream for all runs, and the model of a request names its run. If one that
the kit has started exits, the runs in flight have crashed, and the next one starts it again.
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
from urllib.parse import urlsplit

from conformance.contract.adapter import Description
from conformance.contract.notes import stderr_note
from conformance.dialects import CLIENTS
from conformance.drivers.activity import Threads
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
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError, Problem
from mockserver.server.address import model_of_run, split_run_url
from mockserver.server.options import url_of

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
_DEFAULT_PORTS = {"http": 80, "https": 443}
_CONNECT_SECONDS = 5.0


def mock_url(adapter: Description) -> str:
    """The base URL of the mock for a server on this machine."""
    host, _, port = adapter.mock.rpartition(":")
    return f"{url_of(host.strip('[]'), int(port))}/v1"


def listens(host: str, port: int, seconds: float) -> bool:
    """Whether something accepts a connection at an address within so many seconds."""
    try:
        with socket.create_connection((host, port), timeout=seconds):
            return True
    except OSError:
        return False


class ClientRuns:
    """The runs in flight at a server that serves ``dialect``, each with a client of its own."""

    def __init__(self, dialect: str) -> None:
        self._dialect, self._client = dialect, CLIENTS[dialect]
        self._clients: dict[str, PythonDriver] = {}

    def play(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        why_gone: Callable[[], str],
        threads: Threads = tuple,
    ) -> Outcome:
        """Play a run at the ``base_url`` of its message, whose server has ``threads``.

        After a run that failed, ``why_gone`` says how the server has gone, or nothing if it is
        there: the run of a server that has gone has crashed.
        """
        client = self._clients[message["id"]] = PythonDriver(self._client.make(), threads=threads)
        try:
            outcome = client.run({**message, "dialect": self._dialect}, recorder)
        finally:
            del self._clients[message["id"]]
            client.close()
        if outcome.verdict == "failed" and (gone := why_gone()):
            return replace(outcome, verdict="crashed", ends=(), notes=(gone, *outcome.notes))
        return outcome

    def cancel(self, id_: str) -> None:
        """Cancel a run if it is in flight."""
        if client := self._clients.get(id_):
            client.cancel(id_)

    def close(self) -> None:
        """Close the clients of all runs in flight."""
        for client in list(self._clients.values()):
            client.close()


class RunningDriver(Driver):
    """Sends each run to a server that runs already."""

    def __init__(self, base_url: str, adapter: Description) -> None:
        self._base_url, self._adapter = base_url.rstrip("/"), adapter
        self._runs = ClientRuns(adapter.serves)
        self._closed = threading.Event()

    def hello(self) -> Mapping[str, Any]:
        self._key("")
        if not self._listens():
            raise AdapterError(
                Problem(
                    f"nothing listens at {self._base_url}, where {self._adapter.name} should run",
                    hint=f"start it, with {mock_url(self._adapter)} as its upstream",
                )
            )
        return hello_of_program(self._adapter.name)

    def run(
        self,
        message: Mapping[str, Any],
        recorder: Recorder,
        place: Place = "beside others",  # noqa: ARG002
    ) -> Outcome:
        try:
            if self._closed.is_set():
                raise AdapterError(CLOSED)
            asked = {
                **message,
                "base_url": self._base_url,
                "api_key": self._key(message["api_key"]),
                "model": self._adapter.model.replace("{model}", model_of_run(message["base_url"])),
            }
        except AdapterError as error:
            return not_run(error, recorder)
        gone = f"nothing listens at {self._base_url} any more"
        return self._runs.play(asked, recorder, lambda: "" if self._listens() else gone)

    def cancel(self, id_: str) -> None:
        self._runs.cancel(id_)

    def close(self) -> None:
        self._closed.set()
        self._runs.close()

    def _key(self, key_of_run: str) -> str:
        """The key that clients send: the run's, unless the adapter names a variable."""
        if not (variable := self._adapter.key_variable):
            return key_of_run
        if key := os.environ.get(variable):
            return key
        wrong = f"the environment variable {variable}, which key_variable names, is not set"
        raise AdapterError(Problem(wrong, hint=f"export {variable}=…, or leave key_variable out"))

    def _listens(self) -> bool:
        parts = urlsplit(self._base_url)
        return listens(
            parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme], _CONNECT_SECONDS
        )


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
            server.child.end(0)
        try:
            if not server.is_up(self._up_seconds):
                wrong = f"nothing listens on the port that PORT names; {server.child.exited()}"
                return close_run(Outcome("crashed", notes=(wrong, *server.notes())), recorder)
            asked = {**message, "model": model, "base_url": f"{server.url}/v1"}
            outcome = self._runs.play(asked, recorder, server.why_gone, server.child.threads)
        finally:
            if not self._once:
                del self._servers[message["id"]]
                server.child.end(0)
        # What a server that goes on has said may be about any run.
        said = () if self._once and outcome.verdict != "crashed" else server.notes()
        return replace(outcome, notes=(*outcome.notes, *said))

    def _server(self, run: str, base_url: str) -> _Server:
        """A server of the run's own, or the one of all runs. Raises AdapterError."""
        with self._starting:
            known = self._servers.get(_ALL_RUNS) if self._once else None
            if known and not known.exited.is_set():
                return known
            server = _Server(self._argv, self._folder, base_url, self._escaped.append)
            self._servers[_ALL_RUNS if self._once else run] = server
        return server

    def cancel(self, id_: str) -> None:
        self._runs.cancel(id_)

    def close(self) -> None:
        self._closed.set()
        for server in list(self._servers.values()):
            server.child.end(0)

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
        self.exited = threading.Event()
        extra = {"MOCK_BASE_URL": base_url, "PORT": str(self._port)}
        self.child = Child(argv, folder, extra, on_escape)
        self.child.listen(on_exit=self.exited.set)
        self.child.hang_up()

    def why_gone(self) -> str:
        """How it has exited, or is about to; empty if it is there.

        A client may notice the end before the kit.
        """
        exits = self.exited.wait(_EXIT_SECONDS)
        gone = exits or (not self._listens() and self.exited.wait(_CLOSED_SECONDS))
        return f"{self.child.exited()} in the middle of a run" if gone else ""

    def is_up(self, seconds: float) -> bool:
        """Wait up to so many seconds, while it runs, until it listens; whether it does."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.exited.is_set():
            if self._listens():
                return True
            self.exited.wait(_POLL_SECONDS)
        return False

    def _listens(self) -> bool:
        return listens(_HOST, self._port, 1)

    def notes(self) -> tuple[str, ...]:
        return stderr_note(self.child.stderr())


def _free_port() -> int:
    """A free port; each kit process starts at another port and counts up."""
    while True:
        port = _PORTS[(os.getpid() * 331 + next(_PORT_COUNTER)) % len(_PORTS)]
        with socket.socket() as taken, suppress(OSError):
            taken.bind((_HOST, port))
            return port
