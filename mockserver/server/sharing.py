"""What the workers of a server have in common, from before the first one starts.

That is the secret that signs the ids of their runs and, if the user names one, a Redis in which
they share the rest.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockserver.cases.render import Renderings
from mockserver.server.state import State
from mockserver.server.store.run_ids import RunIds
from mockserver.server.store.shared_redis import EXPIRY, Keys, clear, prepare
from mockserver.server.store.store import UnsharedStore

if TYPE_CHECKING:
    from mockserver.cases.catalogue import Catalogue
    from mockserver.server.store.shared_redis import RedisUrl


@dataclass(frozen=True, slots=True)
class Sharing:
    """The names and the secret of one server; another one at the same Redis has its own."""

    redis: RedisUrl | None
    keys: Keys = field(default_factory=lambda: Keys(secrets.token_hex(8)))
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def state(self, catalogue: Catalogue) -> State:
        """The state of one worker; made in the worker."""
        renderings = Renderings()
        ids = RunIds(self.secret, catalogue)
        if self.redis is None:
            return State(catalogue, renderings, among_workers=UnsharedStore(ids))
        from mockserver.server.store.redis_store import RedisStore

        store = RedisStore(self.redis, self.keys, ids, renderings)
        return State(catalogue, renderings, among_workers=store)


@contextmanager
def shared_by_workers(redis: RedisUrl | None) -> Iterator[Sharing]:
    """What workers share while they run; their keys are deleted at the end.

    Raises UserError if the Redis cannot be used.
    """
    sharing = Sharing(redis)
    if redis is None:
        yield sharing
        return
    asyncio.run(prepare(redis, sharing.keys.alive, EXPIRY))
    try:
        yield sharing
    finally:
        asyncio.run(clear(redis, sharing.keys.prefix))
