"""What ``adapter.yaml`` claims and no scenario can check; each claim is an item of the suite.

They are asked before any case is played, when nothing else is in flight. An adapter that plays
whatever it is asked for claims nothing by naming its dialects; one that shows everything at the
end, or plays one run after the other, gives the same parts as one that does not. So the upstream
holds its streams until it has seen what is claimed. No clock decides: the waits are bounded, and an
adapter that keeps its claim never uses them up.

A claim is added by a function and a line in ``CLAIMS``. What is claimed by ``count`` has items of
its own: see ``conformance.suite.counting``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, found, topics
from conformance.contract.results import Result
from conformance.suite.barrier import together
from conformance.suite.checkpoints import Checkpoints
from conformance.suite.counting import item as counting
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.play import run_message
from conformance.suite.recorder import Recorder
from conformance.suite.storage import storage_for
from conformance.vocabularies import VOCABULARIES
from mockserver.render import Case, render
from mockserver.scenario.load import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.contract.adapter import Description
    from conformance.suite.play import Session
    from conformance.vocabularies import Vocabulary
    from mockserver.scenario.model import Scenario

RULE: Rule[object] = Rule(
    id="claims-kept",
    holds="what adapter.yaml claims is so",
    source="drive/1",
    check=lambda _evidence: (),
)

MADE_UP_DIALECT = "made-up"
TEXT = "Is anybody there?"

_HELD = b"""
title: A stream is held open behind its first words
turns:
  - says:
      - start: {text: t}
      - delta: {t: "Is anybody"}
      - checkpoint: held
      - delta: {t: " there?"}
      - end: t
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a claim; ``right`` is what would have kept it, empty where it was kept."""

    told: str
    right: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """``holds`` is what is so if it is kept; ``unfit`` says why an adapter is not asked, if so."""

    holds: str
    ask: Callable[[Session, str, str], Result]
    unfit: Callable[[Description], str]


def check(session: Session, id_: str, dialect: str) -> Result:
    """Ask an adapter for one of its claims, in a dialect that it speaks."""
    return CLAIMS[id_].ask(session, id_, dialect)


def _kept(ask: Callable[[Session, str], Seen], session: Session, id_: str, dialect: str) -> Result:
    name, seen = session.description.name, ask(session, dialect)
    if not seen.right:
        return Result(id_, name, "passed", why=seen.told)
    defect = Defect(seen.told, seen.right, topics("end"))
    return Result(id_, name, "failed", (found(RULE, defect),), why="\n".join(seen.notes))


def held(dialect: str) -> Case:
    """A case that waits at its one checkpoint, behind the beginning of its text."""
    return Case(_scenario(), dialect)


@cache
def _scenario() -> Scenario:
    return load(_HELD, "the kit's own", "any/held-open")


def _counted(session: Session, id_: str, _dialect: str) -> Result:
    return counting.check(session, id_)


def _vocabulary(described: Description) -> Vocabulary:
    return VOCABULARIES[described.vocabulary].under(described.traits)


def _patience(session: Session) -> float:
    """How long a stream is held at most (seconds)."""
    return session.deadline_ms / 2000


def _refuses(session: Session, dialect: str) -> Seen:
    case = held(dialect)
    run = session.upstream.open(case)
    try:
        with storage_for(session.description) as storage:
            url, deadline_ms = session.upstream.url, session.deadline_ms
            asked = run_message(case, run, url, deadline_ms, storage=storage)
            asked["dialect"] = MADE_UP_DIALECT
            outcome = session.driver.run(asked, Recorder(), alone=True)
    finally:
        session.upstream.close(run)
    if outcome.verdict == "unsupported":
        return Seen("it was answered with unsupported")
    return Seen(
        f"a run in the dialect {MADE_UP_DIALECT!r}, which there is not, was answered: "
        f"{outcome.verdict}",
        "unsupported, for every dialect that adapter.yaml does not claim",
        outcome.notes,
    )


def _is_live(session: Session, dialect: str) -> Seen:
    case, described, patience = held(dialect), session.description, _patience(session)
    vocabulary, recorder = _vocabulary(described), Recorder()
    plans = [render(case, 0, 1).plan]
    gate = Checkpoints(dialect, plans, vocabulary, described.traits, recorder, patience)
    run = session.upstream.open(case, gate)
    try:
        deadline_ms = session.deadline_ms + int(patience * 1000)
        with storage_for(described) as storage:
            asked = run_message(case, run, session.upstream.url, deadline_ms, storage=storage)
            outcome = session.driver.run(asked, recorder, alone=True)
    finally:
        session.upstream.close(run)
    if not gate.reached:
        told = f"no stream was asked for, and the run ended as {outcome.verdict}"
        return Seen(told, _PLAYED, outcome.notes)
    if gate.reached[0].reached:
        return Seen("the first words came out while the stream was held open")
    parts = len(recorder.parts()) - gate.reached[0].parts
    told = (
        f"nothing came out of the first words while the stream was held open behind them; "
        f"{parts} part(s) came when it went on"
    )
    return Seen(told, _LIVE, outcome.notes)


_PLAYED = "a run that asks its base URL for a stream and completes"
_LIVE = (
    "each part as soon as its event has come: read the stream while it comes, and flush what is "
    "written; or an adapter.yaml without live: true"
)


def _takes_many(session: Session, dialect: str) -> Seen:
    many = session.description.claims.concurrency
    came, played = together(session, [held(dialect)] * many, _patience(session))
    vocabulary = _vocabulary(session.description)
    for beside in played:
        if beside.outcome.verdict != "completed":
            told = f"beside {many - 1} other(s), a run ended as {beside.outcome.verdict}"
            return Seen(told, _APART, beside.outcome.notes)
        if (text := vocabulary.read(beside.parts, None).text) != TEXT:
            return Seen(f"beside {many - 1} other(s), a run said {text!r}, not {TEXT!r}", _APART)
    if came < many:
        told = f"of {many} runs that were begun at once, {came} reached the mock at one time"
        return Seen(told, f"runs side by side, or a claim of concurrency: {came}")
    return Seen(f"{many} runs were in the middle at one time")


_APART = "every run as if it were alone: keep what belongs to a run with the run, by its id"


def _not_told(described: Description) -> str:
    return "a server is not told of a dialect" if "serve" in described.drive else ""


def _not_live(described: Description) -> str:
    return "" if described.claims.live else "the adapter does not claim live: true"


def not_wide(described: Description) -> str:
    """Why an adapter is not asked for several runs at once; empty where it is."""
    if "python" in described.drive:
        return "adapters in Python get their runs one by one"
    wide = described.claims.concurrency > 1
    return "" if wide else "adapter.yaml claims no concurrency above 1"


DIALECT = "claims/made-up-dialect"
LIVE = "claims/live"
CONCURRENCY = "claims/concurrency"

CLAIMS: Mapping[str, Claim] = {
    DIALECT: Claim(
        "a run in a dialect that there is not is answered with unsupported",
        partial(_kept, _refuses),
        _not_told,
    ),
    LIVE: Claim(
        "a part comes out while its stream is still open", partial(_kept, _is_live), _not_live
    ),
    CONCURRENCY: Claim(
        "as many runs as claimed go on at one time", partial(_kept, _takes_many), not_wide
    ),
    **{id_: Claim(s.holds, _counted, counting.not_counting) for id_, s in SEQUENCES.items()},
}
"""In the order in which they are asked, by the ids of their items."""
