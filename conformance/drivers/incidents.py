"""What an adapter's process does outside of single runs, kept until a run can report it."""

import itertools
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from conformance.contract.transcript import Incident
from conformance.drivers.driver import Outcome
from conformance.drivers.recorder import Recorder

_MAX_STDERR = 200


class IncidentLog:
    """Makes the incidents of one driver, and keeps those that no run has reported yet."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._unreported: list[Incident] = []
        self._lock = threading.Lock()

    def make(
        self,
        kind: Literal["ended", "invalid-line", "late-message"],
        what: str,
        in_flight: Iterable[str] = (),
        after: str = "",
        stderr: str = "",
    ) -> Incident:
        """An incident with a new number and the last line of ``stderr``."""
        last = stderr.rpartition("\n")[2][:_MAX_STDERR]
        return Incident(next(self._numbers), kind, what, tuple(in_flight), after, last)

    def keep(self, incident: Incident) -> None:
        """Keep an incident that happened with no run in flight, if it is not a repetition."""
        with self._lock:
            alike = {(other.kind, other.after) for other in self._unreported}
            if (incident.kind, incident.after) not in alike:
                self._unreported.append(incident)

    def report(self, outcome: Outcome, recorder: Recorder) -> Outcome:
        """The outcome of a run with the incidents that were kept, if the run is one of a case."""
        if not recorder.name:
            return outcome
        return replace(outcome, incidents=(*outcome.incidents, *self.take()))

    def take(self) -> tuple[Incident, ...]:
        """The incidents that were kept since the last call."""
        with self._lock:
            taken, self._unreported = tuple(self._unreported), []
        return taken


def describe_incident(incident: Incident) -> str:
    """An incident that no run has reported, as a message for the end of the suite."""
    after = f" (the last run to end was {incident.after})" if incident.after else ""
    return (
        f"after its last run, the adapter's process {_DID[incident.kind]}{after}: {incident.what}"
    )


_DID = {
    "ended": "ended before it was told bye",
    "invalid-line": "broke the protocol",
    "late-message": "sent a message about a run that had ended",
}
