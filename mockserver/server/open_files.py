"""The number of files that the process may open: each connection takes one."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# More than this is not asked for; some systems refuse a soft limit without bound.
WANTED = 65_536
# With fewer, a suite or a load test may have to wait for descriptors.
ENOUGH = 512

_log = logging.getLogger("streamproof.http")
# What asyncio says of them: out of files, and of a callback of its own that has failed.
_OUT_OF_FILES = "socket.accept() out of system resource"
_NEW_TRY = "._start_serving("
_resource: Any = import_module("resource") if find_spec("resource") else None


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
    stopped by then, its socket is closed, and the new try fails.
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
        """Give the loop the handler back that it had before."""
        loop.set_exception_handler(self._before)
