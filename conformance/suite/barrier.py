"""Runs side by side: no upstream goes on before all of them have come to their first checkpoint."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.suite.play import run_message
from conformance.suite.recorder import Recorder
from conformance.suite.storage import storage_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import Part
    from conformance.drivers.driver import Outcome
    from conformance.suite.play import Session
    from mockserver.render import Case


@dataclass(frozen=True, slots=True)
class Beside:
    """How a run went beside others, and what came out of it."""

    outcome: Outcome
    parts: list[Part]


@dataclass
class _Meeting:
    """A gatekeeper for so many runs; called on the upstream's loop.

    They wait once: whoever has waited in vain lets all go, and those that come later as well.
    """

    awaited: int
    seconds: float
    came: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, _name: str, _after: int) -> None:
        if self.over.is_set():
            return
        self.came += 1
        if self.came < self.awaited:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.over.wait(), self.seconds)
        self.over.set()


def together(session: Session, cases: Sequence[Case], seconds: float) -> tuple[int, list[Beside]]:
    """Play cases at once, each of which has one checkpoint; how many were there at one time.

    The first of them waits so many ``seconds`` for the others.
    """
    meeting = _Meeting(len(cases), seconds)
    # Those that are played one after the other have the first one to wait for.
    deadline_ms = session.deadline_ms + int(seconds * 1000)

    def play(case: Case) -> Beside:
        run = session.upstream.open(case, meeting)
        recorder = Recorder()
        try:
            with storage_for(session.description) as storage:
                asked = run_message(session, case, run, deadline_ms, storage=storage)
                outcome = session.driver.run(asked, recorder)
        finally:
            session.upstream.close(run)
        return Beside(outcome, [emitted.part for emitted in recorder.parts()])

    with ThreadPoolExecutor(len(cases)) as pool:
        played = list(pool.map(play, cases))
    return meeting.came, played
