"""Keeps the garbage collector from pausing a server process while streams are being played.

A full collection visits every object. With thousands of open streams it takes half a second, in
which all of them are late, and it finds little: what a stream needs is in use until the stream
ends, and is then freed by its reference counts. Only a closed connection leaves a small cycle. So
the youngest objects are collected often, while they are few; the others only when no request is
being answered; and what was loaded before the server began is not visited at all.

This concerns a whole process, so only one that does nothing but serve may use it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

# The youngest objects are visited once there are this many, in less than a millisecond. The product
# of the first two numbers bounds what the cycles of a server that is never idle may amount to.
_THRESHOLDS = (2_000, 1_000, 10)
_CHECK_SECONDS = 1.0


@asynccontextmanager
async def collecting_when_idle(is_idle: Callable[[], bool]) -> AsyncIterator[None]:
    """Inside the block, old objects are collected only if ``is_idle`` stays true for a second."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    collecting = asyncio.create_task(_collect_when_idle(is_idle))
    try:
        yield
    finally:
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting
        gc.set_threshold(*before)
        gc.unfreeze()


async def _collect_when_idle(is_idle: Callable[[], bool]) -> None:
    was_idle = False
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        now_idle = is_idle()
        if was_idle and now_idle and _has_collected():
            gc.collect()
        was_idle = now_idle


def _has_collected() -> bool:
    """Whether young objects have been collected since the last full collection."""
    return any(gc.get_count()[1:])
