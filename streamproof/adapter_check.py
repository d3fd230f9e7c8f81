"""``streamproof adapter check``: can an adapter be driven, does it do the first things?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from conformance.drivers.kinds import driver_of
from conformance.report.summary import clip, visible
from conformance.suite.adapter_yaml import read_description
from conformance.suite.play import DEADLINE_MS
from conformance.suite.workbench import Workbench
from mockserver.faults import AdapterError
from mockserver.scenario.catalogue import Catalogue
from streamproof.checkup import Checkup, Seen
from streamproof.overheard import Shown, Watched, without_secrets
from streamproof.probes import DRIVABLE, PROBES, STARTS, asked, refused
from streamproof.shown import EXIT_FINDINGS, console_of

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
_MOST_LINE = 400
_READ = "its description is read"
_BEGIN = "describe it as docs/adapters.md says, or begin with streamproof adapter new"


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
@click.option("--width", type=click.IntRange(40, 400), help="Columns; default: the terminal's.")
def check(path: Path, deadline: int, width: int | None) -> None:
    console = console_of(width)
    file = path / "adapter.yaml" if path.is_dir() else path
    try:
        described = read_description(file)
    except AdapterError as error:
        unread = refused(error) if file.exists() else replace(refused(error), next=_BEGIN)
        _conclude({_READ: unread}, console)
        raise click.exceptions.Exit(AdapterError.exit_code) from None
    told = f"{described.name}, {' and '.join(described.dialects)} to {described.vocabulary}"
    seen = {_READ: Seen("ok", told), **_probed(described, deadline, console)}
    _conclude(seen, console)
    if any(name in DRIVABLE and one.status == "failed" for name, one in seen.items()):
        raise click.exceptions.Exit(AdapterError.exit_code)
    if any(one.status == "failed" for one in seen.values()):
        raise click.exceptions.Exit(EXIT_FINDINGS)


def _probed(described: Description, deadline_ms: int, console: Console) -> dict[str, Seen]:
    """Every probe in turn; what is said meanwhile stands under its name."""
    shown = Shown(console)
    catalogue = Catalogue.shipped()
    try:
        driver = driver_of(described, shown)
    except AdapterError as error:
        return {STARTS: refused(error)}
    try:
        with Workbench(catalogue, deadline_ms) as workbench:
            watched = driver if "stdio" in described.drive else Watched(driver, shown)
            checkup = Checkup(workbench.drive(described, watched), catalogue)
            seen: dict[str, Seen] = {}
            for probe in PROBES:
                shown.under(probe.name)
                seen[probe.name] = asked(probe, checkup, seen)
            shown.done()
            return seen
    finally:
        driver.close()


def _conclude(seen: dict[str, Seen], console: Console) -> None:
    for name, one in seen.items():
        mark, style = _MARKS[one.status]
        first, *more = (f"{name}: {one.told}" if one.told else name).splitlines()
        _say(f"{mark} {first}", console, style)
        for line in more:
            _say(f"    {line}", console)
        for line in f"next: {one.next}".splitlines() if one.next else ():
            _say(f"    {line}", console)
    counts = {status: sum(one.status == status for one in seen.values()) for status in _MARKS}
    console.print("\n" + ", ".join(f"{count} {status}" for status, count in counts.items()))


def _say(line: str, console: Console, style: str = "") -> None:
    """A line that is not folded, so that the command in it can be taken as it is."""
    text = clip(visible(without_secrets(line)), _MOST_LINE)
    console.print(Text(text, style), soft_wrap=True)
