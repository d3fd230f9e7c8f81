"""Which attempt at a turn a request is, for turns that answer retries differently.

In a run, requests are counted. Outside runs, unrelated clients may request the same scenario, so a
shared count would mix them up; there the retry header of the request decides, and a request without
it is the first attempt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.server.runs import Run
    from mockserver.server.store.store import Store

HEADER = "x-stainless-retry-count"
"""The number of earlier attempts, as the SDKs of OpenAI and others send it."""

_COUNT = re.compile("[0-9]{1,4}")


async def attempt_of(store: Store, run: Run | None, turn: int, headers: Mapping[str, str]) -> int:
    """The number of this attempt at a turn, from 1; in a run, counts the request."""
    if run is not None:
        return await store.attempt(run, turn)
    before = headers.get(HEADER, "")
    return int(before) + 1 if _COUNT.fullmatch(before) else 1
