"""Handles requests to the upstream: plays the turn that answers, and records it in the journal."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.dialects import DIALECTS
from mockserver.dialects.dialect import read_headers
from mockserver.faults import Fault, did_you_mean
from mockserver.server import intake
from mockserver.server.address import Addresses, by_model
from mockserver.server.answers import (
    SERVER,
    answer,
    internal_error,
    no_route,
    plain_answer,
    raw_answer,
    wrong_method,
)
from mockserver.server.attempts import HEADER as RETRIES
from mockserver.server.attempts import attempt_of
from mockserver.server.choice import HEADER, Request, choose
from mockserver.server.journal import redacted
from mockserver.server.listing import Listing
from mockserver.server.parsed import parse, values_of
from mockserver.server.refusals import Refused
from mockserver.server.repeated import Asked, Chosen
from mockserver.server.state import ANSWERING, LOG, STATE
from mockserver.server.store.store import Arrival
from mockserver.server.stream import closings, response_for, stream
from mockserver.wire.slots import fill

if TYPE_CHECKING:
    from mockserver.dialects import Dialect
    from mockserver.render import Rendered
    from mockserver.scenario.script import Answer
    from mockserver.server.address import Address
    from mockserver.server.choice import Choice
    from mockserver.server.journal import Exchange
    from mockserver.server.parsed import Parsed
    from mockserver.server.runs import Run
    from mockserver.server.state import State
    from mockserver.server.store.store import Store

_MODELS = "models"
_REQUEST_ID_BYTES = 12
_RESPONSE_ID_BYTES = 16


class Routes:
    """The operations and look-ups of the dialects that are registered when it is made."""

    def __init__(self) -> None:
        dialects = DIALECTS.values()
        self.operations = {path: each for each in dialects for path in each.operations}
        self.lookups = {path: ask for each in dialects for path, ask in each.lookups.items()}
        self.addresses = Addresses([*self.operations, *self.lookups, _MODELS])


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
        await _let_another_begin(run)
        exchange = await store.begin(_arrival(request), run)
    except Refused as refused:
        return _not_begun(request, address, refused)
    request_id, response_id = _new_ids()
    headers = {"x-request-id": request_id}
    call = _Call(request, state, exchange, address, headers, response_id)
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
    return _in_shape(dialect, refused, {})


@dataclass(slots=True)
class _Call:
    """A request, what is known before its body is read, and the headers of its answer.

    ``response_id`` is a new id for the response, without the prefix of a dialect. The body may name
    the run, which changes ``address`` and ``run``.
    """

    http: web.Request
    state: State
    exchange: Exchange
    address: Address
    headers: dict[str, str]
    response_id: str
    run: Run | None = None

    @property
    def store(self) -> Store:
        return self.state.store

    @property
    def routes(self) -> Routes:
        return self.http.app[ROUTES]

    def enter(self, run: Run, task: asyncio.Task[Any]) -> None:
        """Answer as part of a run, in this task."""
        self.run, self.exchange.case = run, str(run.case)
        run.answering.add(task)


async def _route(call: _Call) -> web.StreamResponse:
    operation = call.address.operation
    dialect = call.routes.operations.get(operation)
    method = "POST" if dialect else "GET"
    if not operation:
        return _record_refusal(call.exchange, no_route(call.http), "no such route")
    if call.http.method != method:
        wrong = wrong_method(call.http, method)
        return _record_refusal(call.exchange, wrong, f"the method is not {method}")
    return await _answer_turn(call, dialect) if dialect else _look_up(call)


def _record_refusal(exchange: Exchange, response: web.Response, why: str) -> web.Response:
    exchange.status, exchange.refused = response.status, why
    return response


def _look_up(call: _Call) -> web.Response:
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
    return _refusal(call, dialect, Refused(404, missing, "model"))


def _ok(call: _Call, value: Any) -> web.Response:
    if value is None:
        call.exchange.status = 204
        return web.Response(status=204, headers={"Server": SERVER, **call.headers})
    call.exchange.status = 200
    return answer(value, headers=call.headers)


async def _answer_turn(call: _Call, dialect: Dialect) -> web.StreamResponse:
    """Answer with a turn; errors before the stream starts are answered in the dialect's shape."""
    response: web.StreamResponse | None = None
    try:
        if call.address.base == "plain":
            await _enter_run_by_model(call, dialect)
        parsed = await _read(call, dialect)
        rendered = await _choose(call, dialect, parsed)
        if rendered.answer is not None:
            return _fixed_answer(call, rendered.answer)
        if not parsed.inbound.stream:
            return await _non_streaming_answer(call, rendered)
        gatekeeper = call.run.gatekeeper if call.run else None
        plan = rendered.plan.filled(call.exchange.values)
        headers = {**call.headers, **dialect.response_headers}
        response, plan = response_for(call.http, plan, headers)
        call.exchange.plan, call.exchange.status = rendered.plan, response.status
        await stream(call.http, response, call.exchange, plan, gatekeeper)
    except Refused as refused:
        return _refusal(call, dialect, refused)
    except asyncio.CancelledError:
        _record_disconnect(call)
        raise
    except ConnectionError:
        _record_disconnect(call)
    except Exception as thrown:
        return _internal_error(call, dialect, response, thrown)
    return web.Response() if response is None else response


async def _enter_run_by_model(call: _Call, dialect: Dialect) -> None:
    """Make the request one of the run that its model names, if it does.

    Raises Refused if the store cannot do that. A body that cannot be read is refused later.
    """
    body = b""
    with suppress(Refused):
        body = await intake.read_body(call.http)
    models = read_headers(dialect, call.http.headers).values()
    call.address = by_model(call.address, models, body)
    task = asyncio.current_task()
    run = await call.store.run(call.address.chosen) if call.address.base == "run" else None
    if run is not None and task is not None:
        await _let_another_begin(run)
        await call.store.join(call.exchange, run)
        call.enter(run, task)


async def _let_another_begin(run: Run | None) -> None:
    """Wait until a request may begin that is not the first of its run."""
    if run is not None and run.exchanges and run.before_another is not None:
        await run.before_another()


async def _read(call: _Call, dialect: Dialect) -> Parsed:
    data = await intake.read_body(call.http)
    intake.record_body(call.exchange, data)
    headers = tuple(read_headers(dialect, call.http.headers).items())
    parsed = parse(dialect.name, call.address.model, headers, data)
    intake.record_body(call.exchange, data, is_json=True)
    call.exchange.problems = parsed.inbound.problems
    return parsed


async def _choose(call: _Call, dialect: Dialect, parsed: Parsed) -> Rendered:
    """Choose the turn that answers, record the choice, and render the turn."""
    inbound, exchange = parsed.inbound, call.exchange
    chosen = await _chosen(call, dialect, parsed)
    choice, exchange.attempt, rendered, exchange.case, exchange.why = chosen
    exchange.turn = choice.turn
    response_id = inbound.response_id or f"{dialect.id_prefix}{call.response_id}"
    if len(choice.case.scenario.turns) > 1:
        await call.store.remember(response_id, choice.turn)
    exchange.values = values_of(call.http, parsed, response_id)
    exchange.form = inbound.form
    return rendered


async def _chosen(call: _Call, dialect: Dialect, parsed: Parsed) -> Chosen:
    """What answers a request: as for the same request before, if that was the answer to it alone.

    A malformed request raises Refused only after the choice, so that the journal has its case.
    """
    state, inbound, headers = call.state, parsed.inbound, call.http.headers
    header, retries = headers.get(HEADER, ""), headers.get(RETRIES, "")
    asked = Asked(call.address, parsed, header, retries)
    if (known := state.repeated.get(asked)) and state.catalogue.is_current(known.choice.entry):
        return known
    turn_of_response = await call.store.continued(inbound.previous or "")
    request = Request(dialect, call.address, inbound, header, call.run, turn_of_response)
    choice = choose(state.catalogue, request)
    call.exchange.case = str(choice.case)
    if inbound.problems:
        raise Refused(400, "; ".join(inbound.problems), _field(inbound.problems[0]))
    attempt = await attempt_of(call.store, call.run, choice.turn, headers)
    rendered = state.renderings.get(choice.case, choice.turn, attempt, inbound.form)
    chosen = Chosen(choice, attempt, rendered, str(choice.case), _why(choice, attempt))
    if call.run is None and not inbound.previous:
        state.repeated.keep(asked, chosen)
    return chosen


def _why(choice: Choice, attempt: int) -> str:
    """The reason for a choice, with the answer to this attempt if the turn has several."""
    answers = len(choice.case.scenario.turns[choice.turn].attempts)
    return choice.why + (f", answer {min(attempt, answers)} of {answers}" if answers > 1 else "")


def _field(problem: str) -> str | None:
    """The path of the field that a problem is about, if it is about one."""
    path, colon, _ = problem.partition(": ")
    return path if colon and path != "body" else None


def _fixed_answer(call: _Call, plain: Answer) -> web.Response:
    """Answer with the plain HTTP response of a scenario, for streaming requests too."""
    call.exchange.answer, call.exchange.status = plain, plain.status
    headers = {"Server": SERVER, **call.headers}
    response = web.Response(body=plain.body, status=plain.status, headers=headers)
    response.headers.update(plain.headers)
    return response


async def _non_streaming_answer(call: _Call, rendered: Rendered) -> web.StreamResponse:
    """Answer with the complete response instead of a stream.

    If the stream would end without its terminal event, the connection is closed as the stream would
    close it; a clean close raises Refused (500).
    """
    if rendered.non_streaming is not None:
        call.exchange.status = rendered.status
        body = fill(rendered.non_streaming, call.exchange.values)
        return raw_answer(body, rendered.status, call.headers)

    async def clean() -> None:
        raise Refused(500, "the upstream ended without a response")

    await closings(call.http, clean)[rendered.plan.close]()
    return web.Response()


def _refusal(call: _Call, dialect: Dialect, refused: Refused) -> web.Response:
    response = _in_shape(dialect, refused, call.headers)
    return _record_refusal(call.exchange, response, refused.message)


def _in_shape(dialect: Dialect, refused: Refused, headers: dict[str, str]) -> web.Response:
    """An error response as the dialect's upstreams send it."""
    message = f"{refused.message}; {refused.hint}" if refused.hint else refused.message
    body = dialect.refusal(refused.status, message, refused.param)
    if isinstance(body, str):
        return plain_answer(body, refused.status, headers)
    return answer(body, refused.status, headers)


def _internal_error(
    call: _Call, dialect: Dialect, response: web.StreamResponse | None, thrown: Exception
) -> web.StreamResponse:
    """Answer an exception with 500, or abort the connection if the stream has started."""
    message = str(thrown) if isinstance(thrown, Fault) else internal_error(thrown)
    if response is None or not response.prepared:
        return _refusal(call, dialect, Refused(500, message))
    call.exchange.refused = message
    _abort(call.http)
    return response


def _record_disconnect(call: _Call) -> None:
    """Record that the client disconnected; if it did not, the server is stopping: abort."""
    if call.http.transport is None or call.http.transport.is_closing():
        error = call.http.content.exception()
        reset = isinstance(error, OSError) and error.errno is not None
        how = "reset the connection" if reset else "closed the connection"
        call.exchange.left = (time.monotonic(), how)
    else:
        _abort(call.http)


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
