"""Waits after the ending of a run for messages that should not have come after it.

A program that goes on after its ``done`` line needs a moment to do so, and longer on a busy
machine. So a run settles for a fixed time, and then for as long as the program still computes or
waits for a processor, or the kit has not yet read what it has written. A program that sleeps has
had its chance, and so has one that has gone on to write something else.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.drivers.child import Child

SETTLING = 0.02
"""The least time that a run settles, in seconds."""

LONGEST = 0.5
_POLL_SECONDS = 0.005


def settle(child: Child, lines_read: Callable[[], int]) -> None:
    """Wait until a program has had its chance to write lines after an ending."""
    time.sleep(SETTLING)
    before, until = lines_read(), time.monotonic() + LONGEST
    while child.is_busy and lines_read() == before and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)


async def wait_until_handled(children: Callable[[], Iterable[Child]]) -> None:
    """Wait until everything that programs have written so far is handled."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        if not any(child.has_unhandled for child in children()):
            return
        await asyncio.sleep(_POLL_SECONDS)
