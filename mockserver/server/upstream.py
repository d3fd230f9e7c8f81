"""Handles requests to the upstream: answers each, and records it in the journal.

Requests may name any model. ``GET …/models`` lists ``mock`` and one model for each scenario. At the
base URL of a run or a scenario every model plays that scenario, so all of them have the context
window and the limits of its ``host.model``.

Source: OpenAI, "Models"; AI Gateway, "GET /v1/models".
"""

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from aiohttp import web

from mockserver.cases.case import parse
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Fault, did_you_mean
from mockserver.scenario.model import Model
from mockserver.server.address import Addresses
from mockserver.server.answers import (
    SERVER,
    Refused,
    answer,
    answer_refused,
    no_route,
    wrong_method,
)
from mockserver.server.call import Call, answer_turn, let_another_begin, record_refusal, refuse
from mockserver.server.choice import MODEL_PREFIX
from mockserver.server.journal import Exchange, redact_headers
from mockserver.server.state import ANSWERING, LOG, STATE

_RANDOM_BYTES = 28
# The first digits are the id of a request, the others that of the response without its prefix.
_REQUEST_ID = 24
_ANY = "mock"
_STARTED = int(time.time())


class Routes:
    """The operations and look-ups of the dialects that are registered when it is made."""

    def __init__(self) -> None:
        dialects = DIALECTS.values()
        self.operations = {path: each for each in dialects for path in each.requests.operations}
        self.lookups = {
            path: ask for each in dialects for path, ask in each.requests.lookups.items()
        }
        self.addresses = Addresses([*self.operations, *self.lookups, "models"])


ROUTES = web.AppKey("routes", Routes)


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
        head = request.method, request.rel_url.raw_path, redact_headers(request.headers.items())
        exchange = Exchange(0, time.monotonic(), *head)
        await store.begin(exchange, run)
    except Refused as refused:
        # In the shape of its dialect, if the request is of one.
        if dialect := app[ROUTES].operations.get(address.operation):
            return answer_refused(dialect, refused, {})
        raise
    random = os.urandom(_RANDOM_BYTES).hex()
    headers = {"x-request-id": f"req_{random[:_REQUEST_ID]}"}
    call = Call(request, state, exchange, address, headers, response_id=random[_REQUEST_ID:])
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


async def _route(call: Call) -> web.StreamResponse:
    operation = call.address.operation
    dialect = call.http.app[ROUTES].operations.get(operation)
    method = "POST" if dialect else "GET"
    if not operation:
        return record_refusal(call.exchange, no_route(call.http), "no such route")
    if call.http.method != method:
        wrong = wrong_method(call.http, method)
        return record_refusal(call.exchange, wrong, f"the method is not {method}")
    return await answer_turn(call, dialect) if dialect else _look_up(call)


def _look_up(call: Call) -> web.Response:
    # In a run, scenarios are hidden from the adapter under test.
    scenarios = () if call.address.base == "run" else call.state.catalogue.ids()
    ids = [_ANY, *(MODEL_PREFIX + id_ for id_ in scenarios)]
    if look_up := call.http.app[ROUTES].lookups.get(call.address.operation):
        return _answer_value(call, look_up(ids, call.http.headers))
    played = _find_model(call)
    if not (wanted := call.address.model):
        data = [_describe(id_, played) for id_ in ids]
        return _answer_value(call, {"object": "list", "data": data})
    if wanted in ids:
        return _answer_value(call, _describe(wanted, played))
    hint = did_you_mean(wanted, ids)
    missing = f"no model is called {wanted[:80]!r}{'; ' if hint else ''}{hint}"
    dialect = DIALECTS[call.run.case.dialect] if call.run else next(iter(DIALECTS.values()))
    return refuse(call, dialect, Refused(404, missing, "model"))


def _answer_value(call: Call, value: Any) -> web.Response:
    if value is None:
        call.exchange.status = 204
        return web.Response(status=204, headers={"Server": SERVER, **call.headers})
    call.exchange.status = 200
    return answer(value, headers=call.headers)


def _find_model(call: Call) -> Model:
    """The model of the scenario that plays at this base URL, if there is one; else a usual one."""
    scenario = call.run.case.scenario if call.run else None
    if call.address.base == "scenario":
        with suppress(Fault):
            scenario = call.state.catalogue.get(parse(call.address.chosen).scenario)
    return scenario.host.model if scenario else Model()


def _describe(id_: str, model: Model) -> dict[str, Any]:
    return {
        "id": id_,
        "object": "model",
        "created": _STARTED,
        "owned_by": "streamproof",
        "name": id_,
        "description": "A model that says what a scenario has it say",
        "type": "language",
        "context_window": model.context_window,
        "max_tokens": model.max_tokens,
        "pricing": {"input": "0", "output": "0"},
    }
