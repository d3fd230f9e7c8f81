"""A thousand hostile scenario files: each is read, or refused with its place, within limits."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mockserver.scenario.catalogue import Catalogue
from tests.load.hostile import Hostile, hostile

FILES = list(hostile())
PATIENCE = 120.0
MEMORY = 1 << 30


@pytest.fixture(scope="module")
def files() -> dict[str, Hostile]:
    return {f"openresponses/{each.kind}-{n}": each for n, each in enumerate(FILES)}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, files: dict[str, Hostile]) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    (root / "openresponses").mkdir()
    for id_, each in files.items():
        (root / f"{id_}.yaml").write_bytes(each.data)
    return root


def test_there_are_a_thousand_files_and_they_are_the_same_in_each_run() -> None:
    assert len(FILES) == 1000
    assert list(hostile()) == FILES


def test_the_catalogue_reports_the_problems_of_each_file_with_their_places(
    root: Path, files: dict[str, Hostile], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    entries = {entry.id: entry for entry in Catalogue([root]).entries()}
    assert entries.keys() == files.keys()
    for id_, entry in entries.items():
        assert (entry.scenario is None) == (entry.broken is not None), id_
        assert entry.broken or not files[id_].refused, id_
        for problem in entry.broken.problems if entry.broken else ():
            assert problem.place, id_
            assert problem.place.file.endswith(f"{id_}.yaml")
            assert problem.place.line >= 1
            assert len(str(problem)) < 3000, id_


def test_lint_reports_the_problems_of_each_file_and_exits_with_4(
    root: Path, files: dict[str, Hostile]
) -> None:
    command = [sys.executable, "-m", "streamproof", "lint", str(root)]
    ran = subprocess.run(
        command, capture_output=True, timeout=PATIENCE, check=False, preexec_fn=_in_bounds()
    )
    printed = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (4, b"")
    assert "Traceback" not in printed
    assert printed.splitlines()[-1].startswith("1000 scenarios, ")
    placed = set(
        re.findall(r"^\S*/(openresponses/[a-z0-9-]+)\.yaml:\d+:\d+: ", printed, re.MULTILINE)
    )
    assert placed >= {id_ for id_, each in files.items() if each.refused}


def _in_bounds() -> Callable[[], None] | None:
    """A function that limits a process to a gigabyte of memory; None if that is unsupported."""
    if sys.platform == "win32":
        return None
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
