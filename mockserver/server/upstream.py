"""Handles requests to the upstream: answers each, and records it in the journal."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import did_you_mean
from mockserver.server.answers import SERVER, answer, no_route, wrong_method
from mockserver.server.call import (
    ROUTES,
    Call,
    in_shape,
    let_another_begin,
    record_refusal,
    refusal,
)
from mockserver.server.journal import redacted
from mockserver.server.listing import Listing
from mockserver.server.refusals import Refused
from mockserver.server.state import ANSWERING, LOG, STATE
from mockserver.server.store.store import Arrival
from mockserver.server.turn_answer import answer_turn

if TYPE_CHECKING:
    from mockserver.server.address import Address

_REQUEST_ID_BYTES = 12
_RESPONSE_ID_BYTES = 16


async def upstream(request: web.Request) -> web.StreamResponse:
    """Handle a request outside the control interface."""
    app = request.app
    state, address = app[STATE], app[ROUTES].addresses.read(request.rel_url.raw_path)
    store = state.store
    try:
        run = await store.run(address.chosen) if address.base == "run" else None
        if address.base == "plain" and (run := store.default_run()):
            address = replace(address, base="run", chosen=run.id)
        await let_another_begin(run)
        exchange = await store.begin(_arrival(request), run)
    except Refused as refused:
        return _not_begun(request, address, refused)
    request_id, response_id = _new_ids()
    headers = {"x-request-id": request_id}
    call = Call(request, state, exchange, address, headers, response_id)
    task = asyncio.current_task()
    assert task is not None
    app[ANSWERING].add(task)
    if run is not None:
        call.enter(run, task)
    try:
        return await _route(call)
    finally:
        exchange.ended = time.monotonic()
        app[ANSWERING].discard(task)
        if call.run is not None:
            call.run.answering.discard(task)
        store.end(exchange, call.run)
        if log := app.get(LOG):
            log(exchange)


def _new_ids() -> tuple[str, str]:
    """An id for a request, and one for the response to it without the prefix of its dialect."""
    digits = os.urandom(_REQUEST_ID_BYTES + _RESPONSE_ID_BYTES).hex()
    return f"req_{digits[: 2 * _REQUEST_ID_BYTES]}", digits[2 * _REQUEST_ID_BYTES :]


def _arrival(request: web.Request) -> Arrival:
    return Arrival(
        time.monotonic(),
        request.method,
        request.rel_url.raw_path,
        redacted(request.headers.items()),
    )


def _not_begun(request: web.Request, address: Address, refused: Refused) -> web.Response:
    """Answer a request for which the journal or the runs cannot be reached, in its dialect's shape.

    Raises the refusal if the request is of no dialect.
    """
    dialect = request.app[ROUTES].operations.get(address.operation)
    if dialect is None:
        raise refused
    return in_shape(dialect, refused, {})


async def _route(call: Call) -> web.StreamResponse:
    operation = call.address.operation
    dialect = call.routes.operations.get(operation)
    method = "POST" if dialect else "GET"
    if not operation:
        return record_refusal(call.exchange, no_route(call.http), "no such route")
    if call.http.method != method:
        wrong = wrong_method(call.http, method)
        return record_refusal(call.exchange, wrong, f"the method is not {method}")
    return await answer_turn(call, dialect) if dialect else _look_up(call)


def _look_up(call: Call) -> web.Response:
    listing = Listing(call.state.catalogue, call.address, call.run)
    if look_up := call.routes.lookups.get(call.address.operation):
        return _ok(call, look_up(listing.ids, call.http.headers))
    if not (wanted := call.address.model):
        return _ok(call, listing.models())
    if wanted in (ids := listing.ids):
        return _ok(call, listing.model(wanted))
    hint = did_you_mean(wanted, ids)
    missing = f"no model is called {wanted[:80]!r}{'; ' if hint else ''}{hint}"
    dialect = DIALECTS[call.run.case.dialect] if call.run else next(iter(DIALECTS.values()))
    return refusal(call, dialect, Refused(404, missing, "model"))


def _ok(call: Call, value: Any) -> web.Response:
    if value is None:
        call.exchange.status = 204
        return web.Response(status=204, headers={"Server": SERVER, **call.headers})
    call.exchange.status = 200
    return answer(value, headers=call.headers)
