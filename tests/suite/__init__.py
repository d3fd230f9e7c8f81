"""Helpers for tests of the suite: run it in processes, and write small adapters for it."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

from tests.suite import fork_server

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0

# These plugins double the time that a process takes, and do nothing here. A forked process has
# imported the kit before pytest could rewrite its assertions, of which it has none.
_FAST = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:unraisableexception")
FORKED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
PYTEST = ("-m", "pytest", "conformance", "-p", "no:cacheprovider", *_FAST, *FORKED)
# The plugins of a forked process, which pytest need not look for among all installed packages.
PLUGINS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "xdist.plugin,streamproof.entry",
}
# The suite with a few scenarios in place of the catalogue
FEW = (*PYTEST, "-p", "tests.suite.few_scenarios")
STREAMPROOF = ("-m", "streamproof")

TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a process: its exit code, and both of its outputs as one text."""

    code: int
    text: str

    @property
    def failures(self) -> str:
        """What pytest prints under FAILURES, up to its short summary."""
        return self.text.partition("= FAILURES =")[2].partition("short test summary info")[0]


Outputs = dict[str, Ran]
"""The results of several processes, each under a name."""


def environment() -> dict[str, str]:
    """Environment variables for a process that imports this project.

    The width and the colours of the terminal are not inherited.
    """
    inherited = {key: value for key, value in os.environ.items() if key not in _PRESENTATION}
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**inherited, "PYTHONPATH": path, "PYTHONUTF8": "1"}


def run_all(
    commands: Mapping[str, Sequence[str | Path]],
    cwd: Path = ROOT,
    *,
    fresh: bool = False,
    **env: str,
) -> Outputs:
    """Run Python with each of these argument lists, in parallel.

    A ``fresh`` process has imported nothing before.
    """
    surroundings = {**environment(), **env}

    def ran(arguments: Sequence[str | Path]) -> Ran:
        words = [*map(str, arguments)]
        if fork_server.takes(words) and not fresh:
            return Ran(*fork_server.run(words, cwd, surroundings | PLUGINS, PATIENCE))
        return Ran(*_started(words, cwd, surroundings, PATIENCE))

    with ThreadPoolExecutor(os.cpu_count()) as several:
        return dict(zip(commands, several.map(ran, commands.values()), strict=True))


def _started(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], seconds: float
) -> tuple[int, str]:
    """Run ``python ARGUMENTS`` in a new process; returns its exit code and its output."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=seconds,
    )
    return done.returncode, done.stdout


_PRESENTATION = {
    "COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "PY_COLORS", "PYTEST_ADDOPTS", "TTY_COMPATIBLE",
}  # fmt: skip


def run(*arguments: str | Path, cwd: Path = ROOT, **env: str) -> Ran:
    """Run Python with these arguments."""
    return run_all({"": arguments}, cwd, fresh=False, **env)[""]


_SPOILT = """
from conformance.dialects.openresponses.reference.vscode import gateway

class Adapter:
    def __init__(self):
        self.inner = gateway()

    def hello(self):
        return self.inner.hello()

    async def run(self, run, emit, cancel):
{body}
"""

# The body of a run() that lets each part through this function, which may emit what it likes.
_THROUGH = """
def through(part):
{body}
return await self.inner.run(run, through, cancel)
"""

_DESCRIPTION = """
name: {name}
drive: {{python: "{name}_adapter:Adapter"}}
dialects: [openresponses]
vocabulary: vscode
traits: {{call_id_prefix: gw-}}
{more}
"""


def adapter(folder: Path, name: str, body: str, more: str = "") -> Path:
    """Write an adapter whose ``run`` has this body, which may call the correct ``self.inner``.

    Returns the path of its yaml file.
    """
    source = _SPOILT.format(body=indent(dedent(body), " " * 8))
    return described(folder, name, source, more)


def spoilt(folder: Path, name: str, each_part: str, more: str = "") -> Path:
    """Write a correct adapter that executes ``each_part`` in place of emitting each ``part``."""
    return adapter(folder, name, _THROUGH.format(body=indent(dedent(each_part), " " * 4)), more)


def described(folder: Path, name: str, source: str, more: str = "") -> Path:
    """Write an adapter's module and its yaml file; returns the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}_adapter.py").write_text(source, "utf-8")
    path = folder / f"{name}.yaml"
    path.write_text(_DESCRIPTION.format(name=name, more=more), "utf-8")
    return path


# A call is emitted twice, in every case that has one.
DOUBLING = """
emit(part)
if part["type"] == "toolCall":
    emit(part)
"""

# One call only, of one scenario, is emitted twice.
DOUBLING_ONE = """
emit(part)
if part.get("name") == "only_here":
    emit(part)
"""
DOUBLED_CASE = "own/doubled@openresponses"

_OWN = {
    "own/doubled": """
title: A call that only one adapter doubles
source: [the tests of the suite]
turns:
  - says:
      - call: {id: call_only, name: only_here, input: {n: 1}}
""",
    "own/greeting": """
title: A greeting
source: [the tests of the suite]
turns:
  - says: [{text: "Hello there", in: 2}]
""",
}


def own_scenarios(folder: Path) -> Path:
    """Write two scenarios to a folder, the doubled case and a greeting; returns the folder."""
    for id_, text in _OWN.items():
        scenario(folder, id_, text)
    return folder


# Everything right, but all of it at the end.
LATE = """
parts = []
end = await self.inner.run(run, parts.append, cancel)
for part in parts:
    emit(part)
return end
"""


def scenario(folder: Path, id_: str, text: str) -> Path:
    """Write a scenario file below ``folder``."""
    path = folder / f"{id_}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), "utf-8")
    return path
