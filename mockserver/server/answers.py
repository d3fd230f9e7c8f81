"""JSON responses for every route, refusals, and error responses that say whose fault it is."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from mockserver.dialects import DIALECTS, Dialect
from mockserver.foundation import __version__
from mockserver.foundation.faults import Fault, KitError, UserError
from mockserver.foundation.json_text import dump, encode

log = logging.getLogger("streamproof.server")

SERVER = f"streamproof/{__version__}"


class Refused(Exception):
    """A request that gets an error response; ``param`` names the offending field, if any.

    ``culprit`` and ``hint`` are for the control interface, which says whose fault an error is.
    """

    culprit = "the request"
    hint = ""

    def __init__(self, status: int, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param


class Missing(UserError):
    """A control request names something that does not exist: 404."""

    culprit = "the request"


class Unavailable(Refused):
    """The Redis that the workers share cannot be used: 503."""

    culprit = "the shared Redis"

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(503, message)
        self.hint = hint


class NotShared(Refused):
    """A question that one of several workers cannot answer alone: 501."""

    culprit = "the command"
    hint = "start the server with --shared redis://HOST:PORT, or with one worker"

    def __init__(self, what: str) -> None:
        super().__init__(501, f"{what}, and the workers of this server share nothing")


def raw_answer(
    body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """A response whose body is encoded JSON."""
    return web.Response(
        body=body,
        status=status,
        headers={"Content-Type": "application/json", "Server": SERVER, **(headers or {})},
    )


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A response with this value as JSON."""
    return raw_answer(encode(dump(value)), status, headers)


def error(
    status: int,
    culprit: str,
    message: str,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """An error response in the shape of the control interface, which no dialect defines."""
    body = {"error": {"culprit": culprit, "message": message, "hint": hint}}
    return answer(body, status, headers)


def answer_refused(dialect: Dialect, refused: Refused, headers: dict[str, str]) -> web.Response:
    """An error response as the dialect's upstreams send it."""
    message = f"{refused.message}; {refused.hint}" if refused.hint else refused.message
    body = dialect.requests.refuse(refused.status, message, refused.param)
    if isinstance(body, str):
        headers = {"Server": SERVER, **headers}
        return web.Response(text=body, status=refused.status, headers=headers)
    return answer(body, refused.status, headers)


def internal_error(thrown: BaseException) -> str:
    """Log an unexpected exception. Returns the message for the client, without its details."""
    log.error("streamproof failed to answer a request", exc_info=thrown)
    return (
        f"streamproof itself failed ({type(thrown).__name__}), not your request; "
        "its log says where. Please report it"
    )


@web.middleware
async def errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Middleware that turns every exception into a JSON response without a traceback."""
    try:
        return await handler(request)
    except Refused as refused:
        return error(refused.status, refused.culprit, refused.message, refused.hint)
    except Fault as fault:
        # All its problems, and the hint of the first.
        first, *more = fault.problems
        where = f"{first.place}: " if first.place else ""
        message = "\n".join([f"{where}{first.message}", *map(str, more)])
        status = 404 if isinstance(fault, Missing) else 400
        return error(status, fault.culprit, message, first.hint)
    except web.HTTPException as http:
        return _from_aiohttp(request, http)
    except Exception as thrown:
        return error(500, KitError.culprit, internal_error(thrown))


def no_route(request: web.Request) -> web.Response:
    """A 404 response that lists the routes, with the operations of every dialect."""
    operations = " or ".join(
        f"POST …/v1/{path}" for dialect in DIALECTS.values() for path in dialect.requests.operations
    )
    hint = (
        f"there are {operations} and GET …/v1/models, at the root, below /s/<case> and below "
        "/r/<run>; and /_mock/health, /_mock/scenarios, /_mock/runs and /_mock/journal"
    )
    return error(404, "the request", f"no such route: {_request_line(request)}", hint)


def wrong_method(request: web.Request, allowed: str) -> web.Response:
    """A 405 response that lists the allowed methods."""
    message = f"the method is not allowed here: {_request_line(request)}"
    return error(405, "the request", message, f"allowed: {allowed}", {"Allow": allowed})


def _request_line(request: web.Request) -> str:
    return f"{request.method} {request.path[:200]}"


def _from_aiohttp(request: web.Request, http: web.HTTPException) -> web.Response:
    if isinstance(http, web.HTTPMethodNotAllowed):
        return wrong_method(request, ", ".join(sorted(http.allowed_methods)))
    if isinstance(http, web.HTTPNotFound):
        return no_route(request)
    if http.status < 400:
        raise http
    return error(http.status, "the request", http.reason)
