"""The Node projects of these tests: installs what a lockfile names, if npm is available."""

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE / "node"

_SECONDS = 120
_COMMAND = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def needs_node() -> None:
    """Skip the calling test if Node or npm is missing."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not on the path: {' and '.join(missing)} (Node 20 or newer brings both)")


def install(project: Path) -> None:
    """Install the packages of a project's lockfile into ``node_modules``, unless they are there."""
    lockfile = project / "package-lock.json"
    installed = project / "node_modules" / ".installed-from"
    with lockfile.open("rb") as lock:
        # pytest-xdist's workers share the folder.
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = lock.read()
        if not installed.is_file() or installed.read_bytes() != wanted:
            _npm_ci(project)
            installed.write_bytes(wanted)


def _npm_ci(project: Path) -> None:
    command = " ".join(_COMMAND)
    try:
        done = subprocess.run(
            _COMMAND,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        out = (late.stdout or b"").decode("utf-8", "replace")
        pytest.fail(f"{command} took more than {_SECONDS} s in {project}:\n{out}", pytrace=False)
    if done.returncode != 0:
        out = done.stdout.decode("utf-8", "replace")
        pytest.fail(f"{command} failed in {project}:\n{out}", pytrace=False)
