"""A call of the upstream: a request, and its answer with a turn of a scenario.

In a run, the requests for a turn that answers retries differently are counted. Outside runs,
unrelated clients may request the same scenario, so a shared count would mix them up; there the
retry header of the request decides, and a request without it is the first attempt.
"""

import asyncio
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from mockserver.cases.render import Rendered
from mockserver.dialects import Dialect
from mockserver.foundation.faults import Fault
from mockserver.scenario.script import Answer
from mockserver.server.address import Address, address_by_model
from mockserver.server.answers import SERVER, Refused, answer_refused, internal_error, raw_answer
from mockserver.server.choice import HEADER as SCENARIO
from mockserver.server.choice import Choice, Chosen, Request, choose
from mockserver.server.journal import Exchange
from mockserver.server.request_body import (
    Parsed,
    make_slot_values,
    parse_request,
    read_body,
    record_body,
)
from mockserver.server.runs import Run
from mockserver.server.state import State, Store
from mockserver.server.stream import closings, make_response, stream
from mockserver.wire.slots import fill

RETRIES = "x-stainless-retry-count"
"""The number of earlier attempts, as the SDKs of OpenAI and others send it."""

_COUNT = re.compile("[0-9]{1,4}")


@dataclass(slots=True)
class Call:
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
        """What the server keeps of its runs."""
        return self.state.store

    def enter(self, run: Run, task: asyncio.Task[Any]) -> None:
        """Answer as part of a run, in this task."""
        self.run, self.exchange.case = run, str(run.case)
        run.answering.add(task)


async def _enter_run_by_model(call: Call, dialect: Dialect) -> None:
    """Make the request one of the run that its model names, if it does.

    Raises Refused if the store cannot do that. A body that cannot be read is refused later.
    """
    body = b""
    with suppress(Refused):
        body = await read_body(call.http)
    models = dialect.requests.select_headers(call.http.headers).values()
    call.address = address_by_model(call.address, models, body)
    task = asyncio.current_task()
    run = await call.store.run(call.address.chosen) if call.address.base == "run" else None
    if run is not None and task is not None:
        await let_another_begin(run)
        await call.store.join(call.exchange, run)
        call.enter(run, task)


async def let_another_begin(run: Run | None) -> None:
    """Wait until a request may begin that is not the first of its run."""
    if run is not None and run.exchanges and run.before_another is not None:
        await run.before_another()


def record_refusal(exchange: Exchange, response: web.Response, why: str) -> web.Response:
    """Record in the journal that a request is refused, and why; returns the response."""
    exchange.status, exchange.refused = response.status, why
    return response


def refuse(call: Call, dialect: Dialect, refused: Refused) -> web.Response:
    """An error response to a request that is refused; the journal records it."""
    response = answer_refused(dialect, refused, call.headers)
    return record_refusal(call.exchange, response, refused.message)


async def answer_turn(call: Call, dialect: Dialect) -> web.StreamResponse:
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
        headers = {**call.headers, **dialect.answers.headers}
        response, plan = make_response(call.http, plan, headers)
        call.exchange.plan, call.exchange.status = rendered.plan, response.status
        await stream(call.http, response, call.exchange, plan, gatekeeper)
    except Refused as refused:
        return refuse(call, dialect, refused)
    except asyncio.CancelledError:
        _record_disconnect(call)
        raise
    except ConnectionError:
        _record_disconnect(call)
    except Exception as thrown:
        return _internal_error(call, dialect, response, thrown)
    return web.Response() if response is None else response


async def _read(call: Call, dialect: Dialect) -> Parsed:
    data = await read_body(call.http)
    record_body(call.exchange, data)
    headers = tuple(dialect.requests.select_headers(call.http.headers).items())
    parsed = parse_request(dialect.name, call.address.model, headers, data)
    record_body(call.exchange, data, is_json=True)
    call.exchange.problems = parsed.inbound.problems
    return parsed


async def _choose(call: Call, dialect: Dialect, parsed: Parsed) -> Rendered:
    """Choose the turn that answers, record the choice, and render the turn."""
    inbound, exchange = parsed.inbound, call.exchange
    chosen = await _find_choice(call, dialect, parsed)
    choice, exchange.attempt, rendered, exchange.case, exchange.why = chosen
    exchange.turn, exchange.turns = choice.turn, len(choice.case.scenario.turns)
    response_id = inbound.response_id or f"{dialect.answers.id_prefix}{call.response_id}"
    if len(choice.case.scenario.turns) > 1:
        await call.store.remember(response_id, choice.turn)
    exchange.values = make_slot_values(call.http, parsed, response_id)
    exchange.form = inbound.form
    return rendered


async def _find_choice(call: Call, dialect: Dialect, parsed: Parsed) -> Chosen:
    """The choice that answers a request, which is remembered if the same request came before.

    A malformed request raises Refused only after the choice, so that the journal has its case.
    """
    state, inbound, headers = call.state, parsed.inbound, call.http.headers
    header, retries = headers.get(SCENARIO, ""), headers.get(RETRIES, "")
    asked = (call.address, parsed, header, retries)
    if (known := state.choices.get(asked)) and state.catalogue.is_current(known.choice.entry):
        return known
    turn_of_response = await call.store.turn_lookup(inbound.previous or "")
    request = Request(dialect, call.address, inbound, header, call.run, turn_of_response)
    choice = choose(state.catalogue, request)
    call.exchange.case = str(choice.case)
    if inbound.problems:
        field, colon, _ = inbound.problems[0].partition(": ")
        param = field if colon and field != "body" else None
        raise Refused(400, "; ".join(inbound.problems), param)
    attempt = int(retries) + 1 if _COUNT.fullmatch(retries) else 1
    if call.run is not None:
        attempt = await call.store.attempt(call.run, choice.turn)
    rendered = state.renderings.get(choice.case, choice.turn, attempt, inbound.form)
    chosen = Chosen(choice, attempt, rendered, str(choice.case), _why(choice, attempt))
    if call.run is None and not inbound.previous:
        state.choices.keep(asked, chosen)
    return chosen


def _why(choice: Choice, attempt: int) -> str:
    """The reason for a choice, with the answer to this attempt if the turn has several."""
    answers = len(choice.case.scenario.turns[choice.turn].attempts)
    return choice.why + (f", answer {min(attempt, answers)} of {answers}" if answers > 1 else "")


def _fixed_answer(call: Call, plain: Answer) -> web.Response:
    call.exchange.answer, call.exchange.status = plain, plain.status
    headers = {"Server": SERVER, **call.headers}
    response = web.Response(body=plain.body, status=plain.status, headers=headers)
    response.headers.update(plain.headers)
    return response


async def _non_streaming_answer(call: Call, rendered: Rendered) -> web.StreamResponse:
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


def _internal_error(
    call: Call, dialect: Dialect, response: web.StreamResponse | None, thrown: Exception
) -> web.StreamResponse:
    """Answer an exception with 500, or abort the connection if the stream has started."""
    message = str(thrown) if isinstance(thrown, Fault) else internal_error(thrown)
    if response is None or not response.prepared:
        return refuse(call, dialect, Refused(500, message))
    call.exchange.refused = message
    _abort(call.http)
    return response


def _record_disconnect(call: Call) -> None:
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
