"""``Connection``: commands and scripts for the Redis that the workers of a server share.

Every failure becomes Unavailable, which says what to do. A Redis that answers but has lost the
server's own key has lost what the workers wrote, so it is of no use until the server is started
again. Each script runs whole, or not at all; every script is given the server's own key first, and
answers with the error ``GONE`` if the Redis has lost it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from redis.exceptions import NoScriptError, RedisError

from mockserver.server.refusals import Unavailable
from mockserver.server.store.shared_redis import Keys, RedisUrl

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.client import Pipeline

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

    def __init__(self, url: RedisUrl, keys: Keys) -> None:
        self.keys = keys
        self._url = url
        self.client: Redis = url.connect()
        # For what waits longer than any command takes.
        self.patient: Redis = url.connect(answers_within=None)

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
            f"the Redis at {self._url}, which the workers of this server share, cannot be used: "
            f"{why[:200]}",
            "see to that Redis and ask again, or start the server without --shared",
        )

    def gone(self) -> Unavailable:
        """The error for a Redis that no longer has what the workers wrote."""
        return Unavailable(
            f"the Redis at {self._url} no longer has what the workers of this server wrote: it was "
            "emptied, or it was started again",
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
