"""Runs of an adapter that is a server: each is sent and read by a client of the kit's own."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.dialects import CLIENTS
from conformance.drivers.python import PythonDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.drivers.driver import Outcome
    from conformance.drivers.recorder import Recorder


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
        ended: Callable[[], None],
        why_gone: Callable[[], str],
    ) -> Outcome:
        """Play a run at the ``base_url`` of its message.

        After a run that failed, ``why_gone`` says how the server has gone, or nothing if it is
        there: the run of a server that has gone has crashed.
        """
        client = self._clients[message["id"]] = PythonDriver(self._client.make())
        try:
            outcome = client.run({**message, "dialect": self._dialect}, recorder, ended)
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
