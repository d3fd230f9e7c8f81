"""The forked commands of scripts behave as processes do."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands.forked import write_forked_commands
from tests.suite import environment, fork_server

PATIENCE = 60

pytestmark = pytest.mark.skipif(not fork_server.takes(["-m"]), reason="no fork server here")


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder, with its commands on the path."""
    write_forked_commands(folder)
    return subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=environment() | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@contextmanager
def waiting(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A command whose fork waits for longer than a test would."""
    write_forked_commands(folder)
    waits = f"print('waits', flush=True); __import__('threading').Event().wait({PATIENCE})"
    folder.joinpath("conftest.py").write_text(waits, "utf-8")
    command = [str(folder / "pytest"), "-s", "--rootdir", str(folder)]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "waits\n"
        yield client
        client.kill()


def test_its_outputs_and_its_exit_code_are_those_of_the_command(tmp_path: Path) -> None:
    ran = shell(tmp_path, "streamproof show any/no-such-case || echo ended with $?")
    assert ran.stdout == "ended with 4\n"
    assert "any/no-such-case" in ran.stderr


def test_it_is_a_part_of_a_pipe(tmp_path: Path) -> None:
    ran = shell(tmp_path, "streamproof --version | tr a-z A-Z")
    assert ran.stdout.startswith("STREAMPROOF, VERSION ")


def test_it_has_the_folder_and_the_environment_of_the_script(tmp_path: Path) -> None:
    tmp_path.joinpath("mine").mkdir()
    test = "import os\n\ndef test_it():\n    assert os.environ['MINE'] == 'yes'\n"
    tmp_path.joinpath("mine", "test_it.py").write_text(test, "utf-8")
    ran = shell(tmp_path, "export MINE=yes; cd mine && pytest -q")
    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_a_signal_reaches_it(tmp_path: Path) -> None:
    with waiting(tmp_path) as client:
        client.send_signal(signal.SIGTERM)
        assert client.wait(PATIENCE) == 128 + signal.SIGTERM


def test_it_ends_with_its_client(tmp_path: Path) -> None:
    with waiting(tmp_path) as client:
        client.kill()
        # Up to the end of the fork, which has the same output.
        client.communicate(timeout=PATIENCE / 2)
