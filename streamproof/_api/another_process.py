"""Starts ``streamproof serve`` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from streamproof._api.faults import Problem, UserError

_START_SECONDS = 30.0
_STOP_SECONDS = 5.0
_POLL_SECONDS = 0.02


def started(folders: Sequence[Path]) -> tuple[str, Callable[[], None]]:
    """The URL of a new server, and a function that stops it. Raises UserError if it ends.

    It holds a pipe of this process, and so ends with it, however that happens.
    """
    kept = tempfile.TemporaryDirectory(prefix="streamproof-")
    ready = Path(kept.name, "url")
    own = [word for folder in folders for word in ("--scenarios", str(folder))]
    command = [sys.executable, "-m", "streamproof", "serve", "--port", "0", "--until-stdin-ends"]
    with Path(kept.name, "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 (no shell, and our own interpreter)
            [*command, "--ready-file", str(ready), *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )

    def stop() -> None:
        process.terminate()
        try:
            process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        kept.cleanup()

    try:
        return _url(process, ready), stop
    except BaseException:
        stop()
        raise


def _url(process: subprocess.Popen[bytes], ready: Path) -> str:
    until = time.monotonic() + _START_SECONDS
    while not ready.exists():
        if process.poll() is not None:
            told = ready.with_name("log").read_text("utf-8", "replace")
            raise UserError(Problem("the mock server did not start", hint=told.strip()[-2000:]))
        if time.monotonic() > until:
            raise UserError(f"the mock server did not start within {_START_SECONDS:g} seconds")
        time.sleep(_POLL_SECONDS)
    return ready.read_text("utf-8").strip()
