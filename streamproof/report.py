"""``streamproof report``: results files, rendered for others to read."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.junit import Report, junit
from conformance.recorded import read_results
from mockserver.faults import Problem, UserError

_HELP = """Render results files, as `pytest conformance --results FILE` writes them.

--junit writes JUnit XML for CI servers: a test suite for each adapter, a test case for each case.
Findings that fail a case are its failure, with the timeline; what is not applicable and what is
known to fail are skipped; a scenario that cannot be played is an error.

Several files may be parts of one run (other adapters, other cases). A file without its footer is
incomplete: the report says so, and the exit code is 4. Findings do not change the exit code.
"""


@click.command(help=_HELP)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--junit",
    "junit_file",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write JUnit XML to this file; - is standard output.",
)
def report(results: tuple[Path, ...], junit_file: Path | None) -> None:
    if junit_file is None:
        hint = "streamproof report out.jsonl --junit out.xml"
        raise UserError(Problem("there is nothing to write", hint=hint))
    made = junit([read_results(path) for path in results])
    _write(made, junit_file)
    for message in made.unfinished:
        click.echo(message, err=True)
    if made.unfinished:
        raise click.exceptions.Exit(UserError.exit_code)


def _write(made: Report, file: Path) -> None:
    if str(file) == "-":
        sys.stdout.buffer.write(made.xml)
        return
    try:
        file.write_bytes(made.xml)
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}") from error
    counts = ", ".join(f"{count} {name}" for name, count in made.counts.items())
    click.echo(f"wrote {file}: {counts}")
