"""Renders the stream of a scenario to bytes and parses them again, to judge the scenario itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.recording import read_dump
from mockserver.dialects import DIALECTS
from mockserver.render import render
from mockserver.wire.frames import Write
from mockserver.wire.slots import fill

if TYPE_CHECKING:
    from conformance.dialects.recording import Dump
    from mockserver.render import Case


def recorded_turn(case: Case, turn: int, attempt: int = 1, form: str | None = None) -> Dump:
    """The recording that a client would make of one turn of a case.

    Raises UserError if the case has nothing to send for this turn.
    """
    plan = render(case, turn, attempt, form).plan
    writes = (write for write in plan.writes if isinstance(write, Write))
    sample = DIALECTS[case.dialect].sample()
    return read_dump(b"".join(fill(write.pieces, sample) for write in writes), str(case))
