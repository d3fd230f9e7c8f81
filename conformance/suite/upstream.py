"""The mock upstream, on a thread and an event loop of its own.

An adapter that blocks its event loop therefore blocks neither the upstream nor the run's clock.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any, Self, TypeVar

from aiohttp.web import RouteDef

from conformance.drivers.loop_thread import LoopThread
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import Renderings
from mockserver.foundation.faults import KitError, UserError
from mockserver.server.options import LOOPBACK
from mockserver.server.runs import Run
from mockserver.server.serving import Server
from mockserver.server.state import State
from mockserver.wire.playback import Gatekeeper

_T = TypeVar("_T")

_TIMEOUT_SECONDS = 10.0
# Shared by all upstreams, as each adapter is played the same cases.
_RENDERINGS = Renderings()


class Upstream:
    """A mock server that runs for the length of a ``with`` block.

    Its methods may be called from any thread.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        routes: Iterable[RouteDef] = (),
        address: str = "",
        *,
        names_runs: bool = True,
    ) -> None:
        """``routes`` are mounted beside those of the server, which listens at ``address``.

        Without one it listens at a free port of loopback. If requests do not name their runs, one
        run at a time can be open, and all requests are of that.
        """
        self.state = State(catalogue, _RENDERINGS)
        self._names_runs = names_runs
        host, _, port = address.rpartition(":")
        self._server = Server(
            self.state, host.strip("[]") or LOOPBACK, int(port or 0), extra_routes=routes
        )

    def __enter__(self) -> Self:
        self._thread = LoopThread("streamproof-upstream")
        try:
            self._call(self._server.start())
        except UserError as error:
            self._end_thread()
            hint = "end what listens there, such as streamproof serve; or name another as mock"
            raise UserError(*(replace(each, hint=hint) for each in error.problems)) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._server.stop())
        self._end_thread()

    def _end_thread(self) -> None:
        self._thread.leave()
        self._thread.join(_TIMEOUT_SECONDS)

    @property
    def url(self) -> str:
        """The origin of the server, without a trailing slash."""
        return self._server.url

    def open(self, case: Case, gatekeeper: Gatekeeper | None = None) -> Run:
        """Open a run: a base URL at which only this case is played."""
        runs, default = self.state.local.open_runs, not self._names_runs
        return self._do(lambda: runs.open(case, gatekeeper, default=default))

    def change(self, run: Run, case: Case) -> None:
        """Have a run play another case from now on, at the same base URL."""

        def changed() -> None:
            run.case = case
            run.answered.clear()

        self._do(changed)

    def settle(self, run: Run, seconds: float) -> None:
        """Wait up to so many seconds until every answer of a run has ended, at either side."""

        async def settled() -> None:
            if run.answering:
                await asyncio.wait(run.answering, timeout=seconds)

        self._call(settled())

    def close(self, run: Run) -> None:
        """Close a run; its exchanges can still be read from it."""
        self._do(lambda: self.state.local.open_runs.close(run.id))

    def _do(self, function: Callable[[], _T]) -> _T:
        """Call a function on the loop, and wait for what it returns."""

        async def done() -> _T:
            return function()

        return self._call(done())

    def _call(self, work: Coroutine[Any, Any, _T]) -> _T:
        try:
            return self._thread.submit(work).result(_TIMEOUT_SECONDS)
        except TimeoutError as error:
            raise KitError("the mock upstream did not answer within ten seconds") from error
