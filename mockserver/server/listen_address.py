"""Where a server listens, and its URL; commands import this without the server itself."""

from __future__ import annotations

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 4100

_ANY = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104 (shown, not bound to)


def url_of(host: str, port: int) -> str:
    """The URL of a server that is bound to an address, for clients on this machine."""
    host = _ANY.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
