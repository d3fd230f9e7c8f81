"""Plays one case to one adapter and returns the transcript, whatever the adapter does."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.contract.transcript import (
    Disconnect,
    PlainAnswer,
    Request,
    SentEvent,
    Transcript,
    TurnInput,
    digest_of,
)
from conformance.drivers.driver import Place
from conformance.drivers.recorder import Recorder
from conformance.expectation.turn_content import calls_of
from conformance.suite.checkpoints import CancelAt, Checkpoints
from conformance.suite.host import ConversationEnded, first_request, judges_request, next_request
from conformance.suite.offered_tools import tools_of
from conformance.suite.session import Session, storage_for
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.case import Case
from mockserver.cases.render import find_cancel
from mockserver.dialects import DIALECTS, Dialect
from mockserver.scenario.model import Cancel, Turn
from mockserver.server.journal import Exchange, answer_to_json
from mockserver.wire.playback import Gatekeeper

if TYPE_CHECKING:
    from mockserver.server.runs import Run


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run that is open at the upstream, and the path of the adapter's storage while it is."""

    session: Session
    run: Run
    storage: str

    def message(
        self, limit_ms: int, asked: TurnInput | None = None, turn: int = 0
    ) -> dict[str, Any]:
        """The drive/1 ``run`` message of a turn, without the scenario or its expectation."""
        case = self.run.case
        played = case.scenario.turns[turn]
        after_parts = _cancels_after(played, self.session.description.vocabulary)
        asked = asked or first_request(case)
        return {
            "type": "run",
            "id": self.run_id(turn),
            "dialect": case.dialect,
            "base_url": self.session.upstream.url + self.run.path,
            "api_key": f"sk-mock-{self.run.id}",
            "model": "mock",
            "messages": list(asked.messages),
            "tools": tools_of(case.scenario),
            "options": {**case.scenario.host.options, "max_retries": len(played.earlier)},
            **({"tool_invocation_token": asked.token} if asked.token else {}),
            **({"storage": self.storage} if self.storage else {}),
            **({} if after_parts is None else {"cancel": {"after_parts": after_parts}}),
            "deadline_ms": limit_ms,
        }

    def run_id(self, turn: int) -> str:
        """The id of a turn in messages to the adapter."""
        return f"r-{self.run.id}-{turn}" if turn else f"r-{self.run.id}"


@contextmanager
def open_run(
    session: Session, case: Case, gatekeeper: Gatekeeper | None = None
) -> Iterator[OpenRun]:
    """Open a run of a case, and close it after the block."""
    run = session.upstream.open(case, gatekeeper)
    try:
        with storage_for(session.description) as storage:
            yield OpenRun(session, run, storage)
    finally:
        session.upstream.close(run)


def play(session: Session, case: Case, place: Place = "beside others") -> Transcript:
    """Play the turns of a case; the transcript of the last has the earlier ones in ``before``.

    Only the first turn of a case can be in a fresh process.
    """
    played: list[Transcript] = []
    asked: TurnInput | ConversationEnded = first_request(case)
    with open_run(session, case) as opened:
        for n, turn in enumerate(case.scenario.turns):
            if isinstance(asked, ConversationEnded):
                last = played[-1]
                played[-1] = replace(last, notes=(*last.notes, asked.why))
                break
            played.append(_play_turn(opened, n, asked, place))
            place = "alone" if place == "fresh" else place
            if turn.then:
                traits = session.description.traits
                calls = calls_of(case.scenario, n) if traits.call_id == "own" else ()
                asked = next_request(asked, turn.then, played[-1], traits, calls)
    return replace(played[-1], before=tuple(played[:-1]))


def _play_turn(opened: OpenRun, n: int, asked: TurnInput, place: Place) -> Transcript:
    """Play turn ``n`` of a case, counted from 0."""
    session, run, case = opened.session, opened.run, opened.run.case
    described, turn, before = session.description, case.scenario.turns[n], len(run.exchanges)
    recorder = Recorder(str(case))
    plans = [
        session.upstream.state.renderings.get(case, n, attempt).plan
        for attempt in range(1, len(turn.attempts) + 1)
    ]
    checkpoints = Checkpoints(
        case.dialect, plans, session.vocabulary, described.traits, recorder, session.patience
    )
    cancel = find_cancel(case, n) or Cancel()
    if (after := _cancels_after(turn, described.vocabulary)) is not None:
        recorder.cancel_after(after)
    # Whether a part came before a retry must not depend on how soon it is read.
    run.before_another = session.driver.catch_up
    run.gatekeeper = CancelAt(
        cancel.at, lambda: session.driver.cancel(opened.run_id(n)), checkpoints
    )
    recorder.upstream_seconds = lambda: _upstream_seconds(run, before, checkpoints)

    def wait_for_release() -> None:
        """Wait, for a limited time, until the client of a cancelled run has disconnected."""
        if recorder.cancelled:
            until = recorder.cancelled.at + session.release
            session.upstream.settle(run, max(0.0, until - recorder.now()))

    recorder.on_end = wait_for_release
    message = opened.message(session.limit_ms, asked, n)
    outcome = session.driver.run(message, recorder, place)
    if outcome.verdict == "completed":
        session.pace.note_run(recorder)
    cancelled = recorder.cancelled
    tools = tuple(message["tools"])
    return Transcript(
        case=str(case),
        scenario=case.scenario.id,
        dialect=case.dialect,
        vocabulary=described.vocabulary,
        adapter=described.name,
        verdict=outcome.verdict,
        requests=requests_of(run, recorder.began, before),
        parts=recorder.parts(),
        checkpoints=tuple(checkpoints.reached),
        cancelled=cancelled and replace(cancelled, release=session.release),
        ends=outcome.ends,
        notes=(*outcome.notes, *_own_delays(checkpoints, run.exchanges[before:])),
        turn=n,
        # A server has a key of its own for its upstream, or none.
        asked=replace(asked, tools=tools, has_key=not described.is_server)
        if judges_request(case)
        else None,
        incidents=outcome.incidents,
        busy=outcome.busy,
    )


def _upstream_seconds(run: Run, before: int, checkpoints: Checkpoints) -> float:
    """The time that the upstream has taken so far for a turn, which counts for no limit."""
    answers = run.exchanges[before:]
    return checkpoints.seconds() + sum(map(_seconds_of_answer, answers))


def _seconds_of_answer(exchange: Exchange) -> float:
    """The time that an answer was to take until now, with the pauses in it, and its lateness."""
    if exchange.plan is None:
        return 0.0
    gone = (exchange.ended or time.monotonic()) - exchange.at
    late = max((write.late for write in tuple(exchange.writes)), default=0.0)
    return min(gone, exchange.plan.closes_at) + late


_OWN_DELAY = 0.1


def _own_delays(checkpoints: Checkpoints, answers: Iterable[Exchange]) -> Iterator[str]:
    """Notes about what was late on the kit's side."""
    late = max((write.late for answer in answers for write in answer.writes), default=0.0)
    if late > _OWN_DELAY:
        yield (
            f"the mock sent events up to {late:.1f} s late, since it or the reader of the stream "
            "was busy, which does not count"
        )
    for reached in checkpoints.reached:
        if reached.late > _OWN_DELAY:
            yield (
                f"at the checkpoint {reached.name!r} the kit itself was late by {reached.late:.1f} "
                "s, which does not count"
            )


def _cancels_after(turn: Turn, vocabulary: str) -> int | None:
    """The number of parts after which a turn is cancelled, if it is cancelled after parts.

    Parts that a vocabulary has before the request are not counted, except at 0.
    """
    after = turn.cancel.after_parts if turn.cancel else None
    return after and after + VOCABULARIES[vocabulary].leading_parts


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
        why=exchange.why or exchange.refused,
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
        wire=None if (bodies := exchange.bodies()) is None else digest_of(b"".join(bodies)),
        headers=dialect.requests.select_headers(exchange.headers),
        authorization=next(
            (v for k, v in exchange.headers.items() if k.lower() == "authorization"), ""
        ),
        close=exchange.plan.close if exchange.plan else "clean",
    )
