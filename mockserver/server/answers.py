"""JSON answers, and errors that say whose fault they are, as every route gives them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from aiohttp import web

from mockserver import __version__
from mockserver.dialects import DIALECTS
from mockserver.faults import Fault, KitError
from mockserver.server.refusals import Missing, Refused
from mockserver.wire.slots import dump, encoded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

log = logging.getLogger("streamproof.server")

SERVER = f"streamproof/{__version__}"

_OPERATIONS = " or ".join(
    f"POST …/v1/{path}" for dialect in DIALECTS.values() for path in dialect.operations
)

ROUTES = (
    f"there are {_OPERATIONS} and GET …/v1/models, at the root, below /s/<case> and below "
    "/r/<run>; and /_mock/health, /_mock/scenarios, /_mock/runs and /_mock/journal"
)


def raw_answer(
    body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """JSON that is bytes already."""
    return web.Response(
        body=body,
        status=status,
        headers={"Content-Type": "application/json", "Server": SERVER, **(headers or {})},
    )


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A JSON answer."""
    return raw_answer(encoded(dump(value)), status, headers)


def plain_answer(
    text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Text that is no JSON."""
    return web.Response(text=text, status=status, headers={"Server": SERVER, **(headers or {})})


def error(
    status: int,
    culprit: str,
    message: str,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """An error that is no dialect's."""
    body = {"error": {"culprit": culprit, "message": message, "hint": hint}}
    return answer(body, status, headers)


def own_fault(thrown: BaseException) -> str:
    """What a client is told of an exception that nobody expected; the rest is in the log."""
    log.error("streamproof failed to answer a request", exc_info=thrown)
    return (
        f"streamproof itself failed ({type(thrown).__name__}), not your request; "
        "its log says where. Please report it"
    )


@web.middleware
async def errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """No exception leaves as anything but JSON, and no traceback leaves at all."""
    try:
        return await handler(request)
    except Refused as refused:
        return error(refused.status, "the request", refused.message)
    except Fault as fault:
        return fault_answer(fault, 404 if isinstance(fault, Missing) else 400)
    except web.HTTPException as http:
        return _from_aiohttp(request, http)
    except Exception as thrown:
        return error(500, KitError.culprit, own_fault(thrown))


def fault_answer(fault: Fault, status: int) -> web.Response:
    """A fault as an answer; the hint is that of its first problem."""
    first, *more = fault.problems
    where = f"{first.place}: " if first.place else ""
    message = "\n".join([f"{where}{first.message}", *map(str, more)])
    return error(status, fault.culprit, message, first.hint)


def no_route(request: web.Request) -> web.Response:
    """404, naming the routes that there are."""
    return error(404, "the request", f"no such route: {_asked(request)}", ROUTES)


def wrong_method(request: web.Request, allowed: str) -> web.Response:
    """405, naming the methods that the route has."""
    message = f"the method is not allowed here: {_asked(request)}"
    return error(405, "the request", message, f"allowed: {allowed}", {"Allow": allowed})


def _asked(request: web.Request) -> str:
    return f"{request.method} {request.path[:200]}"


def _from_aiohttp(request: web.Request, http: web.HTTPException) -> web.Response:
    if isinstance(http, web.HTTPMethodNotAllowed):
        return wrong_method(request, ", ".join(sorted(http.allowed_methods)))
    if isinstance(http, web.HTTPNotFound):
        return no_route(request)
    if http.status < 400:
        raise http
    return error(http.status, "the request", http.reason)
