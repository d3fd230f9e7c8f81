"""What a process that serves sets for itself: its limit of open files, and its garbage collector.

Each connection takes a file.

A full collection visits every object. With thousands of open streams it takes half a second, in
which all of them are late, and it finds little: what a stream needs is in use until the stream
ends, and is then freed by its reference counts. Only a closed connection leaves a small cycle. So
the youngest objects are collected often, while they are few; the others only when no request is
being answered; and what was loaded before the server began is not visited at all. This concerns a
whole process, so only one that does nothing but serve may use it.
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# More than this is not asked for; some systems refuse a soft limit without bound.
WANTED = 65_536
# With fewer, a suite or a load test may have to wait for descriptors.
ENOUGH = 512

# What asyncio says when it is out of files, and when a callback of its own has failed.
_OUT_OF_FILES = "socket.accept() out of system resource"
_NEW_TRY = "._start_serving("
# The youngest objects are visited once there are this many, in less than a millisecond. The product
# of the first two numbers bounds what the cycles of a server that is never idle may amount to.
_THRESHOLDS = (2_000, 1_000, 10)
_CHECK_SECONDS = 1.0

_resource: Any = import_module("resource") if find_spec("resource") else None
_log = logging.getLogger("streamproof.http")


def raise_limit() -> str:
    """Raise the soft limit as far as allowed; a line about it if it stays low, else empty."""
    if _resource is None:
        return ""
    soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
    unlimited = _resource.RLIM_INFINITY
    possible = WANTED if hard == unlimited else min(hard, WANTED)
    if soft != unlimited and soft < possible:
        try:
            _resource.setrlimit(_resource.RLIMIT_NOFILE, (possible, hard))
            soft = possible
        except (OSError, ValueError):  # a system may allow less than its hard limit
            pass
    if soft == unlimited or soft >= ENOUGH:
        return ""
    return (
        f"only {soft} files may be open at once, so that more connections than that have to wait; "
        f"to raise the limit: ulimit -n {8 * ENOUGH}"
    )


class AcceptErrors:
    """An exception handler of a loop: says once that no connection can be accepted anymore.

    asyncio tries again after a second, and reports each connection that waits. If the server has
    stopped by then, its socket is closed, and the new try fails; so a loop that may still try keeps
    the handler.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._before = loop.get_exception_handler()
        self._said = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if context.get("message") == _OUT_OF_FILES:
            if not self._said:
                _log.warning("no more files can be opened: new connections wait")
            self._said = True
        elif self._said and _NEW_TRY in str(context.get("message")):
            return
        elif self._before is not None:
            self._before(loop, context)
        else:
            loop.default_exception_handler(context)

    def restore(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the loop the handler back that it had before, unless new tries may be due."""
        if not self._said:
            loop.set_exception_handler(self._before)


@asynccontextmanager
async def collect_when_idle(is_idle: Callable[[], bool]) -> AsyncIterator[None]:
    """Inside the block, old objects are collected only if ``is_idle`` stays true for a second."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    collecting = asyncio.create_task(_collect(is_idle))
    try:
        yield
    finally:
        collecting.cancel()
        with suppress(asyncio.CancelledError):
            await collecting
        gc.set_threshold(*before)
        gc.unfreeze()


async def _collect(is_idle: Callable[[], bool]) -> None:
    was_idle = False
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        now_idle = is_idle()
        young_were_collected = any(gc.get_count()[1:])
        if was_idle and now_idle and young_were_collected:
            gc.collect()
        was_idle = now_idle
