"""The upstream itself: a request in, a played turn out, everything noted in the journal."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.dialects import DIALECTS
from mockserver.dialects.dialect import read_of
from mockserver.faults import Fault, did_you_mean
from mockserver.server import intake
from mockserver.server.address import Addresses
from mockserver.server.answers import (
    SERVER,
    answer,
    no_route,
    own_fault,
    plain_answer,
    raw_answer,
    wrong_method,
)
from mockserver.server.attempts import attempt_of
from mockserver.server.choice import HEADER, Request, choose
from mockserver.server.journal import redacted
from mockserver.server.listing import Listing
from mockserver.server.refusals import Refused
from mockserver.server.state import ANSWERING, STATE
from mockserver.server.stream import Streamed, closings, stream
from mockserver.wire.slots import fill, values

if TYPE_CHECKING:
    from mockserver.dialects import Dialect, Inbound
    from mockserver.render import Rendered
    from mockserver.scenario.model import Answer
    from mockserver.server.address import Address
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Run
    from mockserver.server.state import State
    from mockserver.wire.slots import Values

_MODELS = "models"
_SPOKEN = {path: dialect for dialect in DIALECTS.values() for path in dialect.operations}
_LOOKED_UP = {path: ask for dialect in DIALECTS.values() for path, ask in dialect.lookups.items()}
_ADDRESSES = Addresses([*_SPOKEN, *_LOOKED_UP, _MODELS])
_MOST_REMEMBERED = 256
_REMEMBERED_BYTES = 16 << 10


async def upstream(request: web.Request) -> web.StreamResponse:
    """Answer any request outside of the control interface."""
    state = request.app[STATE]
    address = _ADDRESSES.read(request.rel_url.raw_path)
    run = state.runs.get(address.chosen) if address.base == "run" else None
    exchange = _noted(state, request, run)
    task = asyncio.current_task()
    assert task is not None
    answering = [request.app[ANSWERING], *([run.answering] if run else [])]
    for tasks in answering:
        tasks.add(task)
    try:
        return await _answered(_Asked(request, state, exchange, address, run))
    finally:
        exchange.ended = time.monotonic()
        for tasks in answering:
            tasks.discard(task)
        state.over(exchange, run)


def _noted(state: State, request: web.Request, run: Run | None) -> Exchange:
    exchange = state.journal.open(
        time.monotonic(),
        request.method,
        request.rel_url.raw_path,
        redacted(request.headers.items()),
    )
    if run is not None:
        exchange.case = str(run.case)
        run.keep(exchange)
    return exchange


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request, with what is known of it before its body is read."""

    http: web.Request
    state: State
    exchange: Exchange
    address: Address
    run: Run | None
    id: str = field(default_factory=lambda: f"req_{secrets.token_hex(12)}")

    @property
    def headers(self) -> dict[str, str]:
        return {"x-request-id": self.id}


async def _answered(asked: _Asked) -> web.StreamResponse:
    operation = asked.address.operation
    method = "POST" if operation in _SPOKEN else "GET"
    if not operation:
        return _noted_refusal(asked.exchange, no_route(asked.http), "no such route")
    if asked.http.method != method:
        wrong = wrong_method(asked.http, method)
        return _noted_refusal(asked.exchange, wrong, f"the method is not {method}")
    if operation in _SPOKEN:
        return await _spoken(asked, _SPOKEN[operation])
    return _looked_up(asked)


def _noted_refusal(exchange: Exchange, response: web.Response, why: str) -> web.Response:
    exchange.status, exchange.refused = response.status, why
    return response


def _looked_up(asked: _Asked) -> web.Response:
    listing = Listing(asked.state.catalogue, asked.address, asked.run)
    if look_up := _LOOKED_UP.get(asked.address.operation):
        return _found(asked, look_up(listing.ids, asked.http.headers))
    if not (wanted := asked.address.model):
        return _found(asked, listing.models())
    if wanted in (ids := listing.ids):
        return _found(asked, listing.model(wanted))
    hint = did_you_mean(wanted, ids)
    missing = f"no model is called {wanted[:80]!r}{'; ' if hint else ''}{hint}"
    dialect = DIALECTS[asked.run.case.dialect] if asked.run else next(iter(DIALECTS.values()))
    return _refusal(asked, dialect, Refused(404, missing, "model"))


def _found(asked: _Asked, value: Any) -> web.Response:
    asked.exchange.status = 200
    return answer(value, headers=asked.headers)


async def _spoken(asked: _Asked, dialect: Dialect) -> web.StreamResponse:
    """Play a turn in a dialect, and answer in that dialect whatever goes wrong before it."""
    response = Streamed(headers={**asked.headers, **dialect.answers_with})
    try:
        understood = await _read(asked, dialect)
        rendered = _chosen(asked, dialect, understood)
        if rendered.answer is not None:
            return _plain(asked, rendered.answer)
        if not understood.inbound.stream:
            return await _whole(asked, rendered)
        gatekeeper = asked.run.gatekeeper if asked.run else None
        await stream(asked.http, response, asked.exchange, rendered, gatekeeper)
    except Refused as refused:
        return _refusal(asked, dialect, refused)
    except asyncio.CancelledError:
        _gone(asked)
        raise
    except ConnectionError:
        _gone(asked)
    except Exception as thrown:
        return _failed(asked, dialect, response, thrown)
    return response


@dataclass(frozen=True, slots=True)
class _Understood:
    """What a request's body asks for, and the fields of it that the answer echoes."""

    inbound: Inbound
    echo: Values


def _understood(
    operation: str, path: str, headers: tuple[tuple[str, str], ...], data: bytes
) -> _Understood:
    """Raises Refused where the body is no JSON."""
    inbound = _SPOKEN[operation].inbound(intake.decoded(data), dict(headers), path)
    return _Understood(inbound, values(**inbound.echo))


# The same request comes again and again, from a suite as from a load: it is understood once.
_understood_before = lru_cache(maxsize=_MOST_REMEMBERED)(_understood)


async def _read(asked: _Asked, dialect: Dialect) -> _Understood:
    data = await intake.received(asked.http)
    intake.keep(asked.exchange, data)
    small = len(data) <= _REMEMBERED_BYTES
    headers = tuple(read_of(dialect, asked.http.headers).items())
    read = _understood_before if small else _understood
    understood = read(asked.address.operation, asked.address.path, headers, data)
    intake.keep(asked.exchange, data, is_json=True)
    asked.exchange.problems = understood.inbound.problems
    return understood


def _chosen(asked: _Asked, dialect: Dialect, understood: _Understood) -> Rendered:
    """The turn that answers; a malformed request is told so once it is clear what it asks for."""
    inbound = understood.inbound
    header = asked.http.headers.get(HEADER, "")
    told_by = asked.state.responses.turn
    request = Request(dialect, asked.address, inbound, header, asked.run, told_by)
    choice = choose(asked.state.catalogue, request)
    exchange = asked.exchange
    exchange.case = str(choice.case)
    if inbound.problems:
        raise Refused(400, "; ".join(inbound.problems), _field(inbound.problems[0]))
    exchange.turn, exchange.why = choice.turn, choice.why
    exchange.attempt = attempt_of(asked.run, choice.turn, asked.http.headers)
    answers = len(choice.case.scenario.turns[choice.turn].attempts)
    if answers > 1:
        exchange.why += f", answer {min(exchange.attempt, answers)} of {answers}"
    response_id = f"{dialect.id_prefix}{secrets.token_hex(16)}"
    if len(choice.case.scenario.turns) > 1:
        asked.state.responses.note(response_id, choice.turn)
    exchange.values = understood.echo | values(
        id=response_id,
        created_at=int(now := time.time()),
        timestamp=_iso(now),
        model=inbound.model or "mock",
    )
    return asked.state.renderings.get(choice.case, choice.turn, exchange.attempt, inbound.form)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _field(problem: str) -> str | None:
    """The field that a problem names first, if it is about one."""
    path, colon, _ = problem.partition(": ")
    return path if colon and path != "body" else None


def _plain(asked: _Asked, plain: Answer) -> web.Response:
    """Answer without a stream, whether one was asked for or not."""
    asked.exchange.answer, asked.exchange.status = plain, plain.status
    headers = {"Server": SERVER, **asked.headers}
    response = web.Response(body=plain.body, status=plain.status, headers=headers)
    response.headers.update(plain.headers)
    return response


async def _whole(asked: _Asked, rendered: Rendered) -> web.StreamResponse:
    """Answer at once with the response that the stream would have ended with.

    Where the stream never says how it ends there is none, and the connection ends as it would.
    """
    if rendered.whole is not None:
        asked.exchange.status = rendered.status
        body = fill(rendered.whole, asked.exchange.values)
        return raw_answer(body, rendered.status, asked.headers)

    async def clean() -> None:
        raise Refused(500, "the upstream ended without a response")

    await closings(asked.http, clean)[rendered.plan.close]()
    return web.Response()


def _refusal(asked: _Asked, dialect: Dialect, refused: Refused) -> web.Response:
    body = dialect.refusal(refused.status, refused.message, param=refused.param)
    response = (
        plain_answer(body, refused.status, asked.headers)
        if isinstance(body, str)
        else answer(body, refused.status, asked.headers)
    )
    return _noted_refusal(asked.exchange, response, refused.message)


def _failed(
    asked: _Asked, dialect: Dialect, response: web.StreamResponse, thrown: Exception
) -> web.StreamResponse:
    """A scenario folder's fault is told as it is, anything else as streamproof's own."""
    message = str(thrown) if isinstance(thrown, Fault) else own_fault(thrown)
    if not response.prepared:
        return _refusal(asked, dialect, Refused(500, message))
    asked.exchange.refused = message
    _abort(asked.http)
    return response


def _gone(asked: _Asked) -> None:
    """Note that the client left; where it is still there, the server is stopping."""
    if asked.http.transport is None or asked.http.transport.is_closing():
        error = asked.http.content.exception()
        reset = isinstance(error, OSError) and error.errno is not None
        how = "reset the connection" if reset else "closed the connection"
        asked.exchange.left = (time.monotonic(), how)
    else:
        _abort(asked.http)


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()
