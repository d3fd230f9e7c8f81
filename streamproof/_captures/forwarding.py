"""What a proxy passes on of a request and an answer: the URL, the headers, and the way there.

Headers that belong to one connection (RFC 9110 § 7.6.1) are not passed on, and of the encodings
that a client accepts those that cannot be read here are left out.
"""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

from multidict import CIMultiDict
from yarl import URL

from mockserver.foundation.faults import Problem, UserError
from mockserver.scenario.turns import CONNECTION_HEADERS
from streamproof._captures.decoding import readable_encodings

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

# aiohttp writes these by itself.
_OWN_OF_REQUEST = frozenset(("host", "expect"))


def parse_upstream(text: str) -> URL:
    """The URL of an upstream. Raises UserError if it is not an HTTP URL."""
    with suppress(ValueError):
        url = URL(text)
        if url.scheme in ("http", "https") and url.host and not url.query_string:
            return url
    hint = "--upstream https://api.openai.com"
    raise UserError(Problem(f"{text!r:.100} is not the URL of an HTTP server", hint=hint))


def joined(upstream: URL, raw_path: str) -> URL:
    """The URL below the upstream's own path; what is escaped in the request stays as it is."""
    base = str(upstream.with_query(None).with_fragment(None)).rstrip("/")
    return URL(base + raw_path, encoded=True)


def headers_for_upstream(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    """The headers of a request, without encodings in which the answer could not be recorded."""
    found = passed_on(headers, _OWN_OF_REQUEST)
    if accepted := ",".join(found.getall("Accept-Encoding", ())):
        readable = readable_encodings()
        names = (each.strip() for each in accepted.split(","))
        kept = [each for each in names if each.partition(";")[0].strip().lower() in readable]
        found["Accept-Encoding"] = ", ".join(kept) or "identity"
    return found


def passed_on(
    headers: CIMultiDictProxy[str], own: frozenset[str] = frozenset()
) -> CIMultiDict[str]:
    """The headers of a message without those of its connection."""
    named = {
        name.strip().lower()
        for value in headers.getall("Connection", ())
        for name in value.split(",")
    }
    left_out = CONNECTION_HEADERS | named | own
    return CIMultiDict(
        (name, value) for name, value in headers.items() if name.lower() not in left_out
    )


def proxy_for(url: URL) -> str | None:
    """The proxy that the environment names for a URL, as in ``HTTPS_PROXY``.

    None if there is none that speaks HTTP, if ``NO_PROXY`` has the host, and for this machine.
    """
    host = url.host or ""
    if is_local(host) or proxy_bypass(host):
        return None
    named = getproxies().get(url.scheme, "")
    with_scheme = named if "://" in named or not named else f"http://{named}"
    return with_scheme if with_scheme.startswith(("http://", "https://")) else None


def is_local(host: str) -> bool:
    """Whether a host is this machine by its name or its address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
