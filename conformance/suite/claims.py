"""Checks for claims in ``adapter.yaml`` that no scenario can check; each is an item of the suite.

Claims are checked before any case is played, while nothing else is in flight. The parts of a case
do not show whether an adapter refuses unknown dialects, streams live or takes concurrent runs. So
the upstream holds its streams until it has seen what is claimed. Timing decides nothing: the waits
are bounded, and an adapter that keeps its claim never reaches the bound; one that reaches it is
asked once more.

Concurrency is accused only of what it does: the run is played alone first. If it is wrong there,
the result has what the rules find in it, so that its causes are those of the failing cases, and
``claims-kept`` reports, as a consequence, that the claim was not judged.

A claim is added by a function and a line in ``CLAIMS``. The claim ``count`` has items of its own:
see ``conformance.suite.counting``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from conformance.contract.adapter import Description
from conformance.contract.reading import Reading
from conformance.contract.transcript import Part
from conformance.drivers.driver import Outcome, ended_value
from conformance.drivers.recorder import Recorder
from conformance.findings.finding import Defect, Finding, Kind, as_finding, topics
from conformance.findings.values import CallValue, EndedValue
from conformance.report.results import Result
from conformance.rules.claims import (
    CLAIMS_KEPT,
    CallsOfAnotherRun,
    FewerAtOnce,
    HeldBack,
    MadeUpDialectPlayed,
    NoStream,
    RunBesideOthersBroken,
    TextOfAnotherRun,
    WrongAlone,
)
from conformance.rules.judge import judge_case
from conformance.suite.checkpoints import Checkpoints
from conformance.suite.counting import play as counting
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.play import open_run, play
from conformance.suite.session import Session
from conformance.suite.tries import LONGER, MORE_TRIES
from conformance.suite.varied_cases import case_for
from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.scenario.model import Scenario

if TYPE_CHECKING:
    from mockserver.server.runs import Run

MADE_UP_DIALECT = "made-up"

HELD_OPEN = "any/held-open"
"""The id of the scenario that is played for the claims; no catalogue has it."""

# Each run has a number, so that what one run gives to another is seen.
_HELD_OPEN = """
title: A stream is held open behind its first words
source: [drive/1]
turns:
  - says:
      - start: {text: t}
      - delta: {t: "Is anybody"}
      - checkpoint: held
      - delta: {t: " on line NUMBER?"}
      - end: t
      - call: {id: call_NUMBER, name: pick_up, input: {line: NUMBER}}
"""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the check of a claim saw.

    ``seen`` says how the claim was kept, ``broken`` how it was not. ``late`` means that the adapter
    may have kept it with more time, ``hung`` that a run did not end. ``wrong`` is the case that is
    wrong without what is claimed.
    """

    seen: str = ""
    broken: Kind | None = None
    notes: tuple[str, ...] = ()
    late: bool = False
    hung: bool = False
    wrong: Case | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and how to check it.

    ``holds`` is the sentence that is true if the claim is kept. ``check_with`` gets the session,
    the item's id and a dialect. ``skip_reason`` says why an adapter is not checked, or is empty.
    """

    holds: str
    check_with: Callable[[Session, str, str], Result]
    skip_reason: Callable[[Description], str]


def check(session: Session, id_: str, dialect: str) -> Result:
    """Check one claim of an adapter, by its item's id, in a dialect that the adapter speaks."""
    return CLAIMS[id_].check_with(session, id_, dialect)


def _result_of(
    check_with: Callable[[Session, str], Observation], session: Session, id_: str, dialect: str
) -> Result:
    name, observed = session.description.name, check_with(session, dialect)
    if observed.broken is None:
        return Result(id_, name, "passed", why=observed.seen)
    finding = as_finding(CLAIMS_KEPT, Defect(observed.broken, topics("end")))
    found = _find_wrong(session, observed.wrong) if observed.wrong else ()
    findings = (replace(found[0], explains=(finding,)), *found[1:]) if found else (finding,)
    return Result(id_, name, "failed", findings, why="\n".join(observed.notes))


def _find_wrong(session: Session, case: Case) -> tuple[Finding, ...]:
    """What the rules find in a case, without places, since the result has no timeline of it."""
    transcript = play(session, case, "alone")
    found = judge_case(case, transcript, session.description.traits)
    return tuple(
        replace(each, event=None, part=None, explains=()) for each in found if each.level == "must"
    )


@cache
def held_open(number: int = 1) -> Scenario:
    """A scenario with one checkpoint, after the first words of its text, and then a call."""
    return load(_HELD_OPEN.replace("NUMBER", str(number)).encode(), "the kit's own", HELD_OPEN)


def _max_hold_seconds(session: Session) -> float:
    """The longest time that a stream is held, in seconds.

    That is half of a run's deadline, and the time that the adapter needs to get going.
    """
    return session.deadline_ms / 2000 + session.pace.seconds


def _repeat_if_late(
    check: Callable[[Session, str, int], Observation],
) -> Callable[[Session, str], Observation]:
    """A check of runs with a limit, which is repeated if the adapter was late, or often if it hung.

    The first time, it was perhaps the first run, in which a library still loads most of itself; by
    then it is known how long that takes. The second time the limit is longer, as for a case.
    """

    def checked(session: Session, dialect: str) -> Observation:
        first = check(session, dialect, session.limit_ms)
        if not first.late:
            return first
        longer = LONGER * session.limit_ms
        again = check(session, dialect, longer)
        if again.broken or not first.hung:
            return again
        for _ in range(MORE_TRIES):
            if (more := check(session, dialect, longer)).hung:
                return more
        hung = f"a run did not end at first, and did in {1 + MORE_TRIES} more tries"
        return replace(again, seen=f"{again.seen}; {hung}")

    return checked


def _check_made_up_dialect(session: Session, dialect: str) -> Observation:
    case = case_for(session.description, Case(held_open(), dialect))
    with open_run(session, case) as opened:
        asked = opened.message(session.limit_ms) | {"dialect": MADE_UP_DIALECT}
        outcome = session.driver.run(asked, Recorder(), "alone")
    if outcome.verdict == "unsupported":
        return Observation("it was answered with unsupported")
    kind = MadeUpDialectPlayed(MADE_UP_DIALECT, ended_value(outcome))
    return Observation(broken=kind, notes=outcome.notes)


def _check_live(session: Session, dialect: str, limit_ms: int) -> Observation:
    described, patience = session.description, _max_hold_seconds(session)
    case = case_for(described, Case(held_open(), dialect))
    vocabulary, recorder = session.vocabulary, Recorder()
    plans = [render(case, 0, 1).plan]
    gate = Checkpoints(dialect, plans, vocabulary, described.traits, recorder, patience)
    recorder.upstream_seconds = gate.seconds
    with open_run(session, case, gate) as opened:
        outcome = session.driver.run(opened.message(limit_ms), recorder, "alone")
    session.pace.note_run(recorder)
    if not gate.reached:
        kind = _no_stream(opened.run, ended_value(outcome))
        hung = _hung(outcome)
        return Observation(broken=kind, notes=outcome.notes, late=hung, hung=hung)
    if gate.reached[0].reached:
        return Observation("the first words came out while the stream was held open")
    parts = [emitted.part for emitted in recorder.parts()]
    before, out = gate.reached[0].parts, vocabulary.read(parts[: gate.reached[0].parts], None).text
    return Observation(broken=HeldBack(out, len(parts) - before), notes=outcome.notes, late=True)


def _no_stream(run: Run, ended: EndedValue) -> NoStream:
    """Why a run has no stream that could be held open."""
    posts = [exchange for exchange in run.exchanges if exchange.method == "POST"]
    if posts and posts[0].refused:
        return NoStream("refused", ended, posts[0].status, posts[0].refused)
    return NoStream("no-stream" if posts else "no-request", ended)


def _hung(outcome: Outcome) -> bool:
    return outcome.verdict in ("timed-out", "hung")


def _check_concurrency(session: Session, dialect: str, limit_ms: int) -> Observation:
    many = session.description.claims.concurrency
    held = (Case(held_open(number), dialect) for number in range(1, many + 1))
    cases = [case_for(session.description, case) for case in held]
    vocabulary, patience = session.vocabulary, _max_hold_seconds(session)
    _, (alone,) = play_concurrently(session, cases[:1], patience, limit_ms)
    reading = vocabulary.read(alone.parts, None)
    if alone.outcome.verdict != "completed" or _mixed_up(reading, 1, 0):
        kind = WrongAlone(many, ended_value(alone.outcome), reading.text, _calls_in(reading))
        hung, notes = _hung(alone.outcome), alone.outcome.notes
        return Observation(broken=kind, notes=notes, late=hung, hung=hung, wrong=cases[0])
    arrived, played = play_concurrently(session, cases, patience, limit_ms)
    for number, each in enumerate(played, 1):
        if each.outcome.verdict != "completed":
            beside = RunBesideOthersBroken(many - 1, ended_value(each.outcome))
            hung = _hung(each.outcome)
            return Observation(broken=beside, notes=each.outcome.notes, late=hung, hung=hung)
        if mixed := _mixed_up(vocabulary.read(each.parts, None), number, many - 1):
            return Observation(broken=mixed)
    if arrived < many:
        return Observation(broken=FewerAtOnce(many, arrived), late=True)
    return Observation(f"{many} runs were in the middle at one time")


def _mixed_up(reading: Reading, number: int, others: int) -> Kind | None:
    """What a run with this number said or called that is not its own; None if there is nothing."""
    text, call = f"Is anybody on line {number}?", CallValue("pick_up", {"line": number})
    # The trait blank_before_call allows a blank behind the text.
    if reading.text.removesuffix(" ") != text:
        return TextOfAnotherRun(others, reading.text, text)
    made = _calls_in(reading)
    return CallsOfAnotherRun(others, made, call) if made != (call,) else None


def _calls_in(reading: Reading) -> tuple[CallValue, ...]:
    return tuple(CallValue(each.name, each.input) for each in reading.calls)


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
        recorder = Recorder()
        with open_run(session, case, barrier) as opened:
            outcome = session.driver.run(opened.message(deadline_ms), recorder)
        return ConcurrentRun(outcome, [emitted.part for emitted in recorder.parts()])

    with ThreadPoolExecutor(len(cases)) as pool:
        played = list(pool.map(play, cases))
    return barrier.arrived, played


DIALECT = "claims/made-up-dialect"
LIVE = "claims/live"
CONCURRENCY = "claims/concurrency"

CLAIMS: Mapping[str, Claim] = {
    DIALECT: Claim(
        "a run in a dialect that there is not is answered with unsupported",
        partial(_result_of, _check_made_up_dialect),
        lambda described: "a server is not told of a dialect" if described.is_server else "",
    ),
    LIVE: Claim(
        "a part comes out while its stream is still open",
        partial(_result_of, _repeat_if_late(_check_live)),
        lambda described: "" if described.claims.live else "the adapter does not claim live: true",
    ),
    CONCURRENCY: Claim(
        "as many runs as claimed go on at one time",
        partial(_result_of, _repeat_if_late(_check_concurrency)),
        lambda described: (
            "" if described.claims.concurrency > 1 else "adapter.yaml claims no concurrency above 1"
        ),
    ),
    **{
        id_: Claim(
            sequence.holds,
            lambda session, id_, _dialect: counting.check(session, id_),
            counting.skip_reason,
        )
        for id_, sequence in SEQUENCES.items()
    },
}
"""The claims by the ids of their items, in the order in which they are checked."""
