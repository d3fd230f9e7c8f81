"""An adapter while it is driven: its driver, its upstream, its limits, and what is known of it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from conformance.contract.adapter import Description
from conformance.contract.transcript import RELEASE_SECONDS, Incident
from conformance.drivers.driver import Driver
from conformance.drivers.recorder import Recorder
from conformance.suite.checkpoints import LONGEST_WAIT
from conformance.vocabularies import VOCABULARIES, Vocabulary

if TYPE_CHECKING:
    from conformance.suite.upstream import Upstream

DEADLINE_MS = 5000
"""The default time that a run may take, in milliseconds."""


class Pace:
    """The longer of an adapter's start and of its first run, in seconds.

    Many libraries load the most part at their first request, so a first run is as slow as a start.
    Both are measured on the machine as it is, with its load.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._has_run = False

    def note_start(self, seconds: float) -> None:
        """Note how long the adapter took to start."""
        self.seconds = max(self.seconds, seconds)

    def note_run(self, recorder: Recorder) -> None:
        """Note how long a run took, without the upstream's part, if it is the first."""
        if not self._has_run:
            self._has_run = True
            self.seconds = max(self.seconds, recorder.now() - recorder.upstream_seconds())


@dataclass(slots=True)
class _Inquiry:
    """How many runs of an incident are still to be played alone, and whether one did it again."""

    left: int
    found: bool = False


class Incidents:
    """The incidents of one adapter whose runs are being played again, alone.

    They happened while several runs were in flight, and it is not known which run is the cause.

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


MOST_TRIED_OFTEN = 8
"""How many cases of an adapter that hung are tried often; each may take several limits."""


class Allowance:
    """How many more cases that hung are tried often."""

    def __init__(self) -> None:
        self._left = MOST_TRIED_OFTEN
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Use one; false if none is left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0


@dataclass(frozen=True, slots=True)
class Session:
    """An adapter with its driver and its upstream.

    ``patience`` is the longest wait at a checkpoint in seconds, ``release`` that for the release of
    a cancelled run's connection, and ``implementation`` the name and version from the adapter's
    hello.
    """

    description: Description
    driver: Driver
    upstream: Upstream
    deadline_ms: int = DEADLINE_MS
    patience: float = LONGEST_WAIT
    release: float = RELEASE_SECONDS
    implementation: str = ""
    pace: Pace = field(default_factory=Pace)
    incidents: Incidents = field(default_factory=Incidents)
    often: Allowance = field(default_factory=Allowance)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the adapter's parts, with its traits."""
        return VOCABULARIES[self.description.vocabulary].with_traits(self.description.traits)

    @property
    def limit_ms(self) -> int:
        """The limit of a run: the deadline, and the time that the adapter needs to get going."""
        return self.deadline_ms + int(self.pace.seconds * 1000)


@contextmanager
def storage_for(adapter: Description) -> Iterator[str]:
    """The path of an empty folder, removed after the block; "" without the claim ``count``.

    It outlives the adapter's process. Each case has its own folder, so that no case sees what the
    adapter has learnt in another.
    """
    if not adapter.claims.count:
        yield ""
        return
    # The adapter may still write to the folder while it is removed.
    with TemporaryDirectory(prefix="streamproof-", ignore_cleanup_errors=True) as folder:
        yield folder
