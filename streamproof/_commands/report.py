"""``streamproof report``: renders results as HTML, JUnit XML, a badge, annotations or an issue."""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.report.by_adapter import differences, gather_by_adapter, unfinished
from conformance.report.causes import compare
from conformance.report.junit import junit
from conformance.report.page import badge, matrix
from conformance.report.recorded import read_results
from mockserver.cases.catalogue import Catalogue
from mockserver.foundation.atomic_files import write_file
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.visible import say, visible
from streamproof._commands.cases import case_of_id
from streamproof._commands.options import scenarios_option
from streamproof._commands.report_annotations import annotated
from streamproof._commands.report_issue import issue_about

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.report.recorded import Recording
    from mockserver.cases.case import Case

_HELP = """Render results files, as `pytest conformance --results FILE` writes them.

--html writes one page that stands alone: totals by rule, the failures, and a table of scenarios by
adapters, where each cell opens its findings, its timeline, the bytes that were sent and the command
that shows it again. The bytes are made anew from the scenarios, your own ones (--scenarios) among
them, and held against what was recorded.

--junit writes JUnit XML for CI servers: a test suite for each adapter, a test case for each case.
Findings that fail a case are its failure, with the timeline; what is not applicable and what is
known to fail are skipped; a scenario that cannot be played is an error.

--badge writes a badge as shields.io reads it: how many of the cases that were asked for pass.

--annotations writes GitHub's workflow commands, which show each broken rule as an error at the line
of adapter.yaml that it is about: in the log of a job, to standard output.

Several files may be parts of one run, on one host or several: other adapters, other cases. A case
that two of them have counts once if they agree. If they differ, the report has both and says so,
and the exit code is 4. So it is for a file without its footer, which is incomplete. Files of
different versions of streamproof are named. Findings do not change the exit code.

--compare BEFORE AFTER prints which causes of findings came, went, and are shown by other cases, and
exits with 1 if one came: what a change of the adapter, or of streamproof, has changed.

--issue needs no results file: it plays one case to an --adapter, and prints what it finds as the
text of an issue for the tracker of the adapter's library, in Markdown.
"""


_File = click.Path(path_type=Path, allow_dash=True)


@click.command(help=_HELP)
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--html", type=_File, help="Write the page to this file; - is standard output.")
@click.option("--junit", type=_File, help="Write JUnit XML to this file.")
@scenarios_option
@click.option("--badge", type=_File, help="Write the badge, as JSON, to this file.")
@click.option("--annotations", type=_File, help="Write GitHub's annotations to this file.")
@click.option("--issue", "case", metavar="CASE", help="Print this case as the text of an issue.")
@click.option("--adapter", type=click.Path(path_type=Path), help="The adapter.yaml for --issue.")
@click.option(
    "--compare",
    "compared",
    nargs=2,
    type=click.Path(path_type=Path),
    metavar="BEFORE AFTER",
    help="Print which causes of findings came, went and changed between two results files.",
)
def report(
    results: tuple[Path, ...],
    compared: tuple[Path, Path] | None,
    scenarios: tuple[Path, ...],
    case: str | None,
    adapter: Path | None,
    **files: Path | None,
) -> None:
    if case is not None:
        _print_issue(case, adapter, scenarios)
        return
    if compared is not None:
        _compare(*compared)
        return
    if not results:
        raise click.MissingParameter(param_type="argument", param_hint="'RESULTS...'")
    wanted = {name: file for name, file in files.items() if file is not None}
    if not wanted:
        hint = "streamproof report out.jsonl --html out.html"
        raise UserError(Problem("there is nothing to write", hint=hint))
    recordings = [read_results(path) for path in results]
    for name, file in wanted.items():
        _write(*_RENDERERS[name](recordings, scenarios), file)
    adapters = gather_by_adapter(recordings)
    incomplete = unfinished(recordings)
    for message in (*incomplete.values(), *differences(recordings)):
        say(message, err=True)
    if incomplete or any(each.differs_from for each in adapters):
        raise click.exceptions.Exit(UserError.exit_code)


def _compare(before: Path, after: Path) -> None:
    """Print what changed in the causes; exits with 1 if one came, with 4 if a run is incomplete."""
    old, new = ([read_results(path)] for path in (before, after))
    changes = compare(old, new)
    for line in (line for change in changes for line in change.lines()):
        say(visible(line))
    counts = Counter(change.what for change in changes)
    say(f"{counts['came']} came, {counts['went']} went, {counts['changed']} changed")
    incomplete = {**unfinished(old), **unfinished(new)}
    for message in incomplete.values():
        say(message, err=True)
    if incomplete:
        raise click.exceptions.Exit(UserError.exit_code)
    if counts["came"]:
        raise click.exceptions.Exit(1)


def _print_issue(case: str, adapter: Path | None, scenarios: Sequence[Path]) -> None:
    if adapter is None:
        hint = f"streamproof report --issue {case} --adapter ADAPTER.YAML"
        raise UserError(Problem("--issue needs the adapter that the case is played to", hint=hint))
    text, confirmed = issue_about(case, adapter, scenarios)
    say(text, nl=False)
    folder = f"streamproof repro {case} --adapter {adapter} --out FOLDER"
    say(f"attach the folder of: {folder}", err=True)
    if not confirmed:
        say("not confirmed: a finding in it has no proof; argue the other side", err=True)


def _html(recordings: Sequence[Recording], scenarios: Sequence[Path]) -> tuple[bytes, str]:
    catalogue = Catalogue.shipped(*scenarios)
    cells = sum(len(recording.results) for recording in recordings)
    return matrix(recordings, partial(_find_case, catalogue)).encode(), f"{cells} results"


def _find_case(catalogue: Catalogue, id_: str) -> Case:
    try:
        return case_of_id(id_, catalogue)
    except UserError as error:
        hint = "streamproof report --scenarios FOLDER adds one's own"
        raise UserError(Problem(error.problems[0].message, hint=hint)) from error


def _junit(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    rendered = junit(recordings)
    return rendered.xml, ", ".join(f"{count} {name}" for name, count in rendered.counts.items())


def _badge(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    rendered = badge(recordings)
    return json.dumps(rendered, indent=2).encode() + b"\n", str(rendered["message"])


def _annotations(recordings: Sequence[Recording], _scenarios: Sequence[Path]) -> tuple[bytes, str]:
    lines = [each.command() for each in annotated(recordings)]
    return "".join(f"{line}\n" for line in lines).encode(), f"{len(lines)} annotations"


# Each returns the bytes to be written, and a description of them.
_RENDERERS: dict[str, Callable[[Sequence[Recording], Sequence[Path]], tuple[bytes, str]]] = {
    "html": _html,
    "junit": _junit,
    "badge": _badge,
    "annotations": _annotations,
}


def _write(data: bytes, description: str, file: Path) -> None:
    if str(file) == "-":
        sys.stdout.buffer.write(data)
        return
    write_file(file, data)
    say(f"wrote {file}: {description}")
