"""Runs the commands of a page in a copy of the project.

The commands ``python``, ``pytest`` and ``streamproof`` are those of the interpreter that runs the
tests. Pages show the default address of a server, and one for a gateway; here they get free ports.
So the shown addresses are replaced by the real ones in commands, and the other way in output.
"""

import os
import random
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.commands import streamproof
from tests.commands.forked import write_forked_commands
from tests.docs.background import SECONDS, Background
from tests.docs.pages import ROOT, Block
from tests.suite import FEW, PYTEST, run

# Of a server, and of a gateway.
_SHOWN_PORTS = ("4100", "4180")
_PORT = r"(127\.0\.0\.1:|\bPORT=){port}\b"
# Below the ephemeral range: a client may get a free port there as its own.
_FREE = range(20_000, 32_000)

_COMMANDS = {"python": "", "pytest": " -m pytest", "streamproof": " -m streamproof"}
# The suite of this tree, from any folder
_SUITE = tuple(str(ROOT / word) if word == "conformance" else word for word in PYTEST)
_FEW = FEW[len(PYTEST) :]
_COLUMNS = "100"
# In place of the time and the size of a file
_FOLDER = (0, 0)
_LEFT_BEHIND = shutil.ignore_patterns(
    ".*", "__pycache__", "node_modules", "build", "dist", "*.egg-info"
)


def copied(place: Path) -> Path:
    """Copy the project, with the files that a fresh clone has."""
    return shutil.copytree(ROOT, place, ignore=_LEFT_BEHIND)


def write_commands(folder: Path) -> Path:
    """Create the commands in a new folder, and return it."""
    folder.mkdir()
    for name, module in _COMMANDS.items():
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        command.chmod(0o755)
    return folder


def _free_port() -> int:
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port := random.choice(_FREE)))
            return port


class Copy:
    """A copy of the project in ``home`` and its commands in ``bin``, for one page after another."""

    def __init__(self, place: Path) -> None:
        self.home = copied(place / "streamproof")
        self.bin = write_commands(place / "bin")
        write_forked_commands(self.bin)
        self._stamps = _stamps(self.home)

    def restore(self) -> None:
        """Make it equal to a new copy: without what a page wrote, and with what it changed."""
        now = _stamps(self.home)
        written = sorted(now.keys() - self._stamps.keys(), reverse=True)
        for path in written:  # the files of a folder before the folder
            path.rmdir() if now[path] == _FOLDER else path.unlink()
        for path, stamp in self._stamps.items():  # a folder before its files
            if stamp == _FOLDER:
                path.mkdir(exist_ok=True)
            elif now.get(path) != stamp:
                shutil.copy2(ROOT / path.relative_to(self.home), path)


def _stamps(home: Path) -> dict[Path, tuple[int, int]]:
    found = {}
    for path in home.rglob("*"):
        status = path.lstat()
        is_folder = stat.S_ISDIR(status.st_mode)
        found[path] = _FOLDER if is_folder else (status.st_mtime_ns, status.st_size)
    return found


@dataclass
class Stage:
    """Where a page is played: ``home`` and ``bin`` of a copy of the project, and what runs.

    That is a ``server``, and the ``gateway`` of a page; ``ports`` has the real port for each shown.
    """

    home: Path
    bin: Path
    server: Background | None = None
    gateway: subprocess.Popen[bytes] | None = None
    ports: dict[str, str] = field(
        default_factory=lambda: {shown: str(_free_port()) for shown in _SHOWN_PORTS}
    )

    def run(self, *command: str) -> tuple[int, str]:
        """Run a command; returns its exit code and its output, with the address that pages show."""
        done = subprocess.run(
            [self._real(word) for word in command],
            cwd=self.home,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return done.returncode, self._shown(done.stdout)

    def call(self, *arguments: str) -> tuple[int, str]:
        """Call ``streamproof ARGUMENTS`` in this process; returns its exit code and its output."""
        words = [self._real(word) for word in arguments]
        ran = streamproof({"": words}, self.home, COLUMNS=_COLUMNS)[""]
        return ran.code, self._shown(ran.text)

    def suite(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output of ``pytest conformance ARGUMENTS``, in a forked process.

        It plays the suite of this tree: the modules of the copy could not be preloaded. Where the
        page selects no cases, it plays a few of every kind.
        """
        few = () if "-k" in arguments else _FEW
        return self.forked(*_SUITE, *few, *arguments)

    def forked(self, *arguments: str) -> tuple[int, str]:
        """The exit code and the output of ``python ARGUMENTS``, in a forked process."""
        words = [self._real(word) for word in arguments]
        ran = run(*words, cwd=self.home, COLUMNS=_COLUMNS)
        return ran.code, self._shown(ran.text)

    def serve(self, command: str) -> str:
        """Start a server, after stopping the running one; returns its banner."""
        self.close()
        words = ["sh", "-c", f"exec {command} --port {self.ports['4100']}"]
        self.server = Background(words, self.home, self._environment())
        return self._shown(self.server.banner)

    def begin(self, command: str) -> None:
        """Start a gateway, which stays, and wait until it listens."""
        words = ["sh", "-c", f"export {self._real(command).replace(' python', '; exec python', 1)}"]
        self.gateway = subprocess.Popen(words, cwd=self.home, env=self._environment())
        until = time.monotonic() + SECONDS
        while not _listens(int(self.ports["4180"])):
            assert time.monotonic() < until, f"it does not listen: {command}"
            time.sleep(0.02)

    def close(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None

    def end(self) -> None:
        self.close()
        if self.gateway is not None:
            self.gateway.kill()
            self.gateway.wait()

    def write(self, block: Block, otherwise: str = "") -> Path:
        """Write a block to its file; a block with a file of the project must be equal to that."""
        path = self.home / (block.file or otherwise)
        if ROOT.joinpath(block.file).is_file():
            assert path.read_text("utf-8") == block.content, f"{block.place} is not {block.file}"
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._real(block.text), "utf-8")
        return path

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return {**kept, "PATH": path, "PYTHONPATH": str(self.home), "COLUMNS": _COLUMNS}

    def _real(self, text: str) -> str:
        for shown, real in self.ports.items():
            text = re.sub(_PORT.format(port=shown), rf"\g<1>{real}", text)
        return text

    def _shown(self, text: str) -> str:
        for shown, real in self.ports.items():
            text = re.sub(_PORT.format(port=real), rf"\g<1>{shown}", text)
        return text


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
