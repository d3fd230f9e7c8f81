"""Who may use the control interface: browsers reach loopback servers too.

A page that a browser loaded from elsewhere can send it requests in two ways. By DNS rebinding the
page's own name comes to mean this machine; then the Host header still carries that name. And a form
can post to any address; but no form can say that it sends JSON.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from aiohttp import web

from mockserver.server.answers import error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PREFIX = "/_mock"

BOUND = web.AppKey("bound", str)


def trusted(host_header: str, bound: str) -> bool:
    """Does this Host header name a loopback address, or what the server is bound to?

    A server bound to every address trusts every literal address: rebinding needs a name.
    """
    host = _without_port(host_header.lower())
    if host == bound.lower() or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or _is_any(bound)


def _without_port(header: str) -> str:
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].rstrip(".")


def _is_any(bound: str) -> bool:
    return bound in ("0.0.0.0", "::")  # noqa: S104 (compared with, not bound to)


@web.middleware
async def guard(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse what a page from elsewhere may have sent; routes of the upstream are open."""
    if not _controls(request):
        return await handler(request)
    if not trusted(request.headers.get("Host", ""), request.app[BOUND]):
        host = request.headers.get("Host", "")[:100]
        return error(
            403,
            "the request",
            f"the control interface does not answer to the host {host!r}",
            "use 127.0.0.1, localhost, or the name given as --host",
        )
    if request.method == "POST" and request.content_type != "application/json":
        return error(
            415,
            "the request",
            f"the body is {request.content_type[:100]!r}; application/json is expected",
            "send the header Content-Type: application/json",
        )
    return await handler(request)


def _controls(request: web.Request) -> bool:
    """Judged by the route that matched, not by the path: a path has many spellings."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical.startswith(PREFIX)
