"""Decides which run answers for an incident that happened while several runs were in flight."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.contract.transcript import Incident


@dataclass(slots=True)
class _Inquiry:
    """How many runs of an incident are still to be played alone, and whether one did it again."""

    left: int
    found: bool = False


class Incidents:
    """The incidents of one adapter whose runs are being played again, alone.

    If one of the runs does it again, that run is the cause, and the others are clean. If none does,
    the last one that is played answers for the incident, so that it is reported once.
    """

    def __init__(self) -> None:
        self._inquiries: dict[int, _Inquiry] = {}
        self._lock = threading.Lock()

    def to_answer_for(self, incidents: Iterable[Incident], *, repeated: bool) -> Iterator[Incident]:
        """Which of the incidents of a lost run it answers for.

        ``repeated`` is whether it did the same when it was played alone. An incident without a run
        in flight is answered for by the run that reports it.
        """
        for incident in incidents:
            if not incident.in_flight or self._is_last(incident, repeated=repeated):
                yield incident

    def _is_last(self, incident: Incident, *, repeated: bool) -> bool:
        """Whether this was the last run of the incident, and none of them has repeated it."""
        with self._lock:
            inquiry = self._inquiries.setdefault(incident.n, _Inquiry(len(incident.in_flight)))
            inquiry.left -= 1
            inquiry.found = inquiry.found or repeated
            return not inquiry.left and not inquiry.found
