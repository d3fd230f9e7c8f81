"""What the fixtures of pytest give to a test: runs, what they received, and verdicts."""

from pathlib import Path

import pytest

from streamproof._api.mock import Mock
from streamproof._api.run import AsyncRun, AsyncRunView, Opened, Run, RunView, in_thread
from streamproof._api.wanted import Wanted, When


class Streamproof(RunView):
    """What the fixture ``streamproof`` is: opens runs for one test, and closes them after it."""

    def __init__(
        self, mock: Mock, patch: pytest.MonkeyPatch, started: list[Run], folder: Path
    ) -> None:
        """``folder`` is that of the test's file."""
        self._mock = mock
        self._patch = patch
        self._started = started
        self._folder = folder
        self.marked: Run | None = None
        """The run of the case that the test's mark names."""

    @property
    def url(self) -> str:
        """The URL of the mock server."""
        return self._mock.url

    def run(self, *cases: Wanted | When, vary: str = "", default: bool = False) -> Run:
        """Open a run; see ``Mock.run``. The file of a scenario is relative to that of the test."""
        __tracebackhide__ = True
        self._started.append(run := self._mock._run(cases, vary, default, self._folder))
        return run

    def environ(self, run: Run | AsyncRun | None = None) -> dict[str, str]:
        """Point SDKs at a run by their environment variables, until the end of the test.

        Without a run it is that of the mark; without a mark, requests choose by their model id.
        """
        named = self._mock.environ(run or self.marked)
        for name, value in named.items():
            self._patch.setenv(name, value)
        return named

    def _opened(self) -> Opened:
        __tracebackhide__ = True
        if self.marked is None:
            raise _no_case("streamproof.run('any/refusal')")
        return self.marked._opened()


def _no_case(opens: str) -> pytest.UsageError:
    return pytest.UsageError(
        f"no case is named: open a run with {opens}, or mark the test with "
        "@pytest.mark.streamproof('any/refusal')"
    )


class AsyncStreamproof(AsyncRunView):
    """What the fixture ``streamproof_async`` is: as ``Streamproof``, with coroutines."""

    def __init__(self, streamproof: Streamproof) -> None:
        self._sync = streamproof
        self.url: str = streamproof.url
        self.marked: AsyncRun | None = AsyncRun(streamproof.marked) if streamproof.marked else None
        """The run of the case that the test's mark names."""

    async def run(self, *cases: Wanted | When, vary: str = "", default: bool = False) -> AsyncRun:
        """Open a run; see ``Mock.run``. The file of a scenario is relative to that of the test."""
        __tracebackhide__ = True
        run = await in_thread(self._sync.run, *cases, vary=vary, default=default)
        return AsyncRun(run)

    def environ(self, run: Run | AsyncRun | None = None) -> dict[str, str]:
        """Point SDKs at a run until the end of the test; see ``Streamproof.environ``."""
        return self._sync.environ(run)

    def _view(self) -> RunView:
        __tracebackhide__ = True
        if self.marked is None:
            raise _no_case("await streamproof_async.run('any/refusal')")
        return self._sync
