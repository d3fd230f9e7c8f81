"""One case played to one adapter: a transcript comes out, whatever the adapter does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.cancellation import RELEASE_SECONDS
from conformance.checkpoints import LONGEST_WAIT, CancelAt, Checkpoints
from conformance.transcript import Left, Plain, Request, SentEvent, Transcript
from conformance.vocabularies import VOCABULARIES
from mockserver.frames import Gate
from mockserver.journal import told
from mockserver.render import render
from mockserver.scenario.model import Cancel, ExpectCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.adapter import Description
    from conformance.drivers.driver import Driver
    from conformance.recorder import Recorder
    from conformance.upstream import Upstream
    from mockserver.frames import Plan
    from mockserver.journal import Exchange
    from mockserver.render import Case
    from mockserver.runs import Run
    from mockserver.scenario.model import Turn

DEADLINE_MS = 5000


@dataclass(frozen=True, slots=True)
class Session:
    """An adapter that is being driven against an upstream."""

    description: Description
    driver: Driver
    upstream: Upstream
    deadline_ms: int = DEADLINE_MS
    patience: float = LONGEST_WAIT
    # What the adapter called itself, as name and version.
    implementation: str = ""


def play(session: Session, case: Case, recorder: Recorder, *, alone: bool = False) -> Transcript:
    """Drive one run and put down everything about it."""
    described = session.description
    plans = _plans(case)
    vocabulary = VOCABULARIES[described.vocabulary].under(described.traits)
    checkpoints = Checkpoints(
        case.dialect, plans, vocabulary, described.traits, recorder, session.patience
    )
    cancel = case.scenario.turns[0].cancel or Cancel()
    if cancel.after_parts is not None:
        recorder.cancel_after(cancel.after_parts)
    gatekeeper = CancelAt(cancel.at, lambda: session.driver.cancel(_id(run)), checkpoints)
    run = session.upstream.open(case, gatekeeper)

    def released() -> None:
        """Give the upstream the chance to see that the client of a cancelled run has left."""
        if recorder.cancelled:
            until = recorder.cancelled.at + RELEASE_SECONDS
            session.upstream.settle(run, max(0.0, until - recorder.now()))

    try:
        message = run_message(case, run, session.upstream.url, _deadline(session, plans))
        outcome = session.driver.run(message, recorder, released, alone=alone)
    finally:
        session.upstream.close(run)
    return Transcript(
        case=str(case),
        scenario=case.scenario.id,
        dialect=case.dialect,
        vocabulary=described.vocabulary,
        adapter=described.name,
        verdict=outcome.verdict,
        requests=requests_of(run, recorder.began),
        parts=recorder.parts(),
        checkpoints=tuple(checkpoints.reached),
        cancelled=recorder.cancelled,
        ends=outcome.ends,
        notes=outcome.notes,
    )


def _plans(case: Case) -> list[Plan]:
    """What the turn sends, at each of its attempts."""
    attempts = len(case.scenario.turns[0].attempts)
    return [render(case, 0, n).plan for n in range(1, attempts + 1)]


def _deadline(session: Session, plans: Iterable[Plan]) -> int:
    """The run's time, and what its one missed checkpoint may cost on top of it."""
    waits = any(isinstance(write, Gate) for plan in plans for write in plan.writes)
    return session.deadline_ms + (int(session.patience * 1000) if waits else 0)


def run_message(case: Case, run: Run, origin: str, deadline_ms: int) -> dict[str, Any]:
    """The drive/1 ``run`` message; it names neither the scenario nor what is expected."""
    cancel = case.scenario.turns[0].cancel
    after_parts = cancel.after_parts if cancel else None
    return {
        "type": "run",
        "id": _id(run),
        "dialect": case.dialect,
        "base_url": origin + run.path,
        "api_key": f"sk-mock-{run.id}",
        "model": "mock",
        "messages": [{"role": "user", "content": "Please answer, with the tools if they help."}],
        "tools": tools_of(case),
        "options": {"max_retries": len(case.scenario.turns[0].earlier)},
        **({} if after_parts is None else {"cancel": {"after_parts": after_parts}}),
        "deadline_ms": deadline_ms,
    }


def _id(run: Run) -> str:
    return f"r-{run.id}"


def tools_of(case: Case) -> list[dict[str, Any]]:
    """The tools that the scenario's model calls."""
    names: dict[str, None] = {}
    for attempt in case.scenario.turns[0].attempts:
        for step in attempt.script.steps:
            names.update(dict.fromkeys(_named(step)))
        names.update(dict.fromkeys(_expected(attempt)))
    return [
        {"name": name, "description": f"Does {name}.", "input_schema": {"type": "object"}}
        for name in names
    ]


def _named(step: Any) -> list[str]:
    name = getattr(step, "name", "") if getattr(step, "kind", "") == "call" else ""
    item = getattr(step, "fields", {}).get("item")
    name = name or (item.get("name", "") if isinstance(item, dict) else "")
    return [name] if name else []


def _expected(turn: Turn) -> Iterator[str]:
    """The names of calls that no step makes: those of a plain answer."""
    parts = (part for expect in turn.expect for part in expect.parts)
    return (part.name for part in parts if isinstance(part, ExpectCall))


def requests_of(run: Run, began: float) -> tuple[Request, ...]:
    """The requests of a run, with times counted from when it began."""
    return tuple(_request(n, exchange, began) for n, exchange in enumerate(run.exchanges))


def _request(n: int, exchange: Exchange, began: float) -> Request:
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
        left=Left(exchange.left[0] - began, exchange.left[1]) if exchange.left else None,
        ended=None if exchange.ended is None else exchange.ended - began,
        attempt=exchange.attempt,
        answer=Plain(**told(exchange.answer)) if exchange.answer else None,
    )
