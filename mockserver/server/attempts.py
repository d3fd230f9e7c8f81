"""Which of its answers a request gets: the first at first, the next ones as it comes again.

In a run requests are counted. Elsewhere clients have nothing to do with each other, so that a count
would give one of them what another one has asked for; there a request that is made again says so
itself, or it gets the first answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.server.runs import Run

HEADER = "x-stainless-retry-count"
"""How often the request was made before, as the SDKs of OpenAI and others say it."""

_COUNT = re.compile("[0-9]{1,4}")


def attempt_of(run: Run | None, turn: int, headers: Mapping[str, str]) -> int:
    """The number of this attempt at a turn, counted from 1, which the run notes."""
    if run is not None:
        run.answered[turn] += 1
        return run.answered[turn]
    before = headers.get(HEADER, "")
    return int(before) + 1 if _COUNT.fullmatch(before) else 1
