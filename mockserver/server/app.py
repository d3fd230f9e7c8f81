"""The web application: the control interface, extra routes, and the upstream for all others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from aiohttp import web

from mockserver.server import control
from mockserver.server.answers import errors
from mockserver.server.call import ROUTES, Routes
from mockserver.server.guard import BOUND, PREFIX, guard
from mockserver.server.intake import MAX_BODY_BYTES
from mockserver.server.state import ANSWERING, LOG, STATE, Log, State
from mockserver.server.upstream import upstream

_STOP_SECONDS = 1.0


def build(
    state: State,
    extra_routes: Iterable[web.AbstractRouteDef] = (),
    host: str = "127.0.0.1",
    log: Log | None = None,
) -> web.Application:
    """The application for this state; ``host`` is the address that the server will be bound to.

    ``log`` is called with every request to the upstream that has ended.

    ``extra_routes`` take precedence over the upstream; those below ``/_mock/`` are guarded as the
    control interface is.
    """
    app = web.Application(middlewares=[errors, guard], client_max_size=MAX_BODY_BYTES)
    app[STATE], app[BOUND], app[ANSWERING] = state, host, set()
    app[ROUTES] = Routes()
    if log is not None:
        app[LOG] = log
    app.on_startup.append(_start_store)
    app.on_shutdown.append(_end_streams)
    app.on_cleanup.append(_stop_store)
    app.add_routes([*control.routes(), *extra_routes])
    app.router.add_route("*", rf"/{{path:(?!{PREFIX[1:]}(?:/|$)).*}}", upstream)
    return app


async def _start_store(app: web.Application) -> None:
    await app[STATE].store.start()


async def _stop_store(app: web.Application) -> None:
    await app[STATE].store.stop()


async def _end_streams(app: web.Application) -> None:
    """Cancel the open streams: a stalled one would never end by itself."""
    answering = {*app[ANSWERING]}
    for task in answering:
        task.cancel()
    if answering:
        await asyncio.wait(answering, timeout=_STOP_SECONDS)
