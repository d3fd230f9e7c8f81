"""A server as a child process, there from the line that ends its banner until it is stopped."""

from __future__ import annotations

import re
import subprocess
from threading import Timer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SECONDS = 60

_URL = re.compile(r" at http://(\S+)$", re.MULTILINE)
_LAST_LINE = "Ctrl-C stops it."


class Background:
    """A command that serves; ``address`` is where, ``banner`` what it printed."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.banner = self._read_banner()
        found = _URL.search(self.banner)
        assert found, f"it does not serve:\n{self.banner}"
        self.address = found[1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """End it as Ctrl-C does; returns its exit code."""
        self._process.terminate()
        self._process.communicate(timeout=SECONDS)
        return self._process.returncode

    def _read_banner(self) -> str:
        """Up to its last line, or all there is of a process that ends or takes too long."""
        assert self._process.stdout is not None
        patience = Timer(SECONDS, self._process.kill)
        patience.start()
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.strip() == _LAST_LINE:
                break
        patience.cancel()
        return "".join(lines)
