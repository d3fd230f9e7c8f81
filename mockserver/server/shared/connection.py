"""The Redis that the workers of a server share: its URL and keys, commands and scripts.

Every failure becomes Unavailable, which says what to do. A Redis that answers but has lost the
server's own key has lost what the workers wrote, so it is of no use until the server is started
again. Each script runs whole, or not at all; every script is given the server's own key first, and
answers with the error ``GONE`` if the Redis has lost it.
"""

import asyncio
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
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
        client = self.connect()
        try:
            async with asyncio.timeout(2 * _ANSWER_SECONDS):
                memory = await client.info("memory")
                await client.set(self.keys.alive, "1", ex=EXPIRY)
        except (RedisError, OSError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            hint = f"redis-server starts one; then {_EXAMPLE}"
            message = f"the Redis at {self} cannot be used: {why}"
            raise UserError(Problem(message, hint=hint)) from None
        finally:
            await client.aclose()
        policy = memory.get("maxmemory_policy", "noeviction")
        if memory.get("maxmemory") and policy != "noeviction":
            what = f"the Redis at {self} forgets keys when it is full (maxmemory-policy {policy})"
            raise UserError(Problem(what, hint="CONFIG SET maxmemory-policy noeviction"))

    async def clear(self) -> None:
        """Delete the keys of the server; what cannot be deleted expires."""
        client = self.connect()
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                async for key in client.scan_iter(match=f"{self.keys.prefix}*", count=1000):
                    await client.unlink(key)
        except (RedisError, OSError, TimeoutError):
            pass
        finally:
            await client.aclose()


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

# KEYS: server, run, runs. ARGV: the run's id, its case, now, the most runs, seconds until it
# expires, the prefix of the keys of runs. Above the limit, the oldest runs are closed.
OPEN_RUN = (
    _CHECK
    + """
redis.call('HSET', KEYS[2], 'case', ARGV[2], 'requests', 0, 'dropped', 0, 'weight', 0)
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('EXPIRE', KEYS[3], ARGV[5])
while redis.call('ZCARD', KEYS[3]) > tonumber(ARGV[4]) do
  redis.call('DEL', ARGV[6] .. redis.call('ZPOPMIN', KEYS[3])[1])
end
return 1
"""
)

# KEYS: server, run, runs. ARGV: the worker, the most exchanges of a run, seconds until it expires.
# Returns the number of the request in its run, from 0; nothing if the run is closed.
BEGIN = (
    _CHECK
    + """
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
local n = redis.call('HINCRBY', KEYS[2], 'requests', 1) - 1
if n < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[2], 'exchange:' .. n, '@' .. ARGV[1])
else
  redis.call('HINCRBY', KEYS[2], 'dropped', 1)
end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return n
"""
)

# KEYS: server, run. ARGV: the number of the request, its record, the most bytes of a run.
# A second time, it changes nothing.
END = (
    _CHECK
    + """
local field = 'exchange:' .. ARGV[1]
local known = redis.call('HGET', KEYS[2], field)
if not known or string.sub(known, 1, 1) ~= '@' then return 0 end
local weight = redis.call('HINCRBY', KEYS[2], 'weight', #ARGV[2])
if weight > tonumber(ARGV[3]) then
  redis.call('HINCRBY', KEYS[2], 'weight', -#ARGV[2])
  redis.call('HDEL', KEYS[2], field)
  redis.call('HINCRBY', KEYS[2], 'dropped', 1)
else
  redis.call('HSET', KEYS[2], field, ARGV[2])
end
return 1
"""
)

# KEYS: server, run. ARGV: the turn. Returns how many requests there were for it; nothing if the
# run is closed.
ATTEMPT = (
    _CHECK
    + """
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
return redis.call('HINCRBY', KEYS[2], 'turn:' .. ARGV[1], 1)
"""
)

# KEYS: server, journal, totals. ARGV: the most records, the most bytes, seconds until they expire,
# the worker, how many requests it has only counted so far, then for each record when its request
# came, and the record. A second time, it changes nothing.
NOTE = (
    _CHECK
    + """
local added, bytes = 0, 0
for n = 6, #ARGV, 2 do
  if redis.call('ZADD', KEYS[2], 'NX', ARGV[n], ARGV[n + 1]) == 1 then
    added, bytes = added + 1, bytes + #ARGV[n + 1]
  end
end
redis.call('HINCRBY', KEYS[3], 'requests', added)
redis.call('HSET', KEYS[3], 'counted:' .. ARGV[4], ARGV[5])
bytes = redis.call('HINCRBY', KEYS[3], 'bytes', bytes)
local kept, freed = redis.call('ZCARD', KEYS[2]), 0
while kept > tonumber(ARGV[1]) or bytes - freed > tonumber(ARGV[2]) do
  freed = freed + #redis.call('ZPOPMIN', KEYS[2])[1]
  kept = kept - 1
end
redis.call('HINCRBY', KEYS[3], 'bytes', 0 - freed)
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
return added
"""
)


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
