"""Drives an adapter that is a server, such as a gateway, and runs already: at its base URL.

The server has the mock as its upstream, at an address that does not change, so the model of a
request names its run. A client of the kit's own (see ``clients``) sends each run as one request,
and its parts are what that client reads from the answer. The kit neither starts nor ends the
server. ``ClientRuns`` also plays the runs of servers that the kit starts.
"""

import os
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from conformance.contract.adapter import Description
from conformance.dialects import CLIENTS
from conformance.drivers.driver import CLOSED, Driver, Outcome, Place, hello_of_program, not_run
from conformance.drivers.python import PythonDriver
from conformance.drivers.recorder import Recorder
from mockserver.foundation.faults import AdapterError, Problem
from mockserver.server.address import model_of_run
from mockserver.server.options import url_of

_PORTS = {"http": 80, "https": 443}
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
        self, message: Mapping[str, Any], recorder: Recorder, why_gone: Callable[[], str]
    ) -> Outcome:
        """Play a run at the ``base_url`` of its message.

        After a run that failed, ``why_gone`` says how the server has gone, or nothing if it is
        there: the run of a server that has gone has crashed.
        """
        client = self._clients[message["id"]] = PythonDriver(self._client.make())
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
        return listens(parts.hostname or "", parts.port or _PORTS[parts.scheme], _CONNECT_SECONDS)
