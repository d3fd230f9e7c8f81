"""The command prints the tables and writes the survivors; unknown files are told at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.mutant import ROOT


def command(*options: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "benchmarks/mutants.py", *options]
    return subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=600)


def test_a_file_that_is_not_spoilt_is_an_error() -> None:
    done = command("--only", "mockserver/")
    assert done.returncode == 1
    assert "no file that is spoilt has 'mockserver/' in its path" in done.stderr


@pytest.mark.long
def test_a_few_mutants_of_a_file_are_judged(tmp_path: Path) -> None:
    place = tmp_path / "survivors.diff"
    done = command("--only", "client/machine.py", "--mutants", "4", "--survivors", str(place))
    assert "| client/machine.py | 4 |" in done.stdout, done.stderr
    assert "seed 1: killed" in done.stdout
    assert place.exists()
