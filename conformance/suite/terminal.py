"""What the suite prints through pytest: the causes of its failures as the last lines.

A failing case has a timeline of its own, which may be long; hundreds of them are shown with
``--timelines all`` only. What everybody sees are causes, each with its smallest case.
"""

import os
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from _pytest._code.code import ExceptionRepr
from _pytest._io import TerminalWriter

from conformance.findings.causes import STREAMS, Cause, Found, group_by_cause
from conformance.report.drawing import WIDTH
from conformance.report.results import Result
from conformance.report.summary import of_finding
from conformance.suite.conclusion import Excerpt
from conformance.suite.known_failures import KnownFailure, classify
from mockserver.foundation.visible import visible

_WIDTH_KEY = "streamproof width"
_NARROWEST, _WIDEST = 60, 140

_STYLES: tuple[tuple[re.Pattern[str], Mapping[str, bool]], ...] = (
    (re.compile(r"✗ [\w-]+ \(should\).*"), {"yellow": True}),
    (re.compile(r"✗ .*"), {"red": True, "bold": True}),
    (re.compile(r"– did not come: .*"), {"yellow": True}),
    (re.compile(r"· .*|  (right|source): .*"), {"light": True}),
)


def width_of(config: pytest.Config) -> int:
    """The width of timelines: that of a terminal or of COLUMNS; in other logs ``WIDTH``."""
    if hasattr(config, "workerinput"):
        return int(config.workerinput.get(_WIDTH_KEY, WIDTH))
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not (reporter.isatty or "COLUMNS" in os.environ):
        return WIDTH
    return max(_NARROWEST, min(config.get_terminal_writer().fullwidth, _WIDEST))


class Failure(ExceptionRepr):
    """The failure of a test as pytest keeps it, drawn with colours where the terminal has them."""

    def __init__(self, plain: ExceptionRepr) -> None:
        super().__init__(plain.reprtraceback, plain.reprcrash)
        self._plain = str(plain)

    def toterminal(self, tw: TerminalWriter) -> None:
        for line in self._plain.splitlines():
            write_coloured(tw, line)


def write_coloured(tw: TerminalWriter, line: str) -> None:
    """Write a line of a timeline, coloured from where its finding or its remark begins."""
    found = ((pattern.search(line), markup) for pattern, markup in _STYLES)
    at, markup = next(((m.start(), markup) for m, markup in found if m), (len(line), {}))
    tw.write(line[:at])
    tw.line(line[at:], **markup)


def summarize(report: pytest.TestReport) -> None:
    """Keep of a failure's message its first line for pytest's short summary."""
    if crash := getattr(report.longrepr, "reprcrash", None):
        first, _, rest = crash.message.removeprefix("Failed: ").partition("\n")
        # "the scenario is at fault:" says nothing without the line after it.
        more = rest.partition("\n")[0].strip() if first.endswith(":") else ""
        crash.message = f"{first} {more}".strip()


@dataclass(eq=False)
class Causes:
    """A pytest plugin for the controlling process: prints the causes of failures, at the end.

    ``excerpts`` are those of the failing cases, by adapter and case. ``levels`` are the finding
    levels that fail; known failures are counted apart. With ``timelines`` every failing case has
    its own timeline above.
    """

    results: Sequence[Result]
    excerpts: Mapping[tuple[str, str], Sequence[Excerpt]]
    listed: Mapping[str, Sequence[KnownFailure]]
    levels: Sequence[str]
    several: bool
    timelines: bool = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker how wide the terminal is."""
        node.workerinput[_WIDTH_KEY] = width_of(node.config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "streamproof") and isinstance(report.longrepr, ExceptionRepr):
            report.longrepr = Failure(report.longrepr)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, Any, Any]:
        """Print the causes after pytest's own summary, where they are the last lines seen."""
        with self._left_out(terminalreporter):
            outcome = yield
        for title, lines in self.sections():
            terminalreporter.section(title)
            for line in lines:
                write_coloured(terminalreporter._tw, visible(line))
        return outcome

    @contextmanager
    def _left_out(self, reporter: pytest.TerminalReporter) -> Iterator[None]:
        """Keep failing cases out of pytest's summary, but for those that have no finding."""
        failed = reporter.stats.get("failed", [])
        kept = [each for each in failed if self.timelines or not getattr(each, "has_causes", 0)]
        if failed:
            reporter.stats["failed"] = kept
        yield
        if failed:
            reporter.stats["failed"] = failed

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """The sections below pytest's summary: causes with their excerpts, and what is listed."""
        failing: list[Found] = []
        reported: list[Found] = []
        known: list[Found] = []
        for result in self.results:
            case = f"{result.adapter}:{result.case}" if self.several else result.case
            new = classify(result.case, result.findings, self.listed.get(result.adapter, ()))
            excerpts = self.excerpts.get((result.adapter, result.case), ())
            size = next((each.size for each in excerpts), 0)
            for finding in result.findings:
                fails = failing if finding.level in self.levels else reported
                found = fails if finding in new.unlisted else known
                found.append(Found(case, result.conduct, finding, size))
        if causes := group_by_cause(failing):
            yield _count(causes), list(self._cause_lines(causes))
        if causes := group_by_cause(reported):
            title = f"should (--should makes them fail): {_count(causes)}"
            yield (
                title,
                [
                    f"{of_finding(each.smallest.finding)} "
                    f"({_plural(len(each.cases), 'case')}, {each.smallest.case})"
                    for each in causes
                ],
            )
        if causes := group_by_cause(known):
            totals = Counter(found.finding.rule for found in known).most_common()
            lines = [f"  {rule} ×{count}" for rule, count in totals]
            yield f"known failures: {_count(causes)}", lines

    def _cause_lines(self, causes: Sequence[Cause]) -> Iterator[str]:
        groups = Counter((cause.level, cause.conduct) for cause in causes)
        excerpts = {
            (f"{adapter}:{case}" if self.several else case): each
            for (adapter, case), each in self.excerpts.items()
        }
        group = None
        for n, cause in enumerate(causes, 1):
            if (cause.level, cause.conduct) != group:
                group = cause.level, cause.conduct
                yield from ([""] if n > 1 else [])
                yield f"on {STREAMS[cause.conduct]}: {_plural(groups[group], 'cause')}"
            smallest = "the smallest is " if len(cause.cases) > 1 else ""
            cases = f"{_plural(len(cause.cases), 'case')}, {smallest}{cause.smallest.case}"
            yield from ("", f"{n}. {cause.title}: {cases}")
            mine = excerpts.get(cause.smallest.case, ())
            yield from next((each.lines for each in mine if each.cause == cause.id), ())


def _count(causes: Sequence[Cause]) -> str:
    cases = {case for cause in causes for case in cause.cases}
    return f"{_plural(len(cases), 'case')}, {_plural(len(causes), 'cause')}"


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
