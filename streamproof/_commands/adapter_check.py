"""``streamproof adapter check``: probes whether an adapter can be driven and plays simple runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from conformance.drivers.driver import START_SECONDS
from conformance.drivers.kinds import driver_of
from conformance.report.summary import clip
from conformance.suite.adapter_yaml import read_description
from conformance.suite.play import DEADLINE_MS
from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.faults import AdapterError
from mockserver.foundation.visible import visible
from streamproof._commands.checkup import Checkup, ProbeResult
from streamproof._commands.drive_log import LinePrinter, LoggingDriver, without_secrets
from streamproof._commands.options import width_option
from streamproof._commands.printing import EXIT_FINDINGS, console_of
from streamproof._commands.probes import DRIVABLE, PROBES, STARTS, result_of_error, run_probe

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.contract.adapter import Description

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


@click.command(help=_HELP)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--deadline",
    default=DEADLINE_MS,
    show_default=True,
    metavar="MS",
    type=click.IntRange(1),
    help="The time that a run may take.",
)
@click.option(
    "--start-deadline",
    default=int(START_SECONDS * 1000),
    show_default=True,
    metavar="MS",
    type=click.IntRange(1),
    help="The time that the adapter may take to start.",
)
@width_option
def check(path: Path, deadline: int, start_deadline: int, width: int | None) -> None:
    console = console_of(width)
    file = path / "adapter.yaml" if path.is_dir() else path
    try:
        described = read_description(file)
    except AdapterError as error:
        failure = (
            result_of_error(error)
            if file.exists()
            else replace(result_of_error(error), next=_HOW_TO_BEGIN)
        )
        _print_results({_DESCRIPTION_READ: failure}, console)
        raise click.exceptions.Exit(AdapterError.exit_code) from None
    message = f"{described.name}, {' and '.join(described.dialects)} to {described.vocabulary}"
    results = {
        _DESCRIPTION_READ: ProbeResult("ok", message),
        **_run_probes(described, deadline, start_deadline / 1000, console),
    }
    _print_results(results, console)
    if any(name in DRIVABLE and result.status == "failed" for name, result in results.items()):
        raise click.exceptions.Exit(AdapterError.exit_code)
    if any(result.status == "failed" for result in results.values()):
        raise click.exceptions.Exit(EXIT_FINDINGS)


def _run_probes(
    described: Description, deadline_ms: int, start_seconds: float, console: Console
) -> dict[str, ProbeResult]:
    """Run every probe in turn, printing the lines of drive/1 under the probe's name."""
    printer = LinePrinter(console)
    catalogue = Catalogue.shipped()
    try:
        driver = driver_of(described, printer, start_seconds)
    except AdapterError as error:
        return {STARTS: result_of_error(error)}
    try:
        with Workbench(catalogue, deadline_ms, start_seconds) as workbench:
            logged = driver if "stdio" in described.drive else LoggingDriver(driver, printer)
            checkup = Checkup(workbench.drive(described, logged), catalogue)
            results: dict[str, ProbeResult] = {}
            for probe in PROBES:
                printer.under(probe.name)
                results[probe.name] = run_probe(probe, checkup, results)
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
    text = clip(visible(without_secrets(line)), _MAX_LINE)
    console.print(Text(text, style), soft_wrap=True)
