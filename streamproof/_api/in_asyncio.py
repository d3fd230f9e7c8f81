"""Mock servers and runs in asyncio: coroutines in place of what asks the server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from streamproof._api.faults import Fault
from streamproof._api.parts import collected_async
from streamproof._api.verdict import only

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from streamproof._api.ending import Ending, Outcome
    from streamproof._api.mock import Mock
    from streamproof._api.parts import AsyncParts
    from streamproof._api.run import Run
    from streamproof._api.verdict import Request, Verdict
    from streamproof._api.wanted import Wanted, When

_T = TypeVar("_T")


async def in_thread(call: Callable[..., _T], *args: Any, **options: Any) -> _T:
    """Await a call that asks the server. A Fault is raised without the frames of the thread."""
    __tracebackhide__ = True
    try:
        return await asyncio.to_thread(call, *args, **options)
    except Fault as fault:
        raise fault.with_traceback(None) from fault.__cause__


class AsyncMock:
    """A mock server in asyncio: as ``Mock``, with runs whose methods are coroutines."""

    def __init__(self, mock: Mock) -> None:
        self._mock = mock
        self.url: str = mock.url
        self.base_url: str = mock.base_url

    async def run(self, *cases: Wanted | When, vary: str = "", default: bool = False) -> AsyncRun:
        """Open a run; see ``Mock.run``."""
        __tracebackhide__ = True
        run = await in_thread(self._mock.run, *cases, vary=vary, default=default)
        return AsyncRun(run)

    def environ(self, run: AsyncRun | None = None) -> dict[str, str]:
        """The environment variables that point SDKs at a run, or at ``base_url``."""
        return self._mock.environ(run)


class AsyncRun:
    """An open run in asyncio: as ``Run``, with coroutines in place of what asks the server."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.id: str = run.id
        self.base_url: str = run.base_url
        self.model: str = run.model

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts so far."""
        return self._run.verdicts

    async def requests(self) -> tuple[Request, ...]:
        """The requests so far, oldest first, at most 64."""
        __tracebackhide__ = True
        return await in_thread(lambda: self._run.requests)

    async def request(self) -> Request:
        """The one request so far. Raises AssertionError if there is none, or another one."""
        __tracebackhide__ = True
        return only(await self.requests(), self.base_url)

    async def verdict(
        self,
        parts: AsyncParts,
        outcome: Outcome | None = None,
        **ending: Unpack[Ending],
    ) -> Verdict:
        """The verdict on the parts that the adapter emitted; see ``Run.verdict``.

        The parts may be an async generator or an awaitable, whose exception is the ``error``.
        """
        __tracebackhide__ = True
        emitted = await collected_async(parts)
        return await in_thread(self._run.verdict, emitted, outcome, **ending)

    async def check(
        self,
        parts: AsyncParts,
        outcome: Outcome | None = None,
        **ending: Unpack[Ending],
    ) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        (await self.verdict(parts, outcome, **ending)).check()

    async def close(self) -> None:
        """Close the run."""
        await in_thread(self._run.close)

    async def __aenter__(self) -> AsyncRun:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncRun at {self.base_url}>"
