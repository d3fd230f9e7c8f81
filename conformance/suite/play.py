"""Plays one case to one adapter and returns the transcript, whatever the adapter does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.contract.transcript import Disconnect, PlainAnswer, Request, SentEvent, Transcript
from conformance.drivers.recorder import Recorder
from conformance.expectation.cancellation import RELEASE_SECONDS
from conformance.expectation.turn_content import calls_of
from conformance.report.wire import wire_of
from conformance.suite.checkpoints import LONGEST_WAIT, CancelAt, Checkpoints
from conformance.suite.host import ConversationEnded, first_request, judges_request, next_request
from conformance.suite.offered_tools import tools_of
from conformance.suite.storage import storage_for
from conformance.vocabularies import VOCABULARIES
from mockserver.dialects import DIALECTS
from mockserver.dialects.dialect import read_headers
from mockserver.scenario.model import Cancel
from mockserver.server.journal import answer_to_json
from mockserver.wire.frames import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.contract.adapter import Description
    from conformance.contract.transcript import TurnInput
    from conformance.drivers.driver import Driver
    from conformance.suite.upstream import Upstream
    from mockserver.dialects import Dialect
    from mockserver.render import Case
    from mockserver.scenario.model import Turn
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Run
    from mockserver.wire.frames import Plan

DEADLINE_MS = 5000
"""The default time that a run may take, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Session:
    """An adapter with its driver and its upstream.

    ``patience`` is the longest wait at a checkpoint in seconds, and ``implementation`` the name and
    version from the adapter's hello.
    """

    description: Description
    driver: Driver
    upstream: Upstream
    deadline_ms: int = DEADLINE_MS
    patience: float = LONGEST_WAIT
    implementation: str = ""


def play(session: Session, case: Case, recorder: Recorder, *, alone: bool = False) -> Transcript:
    """Play the turns of a case; the transcript of the last has the earlier ones in ``before``.

    ``recorder`` gets the parts of the first turn. ``alone`` plays the case without other runs in
    the same process.
    """
    with storage_for(session.description) as storage:
        return _played(session, case, recorder, storage, alone=alone)


def _played(
    session: Session, case: Case, recorder: Recorder, storage: str, *, alone: bool
) -> Transcript:
    run = session.upstream.open(case)
    played: list[Transcript] = []
    asked: TurnInput | ConversationEnded = first_request(case)
    try:
        for n, turn in enumerate(case.scenario.turns):
            if isinstance(asked, ConversationEnded):
                last = played[-1]
                played[-1] = replace(last, notes=(*last.notes, asked.why))
                break
            current = _Turn(session, case, run, n, asked, storage)
            played.append(current.play(recorder if n == 0 else Recorder(), alone=alone))
            if turn.then:
                traits = session.description.traits
                calls = calls_of(case.scenario, n) if traits.call_id == "own" else ()
                asked = next_request(asked, turn.then, played[-1], traits, calls)
    finally:
        session.upstream.close(run)
    return replace(played[-1], before=tuple(played[:-1]))


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of a case while it is played; ``n`` is its number, counted from 0."""

    session: Session
    case: Case
    run: Run
    n: int
    asked: TurnInput
    storage: str

    @property
    def turn(self) -> Turn:
        return self.case.scenario.turns[self.n]

    def play(self, recorder: Recorder, *, alone: bool) -> Transcript:
        described, before = self.session.description, len(self.run.exchanges)
        plans = self._plans()
        checkpoints = Checkpoints(
            self.case.dialect,
            plans,
            VOCABULARIES[described.vocabulary].with_traits(described.traits),
            described.traits,
            recorder,
            self.session.patience,
        )
        cancel = self.turn.cancel or Cancel()
        if cancel.after_parts is not None:
            recorder.cancel_after(cancel.after_parts)
        self.run.gatekeeper = CancelAt(cancel.at, self._cancel, checkpoints)
        message = self._message(plans)
        outcome = self.session.driver.run(
            message, recorder, lambda: self._wait_for_release(recorder), alone=alone
        )
        return Transcript(
            case=str(self.case),
            scenario=self.case.scenario.id,
            dialect=self.case.dialect,
            vocabulary=described.vocabulary,
            adapter=described.name,
            verdict=outcome.verdict,
            requests=requests_of(self.run, recorder.began, before),
            parts=recorder.parts(),
            checkpoints=tuple(checkpoints.reached),
            cancelled=recorder.cancelled,
            ends=outcome.ends,
            notes=outcome.notes,
            turn=self.n,
            asked=self._asked(message),
        )

    def _asked(self, message: Mapping[str, Any]) -> TurnInput | None:
        tools = tuple(message["tools"])
        return replace(self.asked, tools=tools) if judges_request(self.case) else None

    def _plans(self) -> list[Plan]:
        """The planned writes of the turn, one plan for each of its attempts."""
        attempts = range(1, len(self.turn.attempts) + 1)
        renderings = self.session.upstream.state.renderings
        return [renderings.get(self.case, self.n, attempt).plan for attempt in attempts]

    def _message(self, plans: Iterable[Plan]) -> dict[str, Any]:
        deadline = _deadline(self.session, plans)
        return run_message(
            self.session, self.case, self.run, deadline, self.asked, self.n, storage=self.storage
        )

    def _cancel(self) -> None:
        self.session.driver.cancel(_run_id(self.run, self.n))

    def _wait_for_release(self, recorder: Recorder) -> None:
        """Wait, up to ``RELEASE_SECONDS``, until the client of a cancelled run has disconnected."""
        if recorder.cancelled:
            until = recorder.cancelled.at + RELEASE_SECONDS
            self.session.upstream.settle(self.run, max(0.0, until - recorder.now()))


def _deadline(session: Session, plans: Iterable[Plan]) -> int:
    """The run's deadline in milliseconds, plus the wait at the one checkpoint that it may miss."""
    waits = any(isinstance(write, Gate) for plan in plans for write in plan.writes)
    return session.deadline_ms + (int(session.patience * 1000) if waits else 0)


def run_message(
    session: Session,
    case: Case,
    run: Run,
    deadline_ms: int,
    asked: TurnInput | None = None,
    turn: int = 0,
    *,
    storage: str = "",
) -> dict[str, Any]:
    """The drive/1 ``run`` message of a turn, without the scenario or its expectation."""
    played = case.scenario.turns[turn]
    after_parts = played.cancel.after_parts if played.cancel else None
    asked = asked or first_request(case)
    return {
        "type": "run",
        "id": _run_id(run, turn),
        "dialect": session.description.declared_name(case.dialect),
        "base_url": session.upstream.url + run.path,
        "api_key": f"sk-mock-{run.id}",
        "model": "mock",
        "messages": list(asked.messages),
        "tools": tools_of(case.scenario),
        "options": {**case.scenario.host.options, "max_retries": len(played.earlier)},
        **({"tool_invocation_token": asked.token} if asked.token else {}),
        **({"storage": storage} if storage else {}),
        **({} if after_parts is None else {"cancel": {"after_parts": after_parts}}),
        "deadline_ms": deadline_ms,
    }


def _run_id(run: Run, turn: int) -> str:
    return f"r-{run.id}-{turn}" if turn else f"r-{run.id}"


def requests_of(run: Run, began: float, before: int = 0) -> tuple[Request, ...]:
    """The requests of a run after the first ``before``, with times in seconds since ``began``."""
    exchanges = enumerate(run.exchanges[before:])
    dialect = DIALECTS[run.case.dialect]
    return tuple(_request(n, exchange, began, dialect) for n, exchange in exchanges)


def _request(n: int, exchange: Exchange, began: float, dialect: Dialect) -> Request:
    offset = exchange.at - began
    ignorable = {sent.n for sent in exchange.plan.sent if sent.ignorable} if exchange.plan else ()
    return Request(
        n=n,
        at=offset,
        method=exchange.method,
        path=exchange.path,
        status=exchange.status,
        turn=exchange.turn,
        why=exchange.why,
        body=exchange.body,
        problems=exchange.problems,
        events=tuple(
            SentEvent(**{**event, "at": event["at"] + offset, "ignorable": event["n"] in ignorable})
            for event in exchange.events()
        ),
        left=Disconnect(exchange.left[0] - began, exchange.left[1]) if exchange.left else None,
        ended=None if exchange.ended is None else exchange.ended - began,
        attempt=exchange.attempt,
        answer=PlainAnswer(**answer_to_json(exchange.answer)) if exchange.answer else None,
        wire=None if (bodies := exchange.bodies()) is None else wire_of(b"".join(bodies)),
        headers=read_headers(dialect, exchange.headers),
    )
