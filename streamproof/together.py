"""Two runs at once: neither upstream goes on before both have come to their first checkpoint."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.play import run_message
from conformance.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.drivers.driver import Outcome
    from conformance.play import Session
    from conformance.transcript import Part
    from mockserver.render import Case

_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Beside:
    """How a run went beside another, and what came out of it."""

    outcome: Outcome
    parts: list[Part]


@dataclass
class _Meeting:
    """A gatekeeper for so many runs; called on the upstream's loop."""

    awaited: int
    met: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, _name: str, _after: int) -> None:
        self.awaited -= 1
        if self.awaited <= 0:
            self.met.set()
        try:
            await asyncio.wait_for(self.met.wait(), _SECONDS)
        except TimeoutError:
            self.awaited += 1


def together(session: Session, cases: Sequence[Case]) -> tuple[bool, list[Beside]]:
    """Play cases at once, each of which has one checkpoint. Were they all there at one time?"""
    meeting = _Meeting(len(cases))
    # Those that are played one after the other have all of them waited in vain.
    deadline_ms = session.deadline_ms + int(len(cases) * _SECONDS * 1000)

    def play(case: Case) -> Beside:
        run = session.upstream.open(case, meeting)
        recorder = Recorder()
        try:
            asked = run_message(case, run, session.upstream.url, deadline_ms)
            outcome = session.driver.run(asked, recorder)
        finally:
            session.upstream.close(run)
        return Beside(outcome, [emitted.part for emitted in recorder.parts()])

    with ThreadPoolExecutor(len(cases)) as pool:
        played = list(pool.map(play, cases))
    return meeting.met.is_set(), played
