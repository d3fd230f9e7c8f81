"""Why a proxy has no answer of its upstream, in words for the person who gave the URL."""

from __future__ import annotations

import os
from collections.abc import Callable
from http import HTTPStatus
from socket import gaierror
from typing import Any

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientConnectorSSLError,
    ClientHttpProxyError,
    ClientProxyConnectionError,
    ClientResponseError,
    ServerDisconnectedError,
)
from yarl import URL

from mockserver.foundation.faults import Problem

_PROXY = "HTTPS_PROXY and HTTP_PROXY name the proxy, NO_PROXY the hosts that need none"
_STARTED = "is it running there? --upstream has its URL"
_SPELLED = "is the host in --upstream spelled right, and is there a network?"
_SCHEME = "do http:// or https:// in --upstream and the port fit the upstream?"
_TRUSTED = "SSL_CERT_FILE names a file with the certificates of your own authority"


def unreachable(upstream: URL, proxy: str | None, error: Exception) -> Problem:
    """Whose fault an error of a request is, the upstream's or that of the proxy on the way."""
    _, is_first_hop, says, hint = next(row for row in _KINDS if isinstance(error, row[0]))
    if is_first_hop and proxy:
        what = f"the proxy {URL(proxy).origin()} on the way to {upstream.origin()}"
        return Problem(f"{what} {says(error)}", hint=_PROXY)
    return Problem(f"the upstream {upstream.origin()} {says(error)}", hint=hint)


def _no_connection(error: Any) -> str:
    """With the operating system's own words, which asyncio replaces by the address."""
    cause = error.os_error if isinstance(error, ClientConnectorError) else error
    number = 0 if isinstance(cause, gaierror) else getattr(cause, "errno", 0)
    why = os.strerror(number) if number else getattr(cause, "strerror", "") or str(cause)
    return f"cannot be reached: {why or type(error).__name__}"


def _untrusted(error: ClientConnectorCertificateError) -> str:
    cause = error.certificate_error
    why = getattr(cause, "verify_message", "") or cause
    return f"has a certificate that is not trusted: {why}"


def _refused(error: ClientHttpProxyError) -> str:
    phrases = {each.value: f" {each.phrase}" for each in HTTPStatus}
    return f"refuses to connect: {error.status}{phrases.get(error.status, '')}"


_Row = tuple[type[Exception], bool, Callable[[Any], str], str]

# The error, whether it is that of the first server on the way, what is wrong, and what to do;
# specific errors are before general ones.
_KINDS: tuple[_Row, ...] = (
    (ClientHttpProxyError, True, _refused, ""),
    (ClientProxyConnectionError, True, _no_connection, ""),
    (ClientConnectorCertificateError, False, _untrusted, _TRUSTED),
    (ClientConnectorSSLError, False, lambda _: "does not speak TLS at this port", _SCHEME),
    (ClientConnectorDNSError, True, _no_connection, _SPELLED),
    (TimeoutError, True, lambda _: "did not accept a connection in time", _STARTED),
    (ServerDisconnectedError, True, lambda _: "closed the connection unanswered", _SCHEME),
    (ClientResponseError, True, lambda _: "did not answer in HTTP", _SCHEME),
    (Exception, False, _no_connection, _STARTED),
)
