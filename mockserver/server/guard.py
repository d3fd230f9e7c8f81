"""Protects the control interface from web pages, since browsers can reach loopback servers.

A page from elsewhere can send requests here in two ways. With DNS rebinding, the page's own host
name resolves to this machine; then the Host header still has that name. And a form can post to any
address; but a form cannot set the content type to JSON.
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
    """Whether a Host header names a loopback address or the address that the server is bound to.

    A server bound to all addresses trusts every IP address: DNS rebinding needs a host name.
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
    """Middleware that refuses control requests which a web page may have sent."""
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
    """Whether the matched route is one of the control interface; a path has many spellings."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical.startswith(PREFIX)
