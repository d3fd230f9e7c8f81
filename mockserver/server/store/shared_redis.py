"""The Redis that the workers of a server share: its URL, its keys, and its preparation."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mockserver.foundation.faults import Problem, UserError

if TYPE_CHECKING:
    from redis.asyncio import Redis

_SCHEMES = ("redis", "rediss", "unix")
_ANSWER_SECONDS = 2.0
_EXAMPLE = "--shared redis://127.0.0.1:6379/0"

EXPIRY = 3600
"""Seconds after which Redis forgets what is not used."""


@dataclass(frozen=True, slots=True)
class RedisUrl:
    """The URL of a Redis as the user gave it; ``str`` shows it without user and password."""

    given: str

    def __str__(self) -> str:
        parts = urlsplit(self.given)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def __repr__(self) -> str:
        return f"RedisUrl({str(self)!r})"

    @property
    def is_local(self) -> bool:
        """Whether the Redis is on this machine, by its URL."""
        parts = urlsplit(self.given)
        if parts.scheme == "unix" or parts.hostname in (None, "localhost"):
            return True
        try:
            return ipaddress.ip_address(parts.hostname or "").is_loopback
        except ValueError:
            return False

    def connect(self, *, answers_within: float | None = _ANSWER_SECONDS) -> Redis:
        """A client; it repeats no command, since a command that got no answer may have run."""
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        return Redis.from_url(
            self.given,
            socket_connect_timeout=_ANSWER_SECONDS,
            socket_timeout=answers_within,
            retry=Retry(NoBackoff(), 0),
        )


def parse_url(text: str) -> RedisUrl:
    """Check a URL and that the package ``redis`` is installed. Raises UserError."""
    url = RedisUrl(text)
    try:
        scheme, _ = urlsplit(text).scheme, urlsplit(text).port
    except ValueError as error:
        raise UserError(Problem(f"--shared is no URL: {error}", hint=_EXAMPLE)) from None
    if scheme not in _SCHEMES:
        what = f"--shared is the URL of a Redis, not one of {scheme or 'no scheme'!r}"
        raise UserError(Problem(what, hint=_EXAMPLE))
    try:
        from redis.asyncio import ConnectionPool
    except ImportError:
        hint = "pip install 'streamproof[shared]'"
        raise UserError(Problem("--shared needs the package redis", hint=hint)) from None
    try:
        ConnectionPool.from_url(text)
    except ValueError as error:
        raise UserError(Problem(f"--shared {url}: {error}", hint=_EXAMPLE)) from None
    return url


async def prepare(url: RedisUrl, key: str, seconds: int) -> None:
    """Write the key by which the workers know that the Redis has what they wrote.

    Raises UserError if the Redis cannot be used, or would forget keys before they expire.
    """
    from redis.exceptions import RedisError

    client = url.connect()
    try:
        async with asyncio.timeout(2 * _ANSWER_SECONDS):
            memory = await client.info("memory")
            await client.set(key, "1", ex=seconds)
    except (RedisError, OSError, TimeoutError) as error:
        why = str(error) or type(error).__name__
        hint = f"redis-server starts one; then {_EXAMPLE}"
        raise UserError(Problem(f"the Redis at {url} cannot be used: {why}", hint=hint)) from None
    finally:
        await client.aclose()
    policy = memory.get("maxmemory_policy", "noeviction")
    if memory.get("maxmemory") and policy != "noeviction":
        what = f"the Redis at {url} forgets keys when it is full (maxmemory-policy {policy})"
        raise UserError(Problem(what, hint="CONFIG SET maxmemory-policy noeviction"))


async def clear(url: RedisUrl, prefix: str) -> None:
    """Delete the keys with a prefix; what cannot be deleted expires."""
    from redis.exceptions import RedisError

    client = url.connect()
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            async for key in client.scan_iter(match=f"{prefix}*", count=1000):
                await client.unlink(key)
    except (RedisError, OSError, TimeoutError):
        pass
    finally:
        await client.aclose()


class Keys:
    """The names of a server's keys; ``server`` distinguishes it from other servers."""

    def __init__(self, server: str) -> None:
        self.prefix = f"streamproof:{server}:"
        self.alive = f"{self.prefix}server"
        self.workers = f"{self.prefix}workers"
        self.runs = f"{self.prefix}runs"
        self.a_run = f"{self.prefix}run:"
        self.journal = f"{self.prefix}journal"
        self.totals = f"{self.prefix}totals"
        # The channel on which workers are asked for what they have not written yet.
        self.questions = f"{self.prefix}questions"

    def run(self, id_: str) -> str:
        return f"{self.a_run}{id_}"

    def response(self, id_: str) -> str:
        return f"{self.prefix}response:{id_}"

    def reply(self, question: str) -> str:
        return f"{self.prefix}reply:{question}"
