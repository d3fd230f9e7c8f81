"""Verdicts are the same alone and beside other runs on a machine that has too much to do."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.findings.words import message_of
from conformance.report.recorded import read_results
from tests.suite import ROOT, environment

BUSY_LOOPS = 8
RUNS_AT_ONCE = 3
PATIENCE = 900.0

# Claims; checkpoints, where text has to come at once; cancellations; streams that never end, are
# cut or fail; a few that have nothing to do with time.
TELLING = (
    *("claims", "cancel", "text-between-calls", "arguments-parse-before-they-end", "stall"),
    *("stream-ends-without", "connection-reset", "fails-at-once", "refusal", "sixty-four-calls"),
)
ADAPTERS: Mapping[str, tuple[str, ...]] = {
    "reference": (),
    "first-adapter": ("docs/first-adapter/adapter.yaml",),
    **{
        name: (f"adapters/{name}/adapter.yaml",)
        for name in ("litellm", "langchain-openai", "openai-agents", "copilot-chat-lib")
    },
}

# The status of each case, and the rules and messages of its findings. Not how the run ended: a
# cancelled one may as well be completed.
Verdicts = dict[str, tuple[str, tuple[str, ...]]]


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that compute and do nothing else."""
    loops = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def verdicts(adapter: tuple[str, ...], select: str, results: Path) -> Verdicts:
    """The verdicts of a run of the suite, as its results file has them."""
    argv = [sys.executable, "-m", "pytest", "conformance", "-q", "-p", "no:cacheprovider"]
    argv += ["--start-deadline", "120000", "--results", str(results), "-k", select]
    for path in adapter:
        argv += ["--adapter", path]
    done = subprocess.run(
        argv, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = list(read_results(results).results.values())
    return {
        f"{each.adapter} {each.case}": (
            each.status,
            tuple(f"{finding.rule}: {message_of(finding)}" for finding in each.findings),
        )
        for each in found
    }


def is_installed(adapter: tuple[str, ...]) -> bool:
    """Whether the packages of a binding are installed, which others do not need."""
    folders = [ROOT / Path(path).parent for path in adapter if path.startswith("adapters/")]
    return all((f / ".venv").exists() or (f / "node_modules").exists() for f in folders)


@pytest.mark.long
@pytest.mark.parametrize("name", ADAPTERS)
def test_verdicts_do_not_depend_on_the_load(name: str, tmp_path: Path) -> None:
    adapter = ADAPTERS[name]
    if not is_installed(adapter):
        pytest.skip(f"python adapters/install.py {name}")
    select = os.environ.get("LOAD_SELECT", " or ".join(TELLING))
    alone = verdicts(adapter, select, tmp_path / "alone.jsonl")
    assert alone
    with busy_loops(BUSY_LOOPS), ThreadPoolExecutor(RUNS_AT_ONCE) as pool:
        crowded = list(
            pool.map(
                lambda n: verdicts(adapter, select, tmp_path / f"beside-{n}.jsonl"),
                range(RUNS_AT_ONCE),
            )
        )
    for beside in crowded:
        differing = {
            case: (alone[case], beside.get(case))
            for case in alone
            if beside.get(case) != alone[case]
        }
        assert differing == {}
