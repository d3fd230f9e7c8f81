"""``streamproof run``: the conformance suite under the kit's own pytest configuration."""

from __future__ import annotations

import sys
from importlib.resources import as_file, files

import click
import pytest


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Run the suite; takes pytest's options and those of `pytest conformance`."""
    with as_file(files("conformance") / "pytest.ini") as configuration:
        own = ["-c", str(configuration), "--rootdir", ".", "-p", "no:cacheprovider"]
        sys.exit(int(pytest.main([*own, "--pyargs", "conformance", *arguments])))
