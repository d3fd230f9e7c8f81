"""``streamproof run``: the conformance suite under the kit's own pytest configuration."""

from __future__ import annotations

import argparse
import os
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TextIO, cast

import click
import pytest

import conformance
from conformance.suite.plugin import pytest_addoption
from conformance.suite.progress import Progress
from mockserver.foundation.faults import Problem, UserError
from mockserver.foundation.visible import say

_ABOUT = "Plays the catalogue to adapters, by default to the reference adapters, and judges them."
_ALSO = (
    "All options of pytest hold as well, such as -k WORDS, -x, -q, -n auto and --junitxml FILE: "
    "see pytest --help. 'pytest --pyargs conformance' is the same suite under your own settings."
)
# Options without a value, so that a word after them is not theirs.
_FLAG = re.compile(r"-[qvxs]+|--should|--write-known-failures")


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Run the suite; takes pytest's options and those of `pytest conformance`."""
    if {"-h", "--help"} & {*arguments}:
        say(_help())
        return
    _check_words(arguments)
    suite = Path(conformance.__file__).parent
    # The suite is named by its path and the plugin is loaded with -p: otherwise pytest would look
    # for a conftest.py in the current folder, and beside every file that an option names.
    own = ["-c", suite / "pytest.ini", "--rootdir", suite.parent, suite]
    plugins = ["-p", "conformance.suite.plugin", "-p", "no:cacheprovider"]
    command = [*map(str, own), *plugins, *arguments]
    out = _uncaptured()
    sys.exit(int(pytest.main(command, plugins=[Progress(out, out.isatty())])))


def _check_words(arguments: tuple[str, ...]) -> None:
    """Raise UserError for a word that pytest would take for a file of tests."""
    for before, word in pairwise(("", *arguments)):
        is_value = before.startswith("-") and "=" not in before and not _FLAG.fullmatch(before)
        if word.startswith("-") or is_value:
            continue
        if word.endswith((".yaml", ".yml")):
            hint = f"--adapter {word} tests an adapter, --scenarios FOLDER adds scenarios"
            raise UserError(Problem(f"{word:.80} is no option", hint=hint))
        if not Path(word.partition("::")[0]).exists():
            hint = (
                "-k WORDS plays the cases with these words in their ids; "
                "'streamproof show ID --adapter FILE' plays one and shows it"
            )
            raise UserError(Problem(f"{word:.80} is neither an option nor a file", hint=hint))


def _help() -> str:
    """The suite's own options; pytest prints its own."""
    parser = argparse.ArgumentParser("streamproof run", add_help=False, description=_ABOUT)
    options = parser.add_argument_group("options of the suite")
    pytest_addoption(cast("pytest.Parser", _Options(options)))
    parser.epilog = _ALSO
    return parser.format_help().rstrip()


class _Options:
    """What the suite's plugin adds its options to, in place of pytest's parser."""

    def __init__(self, group: argparse._ArgumentGroup) -> None:
        self.addoption = group.add_argument

    def getgroup(self, *_name: str) -> _Options:
        return self


def _uncaptured() -> TextIO:
    """A copy of stderr that pytest does not capture."""
    try:
        return os.fdopen(os.dup(sys.stderr.fileno()), "w")
    except (OSError, ValueError):
        return sys.stderr
