"""The pytest fixtures ``streamproof`` and ``streamproof_async``, and the mark that names a case.

Everything but pytest is imported when a test first uses a fixture or the mark.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamproof._api.mock import Mock
    from streamproof._api.run import AsyncRun, Run, When
    from streamproof._api.verdict import Request, Verdict

URL = "STREAMPROOF_URL"
"""The environment variable with the URL of a mock server that runs already."""

MARK = (
    "streamproof(*cases, vary=''): the case that the fixture plays, such as any/refusal@chat; "
    "a pattern or a group of variations makes a test of each case"
)
_CASE = "streamproof_case"
_STARTED = pytest.StashKey[list["Run"]]()


class Streamproof:
    """What the fixture ``streamproof`` is: opens runs for one test, and closes them after it."""

    def __init__(self, mock: Mock, patch: pytest.MonkeyPatch, started: list[Run]) -> None:
        self._mock = mock
        self._patch = patch
        self._started = started
        self.marked: Run | None = None
        """The run of the case that the test's mark names."""

    @property
    def url(self) -> str:
        """The URL of the mock server."""
        return self._mock.url

    def run(self, *cases: str | When, vary: str = "") -> Run:
        """Open a run; see ``Mock.run``."""
        __tracebackhide__ = True
        self._started.append(run := self._mock.run(*cases, vary=vary))
        return run

    def environ(self, run: Run | AsyncRun | None = None) -> dict[str, str]:
        """Point SDKs at a run by their environment variables, until the end of the test.

        Without a run it is that of the mark; without a mark, requests choose by their model id.
        """
        named = self._mock.environ(run or self.marked)
        for name, value in named.items():
            self._patch.setenv(name, value)
        return named

    @property
    def base_url(self) -> str:
        """The base URL of the marked run."""
        return self._of_mark.base_url

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests of the marked run; see ``Run.requests``."""
        return self._of_mark.requests

    def verdict(self, parts: Iterable[Any], *ending: Any, **more: Any) -> Verdict:
        """The verdict on parts of the marked run; see ``Run.verdict``."""
        return self._of_mark.verdict(parts, *ending, **more)

    def check(self, parts: Iterable[Any], *ending: Any, **more: Any) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        self._of_mark.check(parts, *ending, **more)

    @property
    def _of_mark(self) -> Run:
        if self.marked is None:
            raise pytest.UsageError(
                "no case is named: open a run with streamproof.run('any/refusal'), or mark the "
                "test with @pytest.mark.streamproof('any/refusal')"
            )
        return self.marked


class AsyncStreamproof:
    """What the fixture ``streamproof_async`` is: as ``Streamproof``, with coroutines."""

    def __init__(self, streamproof: Streamproof) -> None:
        from streamproof._api.run import AsyncRun

        self._sync = streamproof
        self.url = streamproof.url
        self.environ = streamproof.environ
        self.marked = AsyncRun(streamproof.marked) if streamproof.marked else None

    async def run(self, *cases: str | When, vary: str = "") -> AsyncRun:
        """Open a run; see ``Mock.run``."""
        import asyncio

        from streamproof._api.run import AsyncRun

        return AsyncRun(await asyncio.to_thread(self._sync.run, *cases, vary=vary))

    @property
    def base_url(self) -> str:
        """The base URL of the marked run."""
        return self._sync.base_url

    async def requests(self) -> tuple[Request, ...]:
        """The requests of the marked run."""
        return await self._of_mark.requests()

    async def verdict(self, parts: Iterable[Any], *ending: Any, **more: Any) -> Verdict:
        """The verdict on parts of the marked run; see ``Run.verdict``."""
        return await self._of_mark.verdict(parts, *ending, **more)

    async def check(self, parts: Iterable[Any], *ending: Any, **more: Any) -> None:
        """Raises AssertionError with the timeline if the verdict on the parts is ``failed``."""
        __tracebackhide__ = True
        await self._of_mark.check(parts, *ending, **more)

    @property
    def _of_mark(self) -> AsyncRun:
        assert self.marked or self._sync.base_url
        assert self.marked is not None
        return self.marked


@pytest.fixture(scope="session")
def streamproof_settings() -> dict[str, Any]:
    """The arguments of ``streamproof.serve``: override it to name scenarios and traits."""
    return {}


@pytest.fixture(scope="session")
def streamproof_mock(streamproof_settings: dict[str, Any]) -> Iterator[Mock]:
    """The mock server of the test session: a new one, or the one at $STREAMPROOF_URL.

    A server that runs already has its own scenarios.
    """
    from streamproof._api.mock import connect, serve

    settings = dict(streamproof_settings)
    if url := os.environ.get(URL):
        judging = {name: settings[name] for name in ("vocabulary", "traits") if name in settings}
        mock = connect(url, **judging)
    else:
        mock = serve(*settings.pop("scenarios", ()), **settings)
    with mock:
        yield mock


@pytest.fixture
def streamproof_case(request: pytest.FixtureRequest) -> str:
    """The id of the case that a mark has selected for this test; empty without one."""
    return str(getattr(request, "param", ""))


@pytest.fixture
def streamproof(
    request: pytest.FixtureRequest,
    streamproof_mock: Mock,
    streamproof_case: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Streamproof]:
    """A mock upstream for one test: its runs, what they received, and verdicts on parts."""
    started: list[Run] = []
    request.node.stash[_STARTED] = started
    kit = Streamproof(streamproof_mock, monkeypatch, started)
    mark = request.node.get_closest_marker("streamproof")
    if streamproof_case:
        kit.marked = kit.run(streamproof_case)
    elif mark and mark.args:
        kit.marked = kit.run(*mark.args, vary=mark.kwargs.get("vary", ""))
    yield kit
    for run in started:
        run.close()


@pytest.fixture
def streamproof_async(streamproof: Streamproof) -> AsyncStreamproof:
    """A mock upstream for one test in asyncio."""
    return AsyncStreamproof(streamproof)


def make_a_test_of_each_case(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test whose mark has a pattern or a group of variations."""
    mark = next(metafunc.definition.iter_markers("streamproof"), None)
    if mark is None or _CASE not in metafunc.fixturenames:
        return
    from mockserver.faults import Fault
    from mockserver.variations import GROUPS

    vary = mark.kwargs.get("vary", "")
    patterns = [each for each in mark.args if isinstance(each, str)]
    if vary not in GROUPS and not any("*" in each for each in patterns):
        return
    from streamproof._api.offline import cases

    try:
        found = [id_ for each in patterns for id_ in cases("+".join(filter(None, (each, vary))))]
    except Fault as fault:
        raise pytest.UsageError(str(fault)) from fault
    metafunc.parametrize(_CASE, found, indirect=True)


def show_timelines(item: pytest.Item, report: pytest.TestReport) -> None:
    """Add the timelines of the verdicts ``failed`` to the report of a test that has failed."""
    if report.when != "call" or not report.failed:
        return
    for run in item.stash.get(_STARTED, ()):
        for verdict in run.verdicts:
            if not verdict.passed and verdict.timeline not in report.longreprtext:
                report.sections.append((f"streamproof: {verdict.case}", verdict.timeline))
