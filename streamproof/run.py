"""``streamproof run``: the conformance suite under the kit's own pytest configuration."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

import click
import pytest

import conformance
from conformance.suite.progress import Progress


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Run the suite; takes pytest's options and those of `pytest conformance`."""
    suite = Path(conformance.__file__).parent
    # The suite is named by its path and the plugin is loaded with -p: otherwise pytest would look
    # for a conftest.py in the current folder, and beside every file that an option names.
    own = [
        "-c",
        suite / "pytest.ini",
        "--rootdir",
        suite.parent,
        "-p",
        "conformance.suite.plugin",
        suite,
    ]
    command = [*map(str, own), "-p", "no:cacheprovider", *arguments]
    out = _uncaptured()
    sys.exit(int(pytest.main(command, plugins=[Progress(out, out.isatty())])))


def _uncaptured() -> TextIO:
    """A copy of stderr that pytest does not capture."""
    try:
        return os.fdopen(os.dup(sys.stderr.fileno()), "w")
    except (OSError, ValueError):
        return sys.stderr
