"""Virtual environments outside the tree, and commands in them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SECONDS = 300

_NOT_PASSED_ON = ("PYTHON", "PYTEST", "COV_", "VIRTUAL_ENV", "COLUMNS")


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command: its exit code and both outputs."""

    code: int
    out: str


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment."""

    home: Path

    @classmethod
    def created(cls, home: Path) -> Environment:
        run([sys.executable, "-m", "venv", str(home)], home.parent)
        return cls(home)

    @property
    def packages(self) -> Path:
        (found,) = self.home.glob("lib/python*/site-packages")
        return found

    def program(self, name: str) -> str:
        return str(self.home / "bin" / name)

    def run(self, *words: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
        return run([self.program(words[0]), *words[1:]], cwd, env)

    def install(self, *what: str) -> None:
        done = self.run("python", "-m", "pip", "install", "-q", *what, cwd=self.home)
        assert done.code == 0, done.out


def clean(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables without those of these tests."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_PASSED_ON)}
    return {**kept, **(env or {})}


def run(words: list[str], cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    done = subprocess.run(
        words,
        cwd=cwd,
        env=clean(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout)
