"""What the suite prints through pytest: coloured failures, and totals by rule as the last lines."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ExceptionRepr

from conformance.report.columns import WIDTH
from conformance.suite.known_failures import classify
from mockserver.foundation.visible import visible

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from _pytest._io import TerminalWriter

    from conformance.report.results import Result
    from conformance.suite.known_failures import KnownFailure

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
            at, markup = _style(line)
            tw.write(line[:at])
            tw.line(line[at:], **markup)


def _style(line: str) -> tuple[int, Mapping[str, bool]]:
    """Where the coloured rest of a line begins, and its markup."""
    found = ((pattern.search(line), markup) for pattern, markup in _STYLES)
    return next(((match.start(), markup) for match, markup in found if match), (len(line), {}))


def summarize(report: pytest.TestReport) -> None:
    """Keep of a failure's message its first line for pytest's short summary."""
    if crash := getattr(report.longrepr, "reprcrash", None):
        first, _, rest = crash.message.removeprefix("Failed: ").partition("\n")
        # "the scenario is at fault:" says nothing without the line after it.
        more = rest.partition("\n")[0].strip() if first.endswith(":") else ""
        crash.message = f"{first} {more}".strip()


@dataclass
class Total:
    """How many cases break a rule, and the first of them."""

    first: str
    cases: set[str] = field(default_factory=set)


class Totals:
    """A pytest plugin for the controlling process: prints how many cases break each rule.

    Findings that another one explains are not counted, and known failures are counted apart.
    ``levels`` are the finding levels that fail.
    """

    def __init__(
        self,
        results: Sequence[Result],
        listed: Mapping[str, Sequence[KnownFailure]],
        levels: Sequence[str],
        *,
        several: bool,
    ) -> None:
        self._results = results
        self._listed = listed
        self._levels = levels
        self._several = several

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
        """Print the totals after pytest's own summary, where they are the last lines seen."""
        outcome = yield
        if lines := self.lines():
            terminalreporter.section("broken rules, with the first case of each")
        for line in lines:
            terminalreporter.write_line(visible(line))
        return outcome

    def lines(self) -> list[str]:
        """The totals by level, the most frequent rules first."""
        totals: defaultdict[str, dict[str, Total]] = defaultdict(dict)
        for result in self._results:
            case = f"{result.adapter}:{result.case}" if self._several else result.case
            new = classify(result.case, result.findings, self._listed.get(result.adapter, ()))
            for finding in result.findings:
                group = finding.level if finding in new.unlisted else "known"
                total = totals[group].setdefault(finding.rule, Total(case))
                total.cases.add(case)
        hint = "" if "should" in self._levels else " (--should makes them fail)"
        headings = {"must": "must", "should": f"should{hint}", "known": "known failures"}
        counts = {g: {r: f"{r} ×{len(t.cases)}" for r, t in of.items()} for g, of in totals.items()}
        width = max((len(count) for of in counts.values() for count in of.values()), default=0)
        return [
            line
            for group, heading in headings.items()
            if group in totals
            for line in (
                f"{heading}:",
                *(
                    f"  {counts[group][rule]:<{width}}  {total.first}"
                    for rule, total in _by_count(totals[group])
                ),
            )
        ]


def _by_count(totals: Mapping[str, Total]) -> list[tuple[str, Total]]:
    return sorted(totals.items(), key=lambda row: -len(row[1].cases))
