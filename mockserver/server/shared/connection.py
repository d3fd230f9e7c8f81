"""The Redis that the workers of a server share: its URL and keys, commands and scripts.

Every failure becomes Unavailable, which says what to do. A Redis that answers but has lost the
server's own key has lost what the workers wrote, so it is of no use until the server is started
again. Each script (``scripts/``) runs whole, or not at all; every script is given the server's own
key first, and answers with the error ``GONE`` if the Redis has lost it.
"""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.proxies import is_local
from mockserver.server.answers import Unavailable

_SCHEMES = ("redis", "rediss", "unix")
_ANSWER_SECONDS = 2.0
_EXAMPLE = "--shared redis://127.0.0.1:6379/0"

EXPIRY = 3600
"""Seconds after which Redis forgets what is not used."""


class Keys:
    """The names of a server's keys, by which it is distinguished from other servers."""

    def __init__(self) -> None:
        self.prefix = f"streamproof:{secrets.token_hex(8)}:"
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


@dataclass(frozen=True, slots=True)
class SharedRedis:
    """A Redis by its URL, as the user gave it, and the keys of one server in it.

    ``str`` shows the URL without user and password.
    """

    given: str = field(repr=False)
    keys: Keys = field(default_factory=Keys)

    def __str__(self) -> str:
        parts = urlsplit(self.given)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def is_local(self) -> bool:
        """Whether the Redis is on this machine, by its URL."""
        parts = urlsplit(self.given)
        return parts.scheme == "unix" or is_local(parts.hostname or "localhost")

    def connect(self, *, answers_within: float | None = _ANSWER_SECONDS) -> Redis:
        """A client; it repeats no command, since a command that got no answer may have run."""
        return Redis.from_url(
            self.given,
            socket_connect_timeout=_ANSWER_SECONDS,
            socket_timeout=answers_within,
            retry=Retry(NoBackoff(), 0),
        )

    async def prepare(self) -> None:
        """Write the key by which the workers know that the Redis has what they wrote.

        Raises UserError if the Redis cannot be used, or would forget keys before they expire.
        """
        try:
            async with self.connect() as client, asyncio.timeout(2 * _ANSWER_SECONDS):
                memory = await client.info("memory")
                await client.set(self.keys.alive, "1", ex=EXPIRY)
        except (RedisError, OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            hint = f"redis-server starts one; then {_EXAMPLE}"
            message = f"the Redis at {self} cannot be used: {why}"
            raise UserError(Problem(message, hint=hint)) from None
        policy = memory.get("maxmemory_policy", "noeviction")
        if memory.get("maxmemory") and policy != "noeviction":
            what = f"the Redis at {self} forgets keys when it is full (maxmemory-policy {policy})"
            raise UserError(Problem(what, hint="CONFIG SET maxmemory-policy noeviction"))

    async def clear(self) -> None:
        """Delete the keys of the server; what cannot be deleted expires."""
        with suppress(RedisError, OSError, TimeoutError):
            async with self.connect() as client, asyncio.timeout(_ANSWER_SECONDS):
                async for key in client.scan_iter(match=f"{self.keys.prefix}*", count=1000):
                    await client.unlink(key)


def parse_url(text: str) -> SharedRedis:
    """The Redis at a URL. Raises UserError if it is not the URL of one."""
    redis = SharedRedis(text)
    try:
        scheme, _ = urlsplit(text).scheme, urlsplit(text).port
    except ValueError as error:
        raise UserError(Problem(f"--shared is no URL: {error}", hint=_EXAMPLE)) from None
    if scheme not in _SCHEMES:
        what = f"--shared is the URL of a Redis, not one of {scheme or 'no scheme'!r}"
        raise UserError(Problem(what, hint=_EXAMPLE))
    try:
        ConnectionPool.from_url(text)
    except ValueError as error:
        raise UserError(Problem(f"--shared {redis}: {error}", hint=_EXAMPLE)) from None
    return redis


GONE = "GONE"

_CHECK = f"if redis.call('EXISTS', KEYS[1]) == 0 then return redis.error_reply('{GONE}') end\n"
_SCRIPTS = Path(__file__).parent / "scripts"


def _script(name: str) -> str:
    return _CHECK + (_SCRIPTS / f"{name}.lua").read_text("utf-8")


OPEN_RUN, BEGIN, END = _script("open_run"), _script("begin"), _script("end")
ATTEMPT, NOTE = _script("attempt"), _script("note")


class Connection:
    """A client of the Redis that the workers share; made in the worker that uses it."""

    def __init__(self, redis: SharedRedis) -> None:
        self.keys = redis.keys
        self._redis = redis
        self.client = redis.connect()
        # For what waits longer than any command takes.
        self.patient = redis.connect(answers_within=None)

    async def close(self) -> None:
        await self.client.aclose()
        await self.patient.aclose()

    async def script(self, text: str, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run one of the scripts; the server's own key comes first."""
        count, given = 1 + len(keys), (self.keys.alive, *keys, *args)
        with self.converting_errors():
            try:
                return await self.client.evalsha(hash_of_script(text), count, *given)
            except NoScriptError:
                return await self.client.eval(text, count, *given)

    async def read(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The answers to some commands, all of one moment."""
        with self.converting_errors():
            async with self.client.pipeline(transaction=True) as pipeline:
                pipeline.exists(self.keys.alive)
                for command in commands:
                    pipeline.execute_command(*command)
                alive, *answers = await execute(pipeline)
        if not alive:
            raise self.gone()
        return answers

    @contextmanager
    def converting_errors(self) -> Iterator[None]:
        """Raise Unavailable for every failure of the Redis."""
        try:
            yield
        except (RedisError, OSError, TimeoutError) as error:
            raise self.unavailable(error) from error

    def unavailable(self, error: Exception | str) -> Unavailable:
        """The error for a failure, with what to do."""
        why = str(error).rstrip(".") or type(error).__name__
        if why.startswith(GONE):
            return self.gone()
        return Unavailable(
            f"the Redis at {self._redis}, which the workers of this server share, cannot be used: "
            f"{why[:200]}",
            "see to that Redis and ask again, or start the server without --shared",
        )

    def gone(self) -> Unavailable:
        """The error for a Redis that no longer has what the workers wrote."""
        return Unavailable(
            f"the Redis at {self._redis} no longer has what the workers of this server wrote: it "
            "was emptied, or it was started again",
            "start the server again",
        )


async def execute(pipeline: Pipeline) -> list[Any]:
    """The answers to the commands of a pipeline. Raises the first error, without the commands."""
    answers = await pipeline.execute(raise_on_error=False)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def hash_of_script(script: str) -> str:
    """The name by which Redis knows a script."""
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
