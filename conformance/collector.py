"""Gathers the results of a session, from xdist's workers too, and says what they add up to."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.known_failures import stale, write_list
from conformance.results import result_from_json
from mockserver import __version__

if TYPE_CHECKING:
    from conformance.adapter import Description
    from conformance.known_failures import Listed
    from conformance.results import Result, Writer

EXIT_FINDINGS = 1
EXIT_SCENARIO = 4


class Collector:
    """A pytest plugin that is registered in the controlling process only."""

    def __init__(
        self,
        adapters: list[Description],
        listed: dict[str, list[Listed]],
        writer: Writer | None,
        levels: tuple[str, ...],
        *,
        filtered: bool,
        rewrite: bool,
    ) -> None:
        self._adapters = adapters
        self._listed = listed
        self._writer = writer
        self._levels = levels
        self._filtered = filtered
        self._rewrite = rewrite
        self._results: list[Result] = []
        self._messages: list[str] = []

    def pytest_sessionstart(self) -> None:
        if self._writer:
            described = [
                {
                    "name": a.name,
                    "vocabulary": a.vocabulary,
                    "dialects": list(a.dialects),
                    "traits": asdict(a.traits),
                }
                for a in self._adapters
            ]
            kit = {"name": "streamproof", "version": __version__}
            self._writer.open({"kit": kit, "adapters": described})

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._filtered = self._filtered or bool(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if line := getattr(report, "streamproof", None):
            value = json.loads(line)
            self._results.append(result_from_json(value))
            if self._writer:
                self._writer.add(value)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        status = int(exitstatus)
        whole = not self._filtered and status in (0, EXIT_FINDINGS)
        if whole and self._rewrite:
            self._write_lists()
            status = 0
        elif whole and self._stale():
            status = EXIT_FINDINGS
        if any(result.status == "broken" for result in self._results):
            status = EXIT_SCENARIO
        if self._writer:
            self._writer.close(status)
            if self._writer.failed:
                self._messages.append(self._writer.failed)
                status = status or EXIT_SCENARIO
        session.exitstatus = status

    def _stale(self) -> list[str]:
        found = []
        for adapter in self._adapters:
            mine = [r for r in self._results if r.adapter == adapter.name]
            run = [r.case for r in mine if r.status not in ("not-applicable", "broken")]
            listed = self._listed.get(adapter.name, [])
            used = {
                entry
                for entry in listed
                for result in mine
                if entry.covers(result.case) and any(map(entry.explains, result.findings))
            }
            found += stale(listed, run, used)
        self._messages += found
        return found

    def _write_lists(self) -> None:
        for adapter in self._adapters:
            path = adapter.known_failures or Path(adapter.path).with_name("known-failures.yaml")
            failures = [
                (result.case, finding)
                for result in self._results
                if result.adapter == adapter.name
                for finding in result.findings
                if finding.level in self._levels
            ]
            count = write_list(path, failures, self._listed.get(adapter.name, []))
            self._messages.append(f"wrote {count} known failures to {path}")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for message in self._messages:
            terminalreporter.write_line(message)
        shoulds = [
            (result, finding)
            for result in self._results
            for finding in result.findings
            if finding.level == "should" and "should" not in self._levels
        ]
        if shoulds:
            terminalreporter.section("findings of level should (--should makes them fail)")
        for result, finding in shoulds:
            line = f"{result.adapter} {result.case}: {finding.rule}: {finding.message}"
            terminalreporter.write_line(line)
