"""``streamproof adapter check``: probes whether an adapter can be driven and plays simple runs.

The messages between the kit and the adapter are printed without credentials: for an adapter that
speaks drive/1, the lines as sent; for other drivers, which have no lines, equivalent messages.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from conformance.contract.adapter import Description
from conformance.dialects.short_text import clip
from conformance.drivers.driver import START_SECONDS, Driver, Outcome, Overhear, Place
from conformance.drivers.kinds import driver_of
from conformance.drivers.recorder import Recorder
from conformance.suite.adapter_yaml import read_description
from conformance.suite.session import DEADLINE_MS
from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError
from mockserver.foundation.visible import visible
from mockserver.server.journal import REDACTED
from streamproof._commands import probes
from streamproof._commands.options import PATH, width_option
from streamproof._commands.printing import EXIT_FINDINGS, make_console
from streamproof._commands.probes import Checkup, ProbeResult, result_of_error

_HELP = """Probe the adapter that PATH describes, and show all that is said on the way.

PATH is an adapter.yaml, or a folder with one. Shown are the lines of drive/1, → the kit's and ← the
adapter's, clipped and without credentials; what is driven in another way has no lines, and its
messages are shown. Then each probe, with the cause and the next step where it failed.

Exit codes: 0 all is well, 1 a probe failed, 3 the adapter cannot be driven, 4 wrong usage.
"""

_MARKS = {"ok": ("✓", "green"), "failed": ("✗", "red"), "not asked": ("·", "dim")}
_MAX_LINE = 400
_DESCRIPTION_READ = "its description is read"
_HOW_TO_BEGIN = "describe it as docs/adapters.md says, or begin with streamproof adapter new"


_milliseconds = partial(click.option, show_default=True, metavar="MS", type=click.IntRange(1))


@click.command(help=_HELP)
@click.argument("path", type=PATH)
@_milliseconds("--deadline", default=DEADLINE_MS, help="The time that a run may take.")
@_milliseconds(
    "--start-deadline",
    default=int(START_SECONDS * 1000),
    help="The time that the adapter may take to start.",
)
@width_option
def check(path: Path, deadline: int, start_deadline: int, width: int | None) -> None:
    console = make_console(width)
    file = path / "adapter.yaml" if path.is_dir() else path
    try:
        described = read_description(file)
    except AdapterError as error:
        failure = result_of_error(error)
        if not file.exists():
            failure = replace(failure, next=_HOW_TO_BEGIN)
        _print_results({_DESCRIPTION_READ: failure}, console)
        raise click.exceptions.Exit(AdapterError.exit_code) from None
    message = f"{described.name}, {' and '.join(described.dialects)} to {described.vocabulary}"
    results = {
        _DESCRIPTION_READ: ProbeResult("ok", message),
        **_run_probes(described, deadline, start_deadline / 1000, console),
    }
    _print_results(results, console)
    if failed := {name for name, result in results.items() if result.status == "failed"}:
        drivable = failed.isdisjoint(probes.DRIVABLE)
        raise click.exceptions.Exit(EXIT_FINDINGS if drivable else AdapterError.exit_code)


def _run_probes(
    described: Description, deadline_ms: int, start_seconds: float, console: Console
) -> dict[str, ProbeResult]:
    """Run every probe in turn, printing the lines of drive/1 under the probe's name."""
    printer = LinePrinter(console)
    catalogue = Catalogue.shipped()
    try:
        driver = driver_of(described, printer, start_seconds)
    except AdapterError as error:
        return {probes.STARTS: result_of_error(error)}
    try:
        with Workbench(catalogue, deadline_ms, start_seconds) as workbench:
            logged = driver if "stdio" in described.drive else LoggingDriver(driver, printer)
            checkup = Checkup(workbench.drive(described, logged), catalogue)
            results: dict[str, ProbeResult] = {}
            for probe in probes.PROBES:
                printer.under(probe.name)
                results[probe.name] = probes.run_probe(probe, checkup, results)
            printer.done()
            return results
    finally:
        driver.close()


def _print_results(results: dict[str, ProbeResult], console: Console) -> None:
    for name, result in results.items():
        mark, style = _MARKS[result.status]
        first, *more = (f"{name}: {result.message}" if result.message else name).splitlines()
        _print_line(f"{mark} {first}", console, style)
        for line in more:
            _print_line(f"    {line}", console)
        for line in f"next: {result.next}".splitlines() if result.next else ():
            _print_line(f"    {line}", console)
    counts = {
        status: sum(result.status == status for result in results.values()) for status in _MARKS
    }
    console.print("\n" + ", ".join(f"{count} {status}" for status, count in counts.items()))


def _print_line(line: str, console: Console, style: str = "") -> None:
    """Print a line without wrapping, so that a command in it can be copied."""
    text = clip(visible(hide_secrets(line)), _MAX_LINE)
    console.print(Text(text, style), soft_wrap=True)


KIT, ADAPTER = "→", "←"

# The most lines printed under one heading.
_MAX_LINES = 60
_MAX_LENGTH = 4000
_SECRETS = (
    re.compile(
        r'("[\w-]*(?:auth|key|token|cookie|secret|password|credential)[\w-]*"\s*:\s*")'
        r'(?:[^"\\]|\\.)+(?=")',
        re.IGNORECASE,
    ),
    re.compile(r"(\bbearer\s+)[^\s\"\\]+", re.IGNORECASE),
    re.compile(r"(\bsk-)[\w-]+"),
)


def hide_secrets(text: str) -> str:
    """A line with its credentials replaced."""
    for secret in _SECRETS:
        text = secret.sub(rf"\g<1>{REDACTED}", text)
    return text


class LinePrinter:
    """Prints lines under a heading, which is printed with the first line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._heading = ""
        self._count = 0

    def under(self, heading: str) -> None:
        """Begin a new heading for the lines that follow."""
        with self._lock:
            self._close()
            self._heading, self._count = heading, 0

    def done(self) -> None:
        """End the last heading."""
        self.under("")

    def __call__(self, direction: str, line: bytes) -> None:
        text = line[:_MAX_LENGTH].decode("utf-8", "replace").rstrip("\r\n")
        with self._lock:
            if self._heading and not self._count:
                self._print(Text(self._heading, "bold"))
            self._count += 1
            if self._count <= _MAX_LINES:
                self._print(Text(f"  {direction} {visible(hide_secrets(text))}"))

    def _close(self) -> None:
        if (more := self._count - _MAX_LINES) > 0:
            self._print(Text(f"  … and {more:,} more lines"))
        if self._count:
            self._console.print()

    def _print(self, line: Text) -> None:
        line.truncate(self._console.width, overflow="ellipsis")
        self._console.print(line, no_wrap=True)


@dataclass(frozen=True, slots=True)
class LoggingDriver:
    """Wraps a driver without lines of drive/1 and gives equivalent ones to the listener."""

    driver: Driver
    listener: Overhear

    def hello(self) -> Mapping[str, Any]:
        return self.driver.hello()

    def run(
        self, message: Mapping[str, Any], recorder: Recorder, place: Place = "beside others"
    ) -> Outcome:
        lock, logged = threading.Lock(), 0

        def log_parts() -> None:
            """Log each part once, from any thread."""
            nonlocal logged
            with lock:
                for emitted in recorder.parts()[logged:]:
                    part = {"n": emitted.n, "part": emitted.part}
                    self._log(ADAPTER, {"type": "part", "id": message["id"], **part})
                    logged += 1

        self._log(KIT, message)
        recorder.watch(log_parts)
        outcome = self.driver.run(message, recorder, place)
        for end in outcome.ends:
            error = {"error": asdict(end.error)} if end.error else {}
            ending = {"type": "done", "id": message["id"], "outcome": end.outcome}
            self._log(ADAPTER, ending | error)
        return outcome

    def cancel(self, id_: str) -> None:
        self._log(KIT, {"type": "cancel", "id": id_})
        self.driver.cancel(id_)

    async def catch_up(self) -> None:
        await self.driver.catch_up()

    def close(self) -> None:
        self.driver.close()

    def left_behind(self) -> Sequence[str]:
        return self.driver.left_behind()

    def _log(self, direction: str, message: Mapping[str, Any]) -> None:
        self.listener(direction, json.dumps(message, separators=(",", ":")).encode())
