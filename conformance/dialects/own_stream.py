"""Renders the stream of a scenario to bytes and parses them again, to judge the scenario itself."""

from collections.abc import Iterator

from conformance.dialects.recording import Dump, read_dump
from mockserver.cases.case import Case
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.scenario.script import Answer
from mockserver.wire.frames import Plan
from mockserver.wire.slots import fill


def recorded_turn(case: Case, turn: int, attempt: int = 1, form: str | None = None) -> Dump:
    """The recording that a client would make of one turn of a case.

    Raises UserError if the case has nothing to send for this turn.
    """
    return recorded_plan(render(case, turn, attempt, form).plan, case)


def recorded_plan(plan: Plan, case: Case) -> Dump:
    """The recording that a client would make of a rendered turn of a case.

    Raises UserError if the plan sends nothing.
    """
    return read_dump(_bytes(plan, case), str(case))


def recorded_streams(case: Case) -> Iterator[bytes]:
    """The bytes of each stream of a case, by turn and attempt; plain HTTP answers are left out."""
    for n, turn in enumerate(case.scenario.turns):
        for attempt, written in enumerate(turn.attempts, 1):
            if not isinstance(written.script, Answer):
                yield _bytes(render(case, n, attempt).plan, case)


def _bytes(plan: Plan, case: Case) -> bytes:
    """The bytes of a stream, with sample values in its slots."""
    sample = DIALECTS[case.dialect].sample()
    return b"".join(fill(write.pieces, sample) for write in plan.filled(sample).byte_writes)
