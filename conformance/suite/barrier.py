"""Plays runs concurrently: each waits at its first checkpoint until all have reached theirs."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from conformance.contract.transcript import Part
from conformance.drivers.driver import Outcome
from conformance.drivers.recorder import Recorder
from conformance.suite.play import run_message
from conformance.suite.session import Session, storage_for
from mockserver.cases.case import Case


@dataclass(frozen=True, slots=True)
class ConcurrentRun:
    """The outcome of one of several concurrent runs, and the parts that it emitted."""

    outcome: Outcome
    parts: list[Part]


@dataclass
class _Barrier:
    """A gatekeeper that holds runs at a checkpoint until ``expected`` of them have arrived.

    Called on the upstream's event loop. After ``seconds`` without all of them, it lets every run
    pass, including those that arrive later.
    """

    expected: int
    seconds: float
    arrived: int = 0
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, _name: str, _after: int) -> None:
        if self.released.is_set():
            return
        self.arrived += 1
        if self.arrived < self.expected:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.seconds):
                    await self.released.wait()
        self.released.set()


def play_concurrently(
    session: Session, cases: Sequence[Case], seconds: float, limit_ms: int
) -> tuple[int, list[ConcurrentRun]]:
    """Play cases with one checkpoint each at the same time.

    The first run to reach its checkpoint waits up to ``seconds`` for the others, and each may take
    ``limit_ms`` besides. Returns how many runs were at their checkpoints at one time, and the runs
    in the order of the cases.
    """
    barrier = _Barrier(len(cases), seconds)
    # Runs that the adapter plays one by one start after the first one's wait.
    deadline_ms = limit_ms + int(seconds * 1000)

    def play(case: Case) -> ConcurrentRun:
        run = session.upstream.open(case, barrier)
        recorder = Recorder()
        try:
            with storage_for(session.description) as storage:
                asked = run_message(session, case, run, deadline_ms, storage=storage)
                outcome = session.driver.run(asked, recorder)
        finally:
            session.upstream.close(run)
        return ConcurrentRun(outcome, [emitted.part for emitted in recorder.parts()])

    with ThreadPoolExecutor(len(cases)) as pool:
        played = list(pool.map(play, cases))
    return barrier.arrived, played
