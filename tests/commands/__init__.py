"""Calls the command line in the process of the tests.

Starting a process for each call would be slow. ``test_run.py`` starts some as processes and
compares the exit codes.
"""

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from streamproof.__main__ import main
from tests.suite import ROOT, Outputs, Ran, environment


@dataclass(frozen=True, slots=True)
class Called:
    """The result of a call: its exit code and its two outputs."""

    code: int
    out: str
    err: str


def call(*arguments: str | Path, cwd: Path = ROOT, given: bytes = b"") -> Called:
    """Call ``streamproof`` with these arguments and this standard input."""
    out, err = io.StringIO(), io.StringIO()
    with _alone(cwd):
        code = _code(arguments, out, err, given)
    return Called(code, out.getvalue(), err.getvalue())


def streamproof(commands: Mapping[str, Sequence[str | Path]], cwd: Path, **env: str) -> Outputs:
    """Call ``streamproof`` with each of these argument lists, one after the other."""

    def ran(arguments: Sequence[str | Path]) -> Ran:
        text = io.StringIO()
        return Ran(_code(arguments, text, text), text.getvalue())

    with _alone(cwd, **env):
        return {name: ran(arguments) for name, arguments in commands.items()}


class _Stdin(io.BytesIO):
    name = "<stdin>"


def _code(
    arguments: Sequence[str | Path], out: io.StringIO, err: io.StringIO, given: bytes = b""
) -> int:
    """Call the command line's ``main``; returns its exit code."""
    stdin = io.TextIOWrapper(_Stdin(given), "utf-8")
    with (
        patch.object(sys, "argv", ["streamproof", *map(str, arguments)]),
        patch.object(sys, "stdin", stdin),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        main()
    code = end.value.code
    assert isinstance(code, int), code
    return code


@contextmanager
def _alone(cwd: Path, **env: str) -> Iterator[None]:
    """Imitate a new process: working directory, environment and modules are restored at the end."""
    root, path, modules = logging.getLogger(), list(sys.path), set(sys.modules)
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = []
    try:
        with chdir(cwd), patch.dict(os.environ, {**environment(), **env}, clear=True):
            yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        sys.path[:] = path
        for name in _adapter_modules(set(sys.modules) - modules):
            del sys.modules[name]


def _adapter_modules(names: set[str]) -> list[str]:
    """The names of modules that belong to adapters: neither installed nor part of the project."""
    stays = (sys.prefix, sys.base_prefix, *(str(ROOT / package) for package in _PACKAGES))
    files = {name: getattr(sys.modules[name], "__file__", None) for name in names}
    return [name for name, file in files.items() if file and not file.startswith(stays)]


_PACKAGES = ("conformance", "mockserver", "streamproof", "tests")
