"""Collects the results of a pytest session, including xdist workers', and sets its exit status."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conformance.contract.adapter import REPORTS, Description
from conformance.report.results import Result, Writer, result_from_json
from conformance.suite.conclusion import Excerpt
from conformance.suite.known_failures import KnownFailure, classify, stale_messages, write_list
from mockserver import __version__
from mockserver.foundation.faults import UserError
from mockserver.foundation.visible import visible

LEFT_BEHIND = "streamproof left behind"
"""The key under which an xdist worker passes on what its adapters have left behind."""

EXIT_FINDINGS = 1
EXIT_AT_FAULT = 4
_PHASES = ("setup", "call", "teardown")


def header_of(adapters: Sequence[Description], scenarios: Sequence[str]) -> dict[str, Any]:
    """The header of a results file: the kit, the adapters and the scenario folders."""
    described = [
        {
            "name": a.name,
            "file": str(a.path),
            "vocabulary": a.vocabulary,
            "dialects": list(a.dialects),
            "traits": asdict(a.traits),
            "reports": [name for name in REPORTS if getattr(a.claims, name)],
        }
        for a in adapters
    ]
    kit = {"name": "streamproof", "version": __version__}
    folders = [str(Path(folder)) for folder in scenarios]
    return {"kit": kit, "adapters": described, "scenarios": folders}


@dataclass(frozen=True, slots=True)
class Played:
    """What a worker passes on about a case: its result, and the excerpts for its causes."""

    result: Result
    excerpts: tuple[Excerpt, ...] = ()

    def to_text(self) -> str:
        """A JSON object."""
        excerpts = [asdict(each) for each in self.excerpts]
        return json.dumps({"result": self.result.to_json(), "excerpts": excerpts})


@dataclass(eq=False)
class Collector:
    """A pytest plugin for the controlling process: collects results, writes files, sets the status.

    ``levels`` are the finding levels that fail. ``cases`` is the number of the items that the lists
    of known failures are about; None if only some of them are played. ``rewrite`` means that the
    lists are written again; ``warnings`` are printed at the end. ``excerpts`` are those of the
    failing cases, by adapter and case.
    """

    adapters: Sequence[Description]
    header: Mapping[str, Any]
    listed: Mapping[str, list[KnownFailure]]
    writer: Writer | None
    levels: Sequence[str]
    cases: int | None
    rewrite: bool
    warnings: Sequence[str] = ()
    results: list[Result] = field(default_factory=list)
    excerpts: dict[tuple[str, str], Sequence[Excerpt]] = field(default_factory=dict)
    left_behind: list[str] = field(default_factory=list)
    _messages: list[str] = field(default_factory=list)
    _at_fault: bool = False

    def pytest_sessionstart(self) -> None:
        if self.writer:
            try:
                self.writer.open(self.header)
            except UserError as error:
                pytest.exit(str(error), returncode=error.exit_code)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if line := getattr(report, "streamproof", None):
            played = json.loads(line)
            value = played["result"]
            if self.writer:
                self.writer.add(value)
            self.results.append(result_from_json(_without_long_transcript(value)))
            if excerpts := tuple(map(Excerpt.of, played["excerpts"])):
                self.excerpts[value["adapter"], value["case"]] = excerpts
            # pytest keeps its reports to the end.
            vars(report)["streamproof"] = ""
        elif report.failed and report.when in _PHASES:
            # An error in the kit: whatever an adapter does, its test has a verdict.
            self._at_fault = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        status = int(exitstatus)
        # If cases were left out, for any reason, stale entries cannot be judged.
        complete = len(self.results) == self.cases and status in (0, EXIT_FINDINGS)
        if self.rewrite:
            status = self._rewrite_lists(complete) if status in (0, EXIT_FINDINGS) else status
        elif self._find_stale(complete):
            status = EXIT_FINDINGS
        if self._at_fault or any(result.status == "broken" for result in self.results):
            status = EXIT_AT_FAULT
        if self.writer:
            self.writer.close(status)
            if self.writer.failed:
                self._messages.append(self.writer.failed)
                status = status or EXIT_AT_FAULT
        session.exitstatus = status

    def _rewrite_lists(self, complete: bool) -> int:
        """Write the lists of known failures again and return the exit status.

        If not every case was played, the lists stay as they are.
        """
        if not complete:
            seen = f"{len(self.results)} of {self.cases} cases were played"
            self._messages.append(f"{seen}, so the list of known failures was not written")
            return EXIT_AT_FAULT
        try:
            self._write_lists()
        except UserError as error:
            self._messages.append(f"{error}; what was there before is as it was")
            return EXIT_AT_FAULT
        return 0

    def _find_stale(self, complete: bool) -> bool:
        """Note known failures that did not happen; returns whether there are any.

        That is known only after a ``complete`` run.
        """
        stale: list[str] = []
        for adapter in self.adapters if complete else ():
            if not (listed := self.listed.get(adapter.name)):
                continue
            mine = [r for r in self.results if r.adapter == adapter.name]
            used = [classify(each.case, each.findings, listed).used for each in mine]
            run = [r.case for r in mine if r.status not in ("not-applicable", "broken")]
            stale += stale_messages(listed, run, set().union(*used))
        self._messages += stale
        return bool(stale)

    def _write_lists(self) -> None:
        for adapter in self.adapters:
            path = adapter.known_failures or Path(adapter.path).with_name("known-failures.yaml")
            before = self.listed.get(adapter.name, [])
            failures = [
                (result.case, finding)
                for result in self.results
                if result.adapter == adapter.name
                for finding in result.findings
                if finding.level in self.levels
                or finding not in classify(result.case, result.findings, before).unlisted
            ]
            count = write_list(path, failures, before)
            self._messages.append(f"wrote {count} known failures to {path}")
            if adapter.known_failures is None:
                hint = f"to make them count, add to {adapter.path}: known_failures: {path.name}"
                self._messages.append(hint)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.left_behind += getattr(node, "workeroutput", {}).get(LEFT_BEHIND, [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for message in (*(f"warning: {each}" for each in self.warnings), *self._messages):
            terminalreporter.write_line(visible(message))
        again = [result for result in self.results if result.transcript and result.transcript.tries]
        for title, lines in (
            ("left behind by adapters", self.left_behind),
            ("played again, alone", map(_again_line, again)),
        ):
            if shown := list(dict.fromkeys(lines)):
                terminalreporter.section(title)
            for line in shown:
                terminalreporter.write_line(visible(line))


def _without_long_transcript(value: dict[str, Any]) -> dict[str, Any]:
    """A result without its transcript, unless that says why its run was played again."""
    transcript = value["transcript"]
    return value if transcript and transcript.get("tries") else {**value, "transcript": None}


def _again_line(result: Result) -> str:
    """The tries of a run that was played several times, and why it was."""
    assert result.transcript is not None
    tries = (", ".join(filter(None, (each.verdict, each.why))) for each in result.transcript.tries)
    return f"{result.adapter} {result.case}: {'; alone: '.join(tries)}"
