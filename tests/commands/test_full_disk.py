"""A file that cannot be written whole is not written: what was there before stays as it was."""

import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from mockserver.foundation.atomic_files import write_file
from tests.commands import call
from tests.suite import (
    DOUBLING,
    DOUBLING_ONE,
    FEW,
    ROOT,
    STREAMPROOF,
    TRACEBACK,
    own_scenarios,
    run,
    spoilt,
)
from tests.suite.recordings import footer, header, result, written

BEFORE = "- what was there before\n"
TOO_LARGE = "File too large"
NO_SPACE = "No space left on device"


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Within it, this process can write no more than this number of bytes to a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        # A module that is imported now would be cut off in its cache, and stay so.
        with patch.object(sys, "dont_write_bytecode", True):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """A file system of 64 KiB at the folder; skips the test where it cannot be mounted."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (path := tmp_path / "results.jsonl").write_bytes(written(header(), result(), footer()))
    return path


@pytest.mark.parametrize("option", ["--html", "--junit", "--badge"])
def test_a_report_that_does_not_fit_leaves_the_one_before(
    tmp_path: Path, results: Path, option: str
) -> None:
    (out := tmp_path / "reports").mkdir()
    (file := out / "report").write_text(BEFORE)
    with no_file_longer_than(30):
        called = call("report", results, option, file)
    assert (called.code, called.out) == (4, "")
    assert called.err == f"the command is at fault:\n{file} cannot be written: {TOO_LARGE}\n"
    assert [(each, each.read_text()) for each in out.iterdir()] == [(file, BEFORE)]


def test_an_output_that_cannot_be_written_is_said_in_one_line() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is full")
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, *STREAMPROOF, "show", "any/refusal"]
        ran = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (ran.returncode, ran.stderr) == (4, f"the output cannot be written: {NO_SPACE}\n")


COMMANDS = {
    "a scenario": ["new", "mine/any/bug.yaml"],
    "an adapter": ["adapter", "new", "--lang", "node", "mine"],
    "a reproduction": ["repro", "own/doubled@openresponses", "--out", "mine"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_does_not_fit_is_not_begun(tmp_path: Path, name: str) -> None:
    more: list[str | Path] = []
    if name == "a reproduction":
        adapter = spoilt(tmp_path / "adapters", "full_disk", DOUBLING)
        more = ["--adapter", adapter, "--scenarios", own_scenarios(tmp_path / "scenarios")]
    (empty := tmp_path / "empty").mkdir()
    with no_file_longer_than(100):
        called = call(*COMMANDS[name], *more, cwd=empty)
    assert called.code == 4, called.err
    assert "mine" in called.err
    assert called.err.endswith(f" cannot be written: {TOO_LARGE}\n")
    assert not [each for each in empty.rglob("*") if each.is_file()]


def test_a_list_of_known_failures_survives_a_full_disk(tmp_path: Path) -> None:
    suite: list[str | Path] = [*FEW, "--scenarios", own_scenarios(tmp_path / "scenarios")]
    (disk := tmp_path / "disk").mkdir()
    with full_disk(disk):
        (listed := disk / "known.yaml").write_text("[]\n" + "#" * 4000 + "\n")
        before = listed.read_bytes()
        adapter = spoilt(tmp_path, "on_full_disk", DOUBLING_ONE, "known_failures: disk/known.yaml")
        _fill(disk / "filler")
        there = sorted(disk.iterdir())
        ran = run(*suite, "--adapter", adapter, "--write-known-failures")
        assert ran.code == 4, ran.text
        assert f"{listed} cannot be written: {NO_SPACE}" in ran.text
        assert TRACEBACK not in ran.text
        assert listed.read_bytes() == before
        assert sorted(disk.iterdir()) == there


def test_results_that_do_not_fit_are_said_to_be_incomplete(tmp_path: Path) -> None:
    suite: list[str | Path] = [*FEW, "--scenarios", own_scenarios(tmp_path / "scenarios")]
    (disk := tmp_path / "disk").mkdir()
    with full_disk(disk):
        results = disk / "results.jsonl"
        _fill(disk / "filler", leave=4096)
        ran = run(*suite, "--results", results)
        assert ran.code == 4, ran.text
        assert f"{results}: {NO_SPACE}; the results are incomplete" in ran.text
        assert TRACEBACK not in ran.text
        report = call("report", results, "--html", tmp_path / "page.html")
    assert report.code == 4
    assert report.err == f"{results} is incomplete: its run did not come to its end\n"


def _fill(filler: Path, leave: int = 0) -> None:
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    if leave:
        os.truncate(filler, filler.stat().st_size - leave)


def test_a_file_keeps_its_mode_and_the_link_that_leads_to_it(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_text(BEFORE)
    file.chmod(0o640)
    (link := tmp_path / "link").symlink_to(file)
    write_file(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_of_every_new_file(tmp_path: Path) -> None:
    (usual := tmp_path / "usual").write_bytes(b"")
    write_file(tmp_path / "whole", b"")
    assert (tmp_path / "whole").stat().st_mode == usual.stat().st_mode


def test_what_is_no_regular_file_is_written_to() -> None:
    write_file(Path(os.devnull), b"x")
    assert Path(os.devnull).is_char_device()
