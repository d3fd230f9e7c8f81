"""A mock server as a value: started here or elsewhere, asked for runs, and stopped."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from streamproof._api.connection import Connection
from streamproof._api.ending import Vocabulary
from streamproof._api.environ import variables
from streamproof._api.faults import Problem, UserError
from streamproof._api.run import AsyncRun, Judging, Opened, Run, in_thread
from streamproof._api.wanted import Wanted, When, make_entry

_START_SECONDS = 30.0
_STOP_SECONDS = 5.0
_POLL_SECONDS = 0.02
_CASES = 'such as run("any/refusal"), or run(When("any/refusal", message="bomb"), "any/annex")'


class Mock:
    """A mock server. As a context manager it is stopped at the end of its block."""

    def __init__(self, url: str, judging: Judging, stop: Callable[[], None] = lambda: None) -> None:
        """``stop`` ends the server, if it is this mock's own."""
        self._connection = Connection(url)
        self._judging = judging
        self._stop = stop
        self.url: str = self._connection.url

    @property
    def base_url(self) -> str:
        """The base URL at which a request chooses its scenario, by its model id or a header."""
        return f"{self.url}/v1"

    def run(self, *cases: Wanted | When, vary: str = "", default: bool = False) -> Run:
        """Open a run of a case, such as ``any/refusal`` or ``any/refusal@chat+cut:3``.

        A case may also be a scenario of your own: the path of its file, or a mapping with the same
        keys. Of several cases, the first whose condition holds for a request answers it. ``vary``
        adds variations to each of them, joined with ``+``. The ``default`` run has the server's own
        ``base_url`` and gets each request whose URL names no run; there is one at a time. Raises
        Fault if a case cannot be played.
        """
        __tracebackhide__ = True
        return self._run(cases, vary, default, Path())

    def _run(self, cases: Sequence[Wanted | When], vary: str, default: bool, folder: Path) -> Run:
        """Open a run; the files of scenarios are relative to ``folder``."""
        __tracebackhide__ = True
        if not cases:
            raise UserError(Problem("a run plays a case: none is named", hint=_CASES))
        asked = {"cases": [make_entry(each, vary, folder) for each in cases], "default": default}
        opened = self._connection.ask("POST", "/_mock/runs", asked)
        return Run(Opened(self._connection, self._judging, opened["id"], opened["base_url"]))

    def check(self) -> None:
        """Check that the server answers. Raises Fault if it does not."""
        __tracebackhide__ = True
        self._connection.ask("GET", "/_mock/health")

    def environ(self, run: Run | AsyncRun | None = None) -> dict[str, str]:
        """The environment variables that point SDKs at a run, or at ``base_url``."""
        return variables(run.base_url if run else self.base_url)

    def stop(self) -> None:
        """Stop the server if it was started here."""
        self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Mock at {self.url}>"


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


def serve(
    *scenarios: str | Path,
    vocabulary: Vocabulary = "vscode",
    traits: Mapping[str, Any] | None = None,
    process: bool = False,
) -> Mock:
    """Start a mock server on loopback, at a free port.

    ``scenarios`` are folders of one's own, beside the shipped ones. The server is on a thread of
    this process, or with ``process`` in one of its own. ``vocabulary`` and ``traits`` say what the
    adapters under test emit; a verdict may say otherwise. Raises Fault if it cannot be started.
    """
    __tracebackhide__ = True
    folders: Sequence[Path] = [Path(folder) for folder in scenarios]
    judging = _judging(vocabulary, traits)
    if process:
        url, stop = _start_process(folders)
        return Mock(url, judging, stop)
    from conformance.suite.routes import routes
    from conformance.suite.upstream import Upstream
    from mockserver.cases.catalogue import Catalogue

    upstream = Upstream(Catalogue.shipped(*folders), routes())
    upstream.__enter__()
    return Mock(upstream.url, judging, upstream.__exit__)


def connect(
    url: str, *, vocabulary: Vocabulary = "vscode", traits: Mapping[str, Any] | None = None
) -> Mock:
    """A mock server that runs already, such as ``streamproof serve`` or its container.

    Raises Fault if there is none at the URL.
    """
    __tracebackhide__ = True
    mock = Mock(url, _judging(vocabulary, traits))
    mock.check()
    return mock


def _judging(vocabulary: Vocabulary, traits: Mapping[str, Any] | None) -> Judging:
    """How verdicts are made. Raises UserError if there is no such vocabulary or trait."""
    __tracebackhide__ = True
    from conformance.contract.traits import parse_traits
    from conformance.vocabularies import vocabulary_named

    vocabulary_named(vocabulary)
    parse_traits(dict(traits or {}))
    return Judging(vocabulary, traits)


def _start_process(folders: Sequence[Path]) -> tuple[str, Callable[[], None]]:
    """The URL of a new server, and a function that stops it. Raises UserError if it ends.

    It holds a pipe of this process, and so ends with it, however that happens.
    """
    kept = tempfile.TemporaryDirectory(prefix="streamproof-")
    ready = Path(kept.name, "url")
    own = [word for folder in folders for word in ("--scenarios", str(folder))]
    command = [sys.executable, "-m", "streamproof", "serve", "--port", "0", "--until-stdin-ends"]
    with Path(kept.name, "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 (no shell, and our own interpreter)
            [*command, "--ready-file", str(ready), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )

    def stop() -> None:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        kept.cleanup()

    try:
        return _wait_for_url(process, ready), stop
    except BaseException:
        stop()
        raise


def _wait_for_url(process: subprocess.Popen[bytes], ready: Path) -> str:
    until = time.monotonic() + _START_SECONDS
    while not ready.exists():
        if process.poll() is not None:
            told = ready.with_name("log").read_text("utf-8", "replace")
            raise UserError(Problem("the mock server did not start", hint=told.strip()[-2000:]))
        if time.monotonic() > until:
            raise UserError(f"the mock server did not start within {_START_SECONDS:g} seconds")
        time.sleep(_POLL_SECONDS)
    return ready.read_text("utf-8").strip()
