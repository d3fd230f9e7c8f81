"""The command line as its users see it: exit codes, and both outputs as one text.

Commands are called in the process of the tests, since it is the start of a process that takes time.
``test_run.py`` starts some as processes: the exit codes of the two are the same.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from streamproof.__main__ import main
from tests.suite import Ran, environment


def streamproof(commands: Mapping[str, Sequence[str | Path]], cwd: Path) -> dict[str, Ran]:
    """Call commands in this folder, one after the other."""
    with chdir(cwd), patch.dict(os.environ, environment(), clear=True), _as_alone():
        return {name: _called(list(map(str, command))) for name, command in commands.items()}


def _called(arguments: list[str]) -> Ran:
    """Call ``streamproof`` with these arguments."""
    text, code = io.StringIO(), None
    with patch.object(sys, "argv", ["streamproof", *arguments]):
        with redirect_stdout(text), redirect_stderr(text):
            try:
                main()
            except SystemExit as end:
                code = end.code
    assert code is None or isinstance(code, int), code
    return Ran(code or 0, text.getvalue())


@contextmanager
def _as_alone() -> Iterator[None]:
    """Nothing that commands import, log to or put on the path is left to other tests."""
    root, path, modules = logging.getLogger(), list(sys.path), set(sys.modules)
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = []
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        sys.path[:] = path
        for name in _modules_of(set(sys.modules) - modules):
            del sys.modules[name]


def _modules_of(names: set[str]) -> list[str]:
    """Modules of adapters: whatever was imported from neither an installation nor this tree."""
    ours = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[2]))
    files = {name: getattr(sys.modules[name], "__file__", None) for name in names}
    return [name for name, file in files.items() if file and not file.startswith(ours)]
