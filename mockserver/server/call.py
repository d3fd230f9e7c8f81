"""``Call``: a request to the upstream, from its arrival to the end of its answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver.dialects import DIALECTS
from mockserver.server import intake
from mockserver.server.address import Addresses, by_model
from mockserver.server.answers import answer, plain_answer
from mockserver.server.refusals import Refused

if TYPE_CHECKING:
    from mockserver.dialects import Dialect
    from mockserver.server.address import Address
    from mockserver.server.journal import Exchange
    from mockserver.server.runs import Run
    from mockserver.server.state import State
    from mockserver.server.store.store import Store

MODELS = "models"


class Routes:
    """The operations and look-ups of the dialects that are registered when it is made."""

    def __init__(self) -> None:
        dialects = DIALECTS.values()
        self.operations = {path: each for each in dialects for path in each.requests.operations}
        self.lookups = {
            path: ask for each in dialects for path, ask in each.requests.lookups.items()
        }
        self.addresses = Addresses([*self.operations, *self.lookups, MODELS])


ROUTES = web.AppKey("routes", Routes)


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

    @property
    def routes(self) -> Routes:
        """What the server answers."""
        return self.http.app[ROUTES]

    def enter(self, run: Run, task: asyncio.Task[Any]) -> None:
        """Answer as part of a run, in this task."""
        self.run, self.exchange.case = run, str(run.case)
        run.answering.add(task)


async def enter_run_by_model(call: Call, dialect: Dialect) -> None:
    """Make the request one of the run that its model names, if it does.

    Raises Refused if the store cannot do that. A body that cannot be read is refused later.
    """
    body = b""
    with suppress(Refused):
        body = await intake.read_body(call.http)
    models = dialect.requests.select_headers(call.http.headers).values()
    call.address = by_model(call.address, models, body)
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
    """The response, once the journal says that the request is refused, and why."""
    exchange.status, exchange.refused = response.status, why
    return response


def refusal(call: Call, dialect: Dialect, refused: Refused) -> web.Response:
    """An error response to a request that is refused, as the journal then says."""
    response = in_shape(dialect, refused, call.headers)
    return record_refusal(call.exchange, response, refused.message)


def in_shape(dialect: Dialect, refused: Refused, headers: dict[str, str]) -> web.Response:
    """An error response as the dialect's upstreams send it."""
    message = f"{refused.message}; {refused.hint}" if refused.hint else refused.message
    body = dialect.requests.refuse(refused.status, message, refused.param)
    if isinstance(body, str):
        return plain_answer(body, refused.status, headers)
    return answer(body, refused.status, headers)
