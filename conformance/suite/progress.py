"""The progress of a run: cases done, cases failing, the time that is left, and the adapter at work.

On a terminal it is one line that is redrawn; in a log it is a line a minute, so that a short run
writes none. It replaces pytest's dots, and prints nothing if pytest prints a line per test
(``-v``). Whoever runs pytest registers it, with a stream that pytest does not capture; the suite
does if it has so many cases that their dots would fill pages.
"""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Protocol

import pytest

MANY = 2000
"""So many cases have their progress shown instead of dots, however pytest was started."""

_LOG_SECONDS = 60.0
_CLEAR = "\r\x1b[K"

# What the hook returns: category, letter, and word (or a word with its markup).
_Status = tuple[str, str, str | tuple[str, Mapping[str, bool]]]


class Output(Protocol):
    """What progress is written to."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> None: ...


class Progress:
    """A pytest plugin that writes the progress of the run to ``out``.

    ``redraws`` is whether a line is drawn again and again, as on a terminal.
    """

    def __init__(
        self, out: Output, redraws: bool, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._out, self._redraws, self._now = out, redraws, now
        self._shows = self._several = False
        self._all, self._done = Counter[str](), Counter[str]()
        self._failing = 0
        self._last = ""
        self._began = self._said = now()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        worker = hasattr(config, "workerinput")
        self._shows = config.get_verbosity() <= 0 and not config.option.collectonly and not worker
        self._several = len(config.option.adapter) != 1
        if self._shows and (reporter := config.pluginmanager.get_plugin("terminalreporter")):
            reporter.showfspath = False

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, _Status, _Status]:
        """Drop pytest's letter for each test, and its percentage, if progress is shown instead."""
        category, letter, word = yield
        return (category, "", "") if self._shows else (category, letter, word)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._begin(ids)

    def _begin(self, ids: Iterable[str]) -> None:
        # Under xdist the controller has no items of its own, and each worker names them all.
        self._all = Counter(map(self._adapter, ids)) or self._all
        self._began = self._said = self._now()

    def _adapter(self, nodeid: str) -> str:
        """The adapter of a test, which its id begins with if there are several; else empty."""
        return nodeid.partition("[")[2].partition(":")[0] if self._several else ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failing += 1
        if report.when == "teardown":
            self._last = self._adapter(report.nodeid)
            self._done[self._last] += 1
            self._report()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Make room for pytest's summary, which says the words of the tests that it names."""
        if self._shows and self._redraws:
            self._write(_CLEAR)
        self._shows = False

    def _report(self) -> None:
        if not self._shows or not self._all:
            return
        if self._redraws:
            width = shutil.get_terminal_size().columns
            self._write(f"{_CLEAR}{self.line()[: width - 1]}")
        elif self._now() - self._said >= _LOG_SECONDS:
            self._said = self._now()
            self._write(f"{self.line()}\n")

    def line(self) -> str:
        """The progress as one line, without a line break."""
        done, all_ = self._done.total(), self._all.total()
        seconds = (self._now() - self._began) / max(done, 1) * (all_ - done)
        remaining = f", {seconds:.0f} s left" if done < all_ else ""
        last = self._last
        now_at = f"; {last}: {self._done[last]} of {self._all[last]}" if len(self._all) > 1 else ""
        return f"{done} of {all_} cases, {self._failing} failing{remaining}{now_at}"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
