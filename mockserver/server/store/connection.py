"""``Connection``: the Redis that the workers of a server share.

Every failure becomes Unavailable, which says what to do. A Redis that answers but has lost the
server's key has lost what the workers wrote, so it is of no use until the server is started again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from redis.exceptions import NoScriptError, RedisError

from mockserver.server.store.scripts import GONE
from mockserver.server.store.store import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis
    from redis.asyncio.client import Pipeline

    from mockserver.server.store.keys import Keys
    from mockserver.server.store.redis_url import RedisUrl


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
        with self.told():
            try:
                return await self.client.evalsha(sha_of(text), count, *given)
            except NoScriptError:
                return await self.client.eval(text, count, *given)

    async def read(self, *commands: tuple[Any, ...]) -> list[Any]:
        """The answers to some commands, all of one moment."""
        with self.told():
            async with self.client.pipeline(transaction=True) as pipeline:
                pipeline.exists(self.keys.alive)
                for command in commands:
                    pipeline.execute_command(*command)
                alive, *answers = await answers_of(pipeline)
        if not alive:
            raise self.gone()
        return answers

    @contextmanager
    def told(self) -> Iterator[None]:
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


async def answers_of(pipeline: Pipeline) -> list[Any]:
    """The answers to the commands of a pipeline. Raises the first error, without the commands."""
    answers = await pipeline.execute(raise_on_error=False)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def sha_of(script: str) -> str:
    """The name by which Redis knows a script."""
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
