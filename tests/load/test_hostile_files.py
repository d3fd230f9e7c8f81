"""A thousand hostile scenario files: each is read, or refused with its place, within limits."""

import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue
from tests.load.hostile import Hostile, hostile

PATIENCE = 120.0
MEMORY = 1 << 30

# Kinds of files that take as long to read as all others together; only lint reads them.
LONG = ("alias-bomb", "many")


@pytest.fixture(scope="module")
def files() -> dict[str, Hostile]:
    return {f"openresponses/{each.kind}-{n}": each for n, each in enumerate(hostile())}


def written(files: dict[str, Hostile], root: Path) -> Path:
    """The folder, with the files written into it."""
    (root / "openresponses").mkdir()
    for id_, each in files.items():
        (root / f"{id_}.yaml").write_bytes(each.data)
    return root


def test_a_thousand_files_are_the_same_in_each_run(files: dict[str, Hostile]) -> None:
    assert len(files) == 1000
    assert list(hostile()) == [*files.values()]


def test_the_catalogue_reports_the_problems_of_each_file_with_their_places(
    tmp_path: Path, files: dict[str, Hostile], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    short = {id_: each for id_, each in files.items() if each.kind not in LONG}
    entries = {entry.id: entry for entry in Catalogue([written(short, tmp_path)]).entries()}
    assert entries.keys() == short.keys()
    for id_, entry in entries.items():
        assert (entry.scenario is None) == (entry.broken is not None), id_
        assert entry.broken or not files[id_].refused, id_
        for problem in entry.broken.problems if entry.broken else ():
            assert problem.place, id_
            assert problem.place.file.endswith(f"{id_}.yaml")
            assert problem.place.line >= 1
            assert len(str(problem)) < 3000, id_


def test_lint_reports_bad_files_and_exits_with_4(tmp_path: Path, files: dict[str, Hostile]) -> None:
    command = [sys.executable, "-m", "streamproof", "lint", str(written(files, tmp_path))]
    ran = subprocess.run(
        command, capture_output=True, timeout=PATIENCE, check=False, preexec_fn=_in_bounds()
    )
    printed = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (4, b"")
    assert "Traceback" not in printed
    assert max(map(len, printed.splitlines())) < 3000
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
