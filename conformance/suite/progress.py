"""The progress of a run: cases done, cases failing, and the time that is left.

On a terminal it is one line that is redrawn; elsewhere it is a line for each tenth of the run. It
replaces pytest's dots, and prints nothing if pytest prints a line per test (``-v``). Whoever runs
pytest registers it, with a stream that pytest does not capture; the suite does if it has so many
cases that their dots would fill pages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from typing import Protocol

import pytest

MANY = 2000
"""So many cases have their progress shown instead of dots, however pytest was started."""

_TENTHS = 10
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
        self._shows = False
        self._total = self._done = self._failing = 0
        self._began = now()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        worker = hasattr(config, "workerinput")
        self._shows = config.get_verbosity() <= 0 and not config.option.collectonly and not worker

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, _Status, _Status]:
        """Drop pytest's letter for each test if progress is shown instead."""
        category, letter, word = yield
        return category, "" if self._shows else letter, word

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._begin(len(ids))

    def _begin(self, total: int) -> None:
        self._total, self._began = max(self._total, total), self._now()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failing += 1
        if report.when == "teardown":
            self._done += 1
            self._report()

    def pytest_sessionfinish(self) -> None:
        if self._shows and self._redraws:
            self._write(_CLEAR)

    def _report(self) -> None:
        if not self._shows or not self._total:
            return
        if self._redraws:
            self._write(f"{_CLEAR}{self.line()}")
        elif self._done * _TENTHS // self._total > (self._done - 1) * _TENTHS // self._total:
            self._write(f"{self.line()}\n")

    def line(self) -> str:
        """The progress as one line, without a line break."""
        left = self._total - self._done
        seconds = (self._now() - self._began) / max(self._done, 1) * left
        remaining = f", {seconds:.0f} s left" if left else ""
        return f"{self._done} of {self._total} cases, {self._failing} failing{remaining}"

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
