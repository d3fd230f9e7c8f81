"""Runs Python commands in forks of a process that has done most imports already.

Importing pytest and reading the catalogue takes longer than most commands. A fork server does both
once, and each command is a fork of it, with its own arguments, environment, folder and streams.
"""

import builtins
import io
import multiprocessing
import os
import runpy
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from multiprocessing import reduction
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NoReturn

PRELOADED = "tests.suite.preloaded"

# A start looks for the exit codes of all processes, and an exit code can be read only once.
_ONE_AT_A_TIME = threading.Lock()


def takes(arguments: Sequence[str]) -> bool:
    """Whether ``run`` supports this system and these arguments, which begin with -m or -c."""
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    return forks and arguments[0] in ("-m", "-c")


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float
) -> tuple[int, str]:
    """Run ``python ARGUMENTS`` in a fork; returns its exit code and its output."""
    with Path(os.devnull).open("rb") as none, TemporaryFile() as out:
        streams = none.fileno(), out.fileno(), out.fileno()
        process = start(arguments, cwd, env, streams)
        in_time = bool(wait([process.sentinel], seconds))
        if not in_time:
            process.kill()
        code = end(process)
        if not in_time:
            raise TimeoutError(f"python {' '.join(arguments)} took more than {seconds:.0f} s")
        out.seek(0)
        return code, out.read().decode("utf-8")


def start(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Sequence[int]
) -> BaseProcess:
    """Start ``python ARGUMENTS`` in a fork; ``streams`` are its stdin, stdout and stderr."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    passed = [_Passed(fd) for fd in streams]
    process = context.Process(target=_begin, args=(list(arguments), str(cwd), dict(env), passed))
    with _ONE_AT_A_TIME:
        process.start()
    return process


def end(process: BaseProcess) -> int:
    """Wait until a fork ends; returns its exit code."""
    wait([process.sentinel])
    with _ONE_AT_A_TIME:
        process.join()
    assert process.exitcode is not None
    return process.exitcode


class _Passed:
    """A file descriptor of this process, which the fork gets as one of its own."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (reduction.DupFd(self._fd),)


def _received(passed: Any) -> int:
    fd: int = passed.detach()
    return fd


def _begin(arguments: list[str], cwd: str, env: dict[str, str], streams: list[int]) -> NoReturn:
    """Run ``python ARGUMENTS`` in this process, which is the fork, and exit."""
    for fd, stream in enumerate(streams):
        os.dup2(stream, fd)
        os.close(stream)
    sys.stdin, sys.stdout = (_text(0, "rb"), _text(1, "wb"))
    sys.stderr = _text(2, "wb", "backslashreplace")
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    paths = env.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [*filter(None, paths), *(path for path in sys.path if path not in paths)]
    _run(*arguments)
    sys.exit(0)


def _text(fd: int, mode: str, errors: str = "surrogateescape") -> io.TextIOWrapper:
    binary = os.fdopen(fd, mode, closefd=False)
    return io.TextIOWrapper(binary, "utf-8", errors, line_buffering=fd == 2)


def _run(how: str, what: str, *arguments: str) -> None:
    if how == "-m":
        spec = find_spec(what)
        assert spec
        sys.path.insert(0, str(Path.cwd()))
        sys.argv = [str(spec.origin), *arguments]
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert how == "-c", how
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments]
        names = {"__name__": "__main__", "__builtins__": builtins}
        exec(compile(what, "<string>", "exec"), names)
