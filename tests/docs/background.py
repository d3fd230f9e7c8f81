"""Runs a server as a child process, for the documentation tests."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Self

SECONDS = 60

_URL = re.compile(r" at http://(\S+)$", re.MULTILINE)
_LAST_LINE = "Ctrl-C stops it."


class Background:
    """A running server: its ``address`` (host and port), and the ``banner`` that it printed."""

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
        """Stop the server with SIGTERM; returns its exit code."""
        self._process.terminate()
        self._process.communicate(timeout=SECONDS)
        return self._process.returncode

    def _read_banner(self) -> str:
        """Read stdout up to the banner's last line, or to its end; kill a process that hangs."""
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
